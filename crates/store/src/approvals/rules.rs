//! Answers that stand until they are revoked: one file each.

use std::path::PathBuf;

use tenter_contract::Rule;
use tenter_contract::ports::ShelfError;
use tenter_protocol::v1::approval::RuleV1;

use super::{ApprovalFolder, names_in, read_json, remove, unusable, write_json};

impl ApprovalFolder {
    fn rule_folder(&self) -> PathBuf {
        self.path.join("rules")
    }

    /// Every rule, also those that have expired, oldest first.
    pub fn rules(&self) -> Result<Vec<Rule>, ShelfError> {
        let folder = self.rule_folder();
        let mut rules = Vec::new();
        for name in names_in(&folder).map_err(unusable(&folder))? {
            if !name.ends_with(".json") || name.starts_with("draft-") {
                continue;
            }
            let path = folder.join(&name);
            let rule: Option<RuleV1> = read_json(&path).map_err(unusable(&path))?;
            rules.extend(rule.and_then(|rule| rule.rule()));
        }
        rules.sort_by_key(|rule| (rule.at, rule.id.clone()));
        Ok(rules)
    }

    /// Keeps a rule.
    pub fn add_rule(&self, rule: &Rule) -> Result<(), ShelfError> {
        let path = self.rule_folder().join(format!("{}.json", rule.id));
        let folder = self.rule_folder();
        let made = self.state.make_folder(&folder);
        made.and_then(|()| write_json(&path, &RuleV1::of(rule))).map_err(unusable(&path))
    }

    /// Takes a rule back; says what it was, if there is one of that id.
    pub fn revoke_rule(&self, id: &str) -> Result<Option<Rule>, ShelfError> {
        let rule = self.rules()?.into_iter().find(|rule| rule.id == id);
        if let Some(rule) = &rule {
            let path = self.rule_folder().join(format!("{}.json", rule.id));
            remove(&path).map_err(unusable(&path))?;
        }
        Ok(rule)
    }
}
