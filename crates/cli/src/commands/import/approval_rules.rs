//! `tenter import approval_rules.json`: imports the approval rules of Amplifier.
//!
//! A table of `"hook:pattern": "allow"` or `"deny"`. The name of the hook ends at the first colon. Each becomes a rule
//! without a project and without an end.

use serde_json::{Map, Value, json};
use tenter_contract::{Dialect, Policy, Rule};
use tenter_protocol::v1::approval::RuleV1;

use crate::approvals::rules;
use crate::arguments::ImportArguments;
use crate::error::{CliError, CommandResult, exit};
use crate::input_file;
use crate::listing::typed;
use crate::printer::{Printer, json_line};

pub(crate) struct Entry {
    key: String,
    /// The rule, or why it cannot be imported.
    rule: Result<Rule, String>,
}

/// Reads the file if it has this form: all values are `allow` or `deny`, and there is at least one.
pub(crate) fn read(arguments: &ImportArguments) -> Result<Option<Vec<Entry>>, CliError> {
    if arguments.from.is_some_and(|from| from != Dialect::Amplifier) {
        return Ok(None);
    }
    let Ok(text) = input_file::read_text(&arguments.file) else { return Ok(None) };
    let Ok(table) = serde_json::from_str::<Map<String, Value>>(&text) else { return Ok(None) };
    let says = |value: &Value| value.as_str().and_then(Policy::parse);
    if table.is_empty() || !table.values().all(|value| says(value).is_some()) {
        return Ok(None);
    }
    let entry = |(key, value): (&String, &Value)| {
        let policy = says(value).ok_or("it says neither allow nor deny".to_owned());
        Entry { key: key.clone(), rule: policy.and_then(|policy| rule(key, policy)) }
    };
    Ok(Some(table.iter().map(entry).collect()))
}

fn rule(key: &str, policy: Policy) -> Result<Rule, String> {
    let (hook, pattern) = key.split_once(':').ok_or("it names no pattern behind the hook")?;
    if hook.trim().is_empty() {
        return Err("it names no hook".to_owned());
    }
    rules::rule(policy, hook.trim(), pattern).map_err(|error| error.happened())
}

pub(crate) fn run(
    arguments: &ImportArguments,
    name: &str,
    entries: &[Entry],
    printer: &Printer,
) -> CommandResult {
    if arguments.out.is_some() {
        return Err(CliError::not_imported(
            name.to_owned(),
            "it has standing answers, which are no hook file",
            format!("keep them with `tenter import --write {}`", typed(name)),
        ));
    }
    let kept = || entries.iter().filter_map(|entry| entry.rule.as_ref().ok());
    if arguments.write {
        for rule in kept() {
            rules::add(rule)?;
        }
    }
    let lost: Vec<(&str, &String)> =
        entries.iter().filter_map(|entry| Some((entry.key.as_str(), entry.rule.as_ref().err()?))).collect();
    let code = if lost.is_empty() { 0 } else { exit::FINDING };
    if arguments.json {
        let rules: Vec<RuleV1> = kept().map(RuleV1::new).collect();
        let lost: Vec<Value> = lost.iter().map(|(key, why)| json!({"key": key, "why": why})).collect();
        let written = arguments.write;
        printer.line(json_line(&json!({"file": name, "rules": rules, "lost": lost, "written": written})));
        return Ok(code);
    }
    printer.line(format!(
        "{name}, read as Amplifier's approval rules: {} kept, {} not kept",
        kept().count(),
        lost.len()
    ));
    for rule in kept() {
        if arguments.write {
            printer.line(format!("  {}", rules::in_words(rule)));
        } else {
            let (verb, hook) = (rule.policy.as_str(), typed(&rule.hook));
            printer.line(format!("  tenter approvals {verb} {hook} {}", typed(rule.pattern.as_str())));
        }
    }
    for (key, why) in lost {
        printer.line(format!("  not kept  {key}: {why}"));
    }
    if !arguments.write {
        printer.line(format!("nothing was changed; `tenter import --write {}` keeps them", typed(name)));
    }
    Ok(code)
}
