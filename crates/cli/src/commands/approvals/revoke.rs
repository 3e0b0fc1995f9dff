//! `tenter approvals revoke`.

use serde_json::json;
use tenter_contract::{HookChange, Rule, SessionGrant};
use tenter_protocol::v1::approval::{GrantV1, RuleV1};

use crate::approvals::{error, register};
use crate::arguments::ApprovalsRevokeArguments;
use crate::change_log;
use crate::error::CommandResult;
use crate::printer::Printer;

pub(crate) fn run(arguments: &ApprovalsRevokeArguments, printer: &Printer) -> CommandResult {
    let (register, id) = (register()?, &arguments.id);
    let rule = register.revoke_rule(id)?;
    let grants = register.revoke_grant(id)?;
    if rule.is_none() && grants.is_empty() {
        return Err(error::unknown_grant(id));
    }
    if let Some(rule) = &rule {
        change_log::record(HookChange::RuleRevoked(Box::new(rule.clone())))?;
    }
    for grant in &grants {
        change_log::record(HookChange::GrantRevoked(Box::new(grant.clone())))?;
    }
    if arguments.json {
        let grants: Vec<GrantV1> = grants.iter().map(GrantV1::new).collect();
        return printer.json(&json!({"rule": rule.as_ref().map(RuleV1::new), "grants": grants}));
    }
    let of_grant = |grant: &SessionGrant| format!("{} asks again in session {}", grant.hook, grant.session);
    let of_rule = |rule: &Rule| format!("{} asks again about `{}`", rule.hook, rule.pattern.as_str());
    rule.iter().map(of_rule).chain(grants.iter().map(of_grant)).for_each(|line| printer.line(line));
    Ok(0)
}
