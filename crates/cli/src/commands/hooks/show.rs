//! `tenter hooks show NAME`: prints all settings of a hook.

use serde_json::Value;
use tenter_contract::reply::seconds;

use crate::arguments::ShowArguments;
use crate::error::CommandResult;
use crate::hooks::describe::{as_json, plain};
use crate::printer::{Printer, Tone};

pub(crate) fn run(arguments: &ShowArguments, printer: &Printer) -> CommandResult {
    let layers = crate::hooks::layers(&arguments.config)?;
    let hook = crate::hooks::find(&layers, &arguments.hook)?;
    if arguments.json {
        return printer.json(&as_json(&hook));
    }
    printer.line(printer.tone(Tone::Heading, hook.id.address()));
    let Value::Object(facts) = as_json(&hook) else { return Ok(0) };
    let shown = facts.into_iter().filter(|(key, value)| key != "hook" && !is_blank(value));
    let text = |key: &str, value: &Value| match key {
        "timeout" => seconds(hook.timeout),
        _ => plain(value),
    };
    let rows: Vec<Vec<String>> =
        shown.map(|(key, value)| vec![format!("  {key}"), text(&key, &value)]).collect();
    printer.table(&rows);
    Ok(0)
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}
