//! Rules: answers that last until they are revoked, one file each.

use std::io;
use std::path::PathBuf;

use tenter_contract::Rule;
use tenter_contract::ports::StateError;
use tenter_protocol::v1::approval::RuleV1;

use super::{ApprovalFolder, remove, unusable, write_json};
use crate::GrantedChange;
use crate::granted::{GrantedFiles, is_json};
use crate::json;

impl ApprovalFolder {
    fn rule_folder(&self) -> PathBuf {
        self.path.join("rules")
    }

    fn rule_copies(&self) -> GrantedFiles {
        GrantedFiles::new(&self.state, GrantedFiles::folder(&self.state, "rules"))
    }

    /// All rules that tenter wrote, expired ones included, oldest first. Changes of the files by other programs do not
    /// count.
    pub fn rules(&self) -> Result<Vec<Rule>, StateError> {
        let mut rules = Vec::new();
        for (path, text) in self.rule_copies().all() {
            let rule: RuleV1 =
                json::typed(text.as_bytes()).map_err(io::Error::from).map_err(unusable(&path))?;
            rules.extend(rule.rule());
        }
        rules.sort_by_key(|rule| (rule.at, rule.id.clone()));
        Ok(rules)
    }

    /// The files of rules that are not as tenter wrote them.
    pub(super) fn changed_rules(&self) -> Vec<GrantedChange> {
        self.rule_copies().changes(&self.rule_folder(), is_json)
    }

    /// Keeps a rule.
    pub fn add_rule(&self, rule: &Rule) -> Result<(), StateError> {
        let folder = self.rule_folder();
        let path = folder.join(format!("{}.json", rule.id));
        let made = self.state.make_folder(&folder);
        made.and_then(|()| write_json(&path, &RuleV1::new(rule)))
            .and_then(|bytes| self.rule_copies().keep(&path, &bytes))
            .map_err(unusable(&path))
    }

    /// Revokes the rule with this id and returns it.
    pub fn revoke_rule(&self, id: &str) -> Result<Option<Rule>, StateError> {
        let rule = self.rules()?.into_iter().find(|rule| rule.id == id);
        if let Some(rule) = &rule {
            let path = self.rule_folder().join(format!("{}.json", rule.id));
            remove(&path).and_then(|()| self.rule_copies().forget(&path)).map_err(unusable(&path))?;
        }
        Ok(rule)
    }
}
