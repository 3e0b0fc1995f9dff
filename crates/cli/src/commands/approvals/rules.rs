//! `tenter approvals allow`, `deny` and `revoke`: answers that stand.

use serde_json::json;
use tenter_contract::{HookChange, Pattern, Policy, Rule, SessionGrant, Timestamp};
use tenter_host::trust::project::here;
use tenter_host::{Layers, Places};
use tenter_protocol::v1::approval::{GrantV1, RuleV1};
use tenter_store::approvals::new_id;

use super::super::{Ended, change, json_line, no_project};
use super::{ApprovalError, folder, register};
use crate::arguments::{ApprovalsRevokeArguments, ApprovalsRuleArguments};
use crate::error::CliError;
use crate::printer::{self, Printer};

/// Makes a rule.
pub(super) fn make(arguments: &ApprovalsRuleArguments, policy: Policy, printer: &Printer) -> Ended {
    let project = match (arguments.project, here()) {
        (false, _) => None,
        (true, Some(root)) => Some(root.to_string_lossy().into_owned()),
        (true, None) => return Err(no_project()),
    };
    let now = change::now();
    let expires = arguments.expires.as_deref().map(|text| expiry(text, now)).transpose()?;
    let rule = rule(policy, &arguments.hook, &arguments.pattern)?;
    let rule = Rule { project, expires, ..rule };
    add(&rule)?;
    if !is_known(&arguments.hook) {
        printer::write_error(&format!(
            "warning: there is no hook `{}` here now; the rule stands for when there is one\n",
            arguments.hook
        ));
    }
    if arguments.json {
        printer.line(json_line(&RuleV1::of(&rule)));
        return Ok(0);
    }
    printer.line(in_words(&rule));
    printer.line(format!("`tenter approvals revoke {}` takes it back", rule.id));
    Ok(0)
}

/// A rule for good, everywhere.
pub(in crate::commands) fn rule(policy: Policy, hook: &str, pattern: &str) -> Result<Rule, CliError> {
    let bad = |detail: String| CliError::BadInput {
        what: format!("the pattern `{pattern}`"),
        detail,
        hint: "write a glob such as `production/*`, or a regular expression between slashes".to_owned(),
    };
    if pattern.trim().is_empty() {
        return Err(bad("it is empty, and would cover nothing".to_owned()));
    }
    let parsed = Pattern::parse(pattern).map_err(|error| bad(error.to_string()))?;
    // A path has several names, and one of them is always another than the one that is left out.
    if parsed.is_negated() {
        return Err(bad("look-around is not supported in rules".to_owned()));
    }
    Ok(Rule {
        id: new_id(),
        policy,
        hook: hook.to_owned(),
        pattern: parsed,
        project: None,
        expires: None,
        at: change::now(),
    })
}

/// Keeps a rule and records that.
pub(in crate::commands) fn add(rule: &Rule) -> Result<(), CliError> {
    register()?.add_rule(rule).map_err(folder)?;
    change::record(HookChange::RuleMade(Box::new(rule.clone())))
}

/// What a rule does.
pub(in crate::commands) fn in_words(rule: &Rule) -> String {
    let place = rule.project.as_ref().map_or("everywhere".to_owned(), |project| format!("in {project}"));
    let until = rule.expires.map_or("for good".to_owned(), |expires| format!("until {expires}"));
    let does = match rule.policy {
        Policy::Allow => "allowed",
        Policy::Deny => "denied",
    };
    format!(
        "{}: what {} asks about `{}` is {does} without a question, {place}, {until}",
        rule.id,
        rule.hook,
        rule.pattern.as_str()
    )
}

/// Whether a hook of that name is in force here.
fn is_known(hook: &str) -> bool {
    let root = here();
    let layers = Layers::read(&Places::from_environment(None).outside(root.as_deref()), root.as_deref());
    layers.set.hooks.iter().any(|known| known.id.name == hook || known.id.address() == hook)
}

/// Takes a grant or a rule back.
pub(super) fn revoke(arguments: &ApprovalsRevokeArguments, printer: &Printer) -> Ended {
    let (register, id) = (register()?, &arguments.id);
    let rule = register.revoke_rule(id).map_err(folder)?;
    let grants = register.revoke_grant(id).map_err(folder)?;
    if rule.is_none() && grants.is_empty() {
        return Err(CliError::Approval(ApprovalError::NothingStands { id: id.clone() }));
    }
    if let Some(rule) = &rule {
        change::record(HookChange::RuleRevoked(Box::new(rule.clone())))?;
    }
    for grant in &grants {
        change::record(HookChange::GrantRevoked(Box::new(grant.clone())))?;
    }
    if arguments.json {
        let grants: Vec<GrantV1> = grants.iter().map(GrantV1::of).collect();
        printer.line(json_line(&json!({"rule": rule.as_ref().map(RuleV1::of), "grants": grants})));
        return Ok(0);
    }
    let of_grant = |grant: &SessionGrant| format!("{} asks again in session {}", grant.hook, grant.session);
    let of_rule = |rule: &Rule| format!("{} asks again about `{}`", rule.hook, rule.pattern.as_str());
    rule.iter().map(of_rule).chain(grants.iter().map(of_grant)).for_each(|line| printer.line(line));
    Ok(0)
}

/// When a rule ends: `90m`, `12h`, `30d`.
fn expiry(text: &str, now: Timestamp) -> Result<Timestamp, CliError> {
    let bad = |detail: &str| CliError::BadInput {
        what: format!("the time `{text}`"),
        detail: detail.to_owned(),
        hint: "write how long it stands, as in `90m`, `12h` or `30d`".to_owned(),
    };
    let end = text.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let number: u64 = number.parse().map_err(|_| bad("it does not begin with a number"))?;
    let unit_ms: u64 = match unit {
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return Err(bad("its unit must be `m`, `h` or `d`")),
    };
    let span = number.checked_mul(unit_ms).filter(|span| *span > 0).ok_or_else(|| bad("it is no time"))?;
    Ok(Timestamp::from_unix_ms(now.unix_ms.saturating_add(span)))
}
