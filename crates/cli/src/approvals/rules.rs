//! `tenter approvals allow` and `deny`: make rules that answer questions of hooks.

use tenter_contract::{HookChange, Pattern, Policy, Rule, Timestamp};
use tenter_host::trust::project::here;
use tenter_host::{Layers, Places};
use tenter_protocol::v1::approval::RuleV1;
use tenter_store::approvals::new_id;

use crate::approvals::register;
use crate::arguments::ApprovalsRuleArguments;
use crate::error::{CliError, CommandResult};
use crate::places::no_project;
use crate::printer::Printer;
use crate::{change_log, printer};

pub(crate) fn make(arguments: &ApprovalsRuleArguments, policy: Policy, printer: &Printer) -> CommandResult {
    let project = match (arguments.project, here()) {
        (false, _) => None,
        (true, Some(root)) => Some(root.to_string_lossy().into_owned()),
        (true, None) => return Err(no_project()),
    };
    let now = change_log::now();
    let expires = arguments.expires.as_deref().map(|text| expiry(text, now)).transpose()?;
    let rule = rule(policy, &arguments.hook, &arguments.pattern)?;
    let rule = Rule { project, expires, ..rule };
    add(&rule)?;
    if !is_known(&arguments.hook) {
        let hook = &arguments.hook;
        printer::warn(&format!("there is no hook `{hook}` here now; the rule applies when there is one"));
    }
    if arguments.json {
        return printer.json(&RuleV1::new(&rule));
    }
    printer.line(in_words(&rule));
    printer.line(format!("run `tenter approvals revoke {}` to revoke the rule", rule.id));
    Ok(0)
}

pub(crate) fn rule(policy: Policy, hook: &str, pattern: &str) -> Result<Rule, CliError> {
    let bad = |detail: String| {
        CliError::bad_input(
            format!("the pattern `{pattern}`"),
            detail,
            "write a glob such as `production/*`, or a regular expression between slashes",
        )
    };
    if pattern.trim().is_empty() {
        return Err(bad("it is empty and would match nothing".to_owned()));
    }
    let parsed = Pattern::parse(pattern).map_err(|error| bad(error.to_string()))?;
    // A path has several names, so a negated pattern would always match one of them.
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
        at: change_log::now(),
    })
}

pub(crate) fn add(rule: &Rule) -> Result<(), CliError> {
    register()?.add_rule(rule)?;
    change_log::record(HookChange::RuleMade(Box::new(rule.clone())))
}

pub(crate) fn in_words(rule: &Rule) -> String {
    let place = rule.project.as_ref().map_or("everywhere".to_owned(), |project| format!("in {project}"));
    let until = rule.expires.map_or("for good".to_owned(), |expires| format!("until {expires}"));
    let does = match rule.policy {
        Policy::Allow => "allowed",
        Policy::Deny => "denied",
    };
    format!(
        "{}: calls that {} asks about and that match `{}` are {does} without a question, {place}, {until}",
        rule.id,
        rule.hook,
        rule.pattern.as_str()
    )
}

fn is_known(hook: &str) -> bool {
    let root = here();
    let layers = Layers::read(&Places::from_environment(None).outside(root.as_deref()), root.as_deref());
    layers.set.hooks.iter().any(|known| known.id.name == hook || known.id.address() == hook)
}

/// When a rule ends: `90m`, `12h`, `30d`.
fn expiry(text: &str, now: Timestamp) -> Result<Timestamp, CliError> {
    let bad = |detail: &str| {
        CliError::bad_input(
            format!("the time `{text}`"),
            detail.to_owned(),
            "write how long it applies, as in `90m`, `12h` or `30d`",
        )
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
    let span =
        number.checked_mul(unit_ms).filter(|span| *span > 0).ok_or_else(|| bad("it is zero or too long"))?;
    Ok(Timestamp::from_unix_ms(now.unix_ms.saturating_add(span)))
}
