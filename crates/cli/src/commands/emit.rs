//! `tenter emit EVENT`: hooks for any program. Data on stdin, the outcome on stdout.

use std::io::{self, IsTerminal, Read};

use serde_json::{Map, Value};
use tenter_contract::{EventKind, event_names, similar};
use tenter_host::assemble_program;
use tenter_host::desks::TerminalDesk;
use tenter_host::trust::project::here;
use tenter_kernel::messages;
use tenter_protocol::v1::event::EventV1;
use tenter_protocol::v1::outcome::OutcomeV1;

use super::{Ended, json_line};
use crate::arguments::EmitArguments;
use crate::error::CliError;
use crate::printer::Printer;
use crate::progress;

/// Asks the hooks and prints what came of it.
pub(crate) fn run(arguments: &EmitArguments, printer: &Printer) -> Ended {
    let kind = event_kind(&arguments.event)?;
    let data = read_data(&arguments.event, &kind)?;
    let places = arguments.config.places();
    if let Some(name) = &arguments.config.profile {
        super::profile::exists(&places, name)?;
    }
    let mut host = assemble_program(&places, here().as_deref());
    host.runtime.onlooker = progress::on_terminal();
    // A person who runs this can be asked here; a program that runs it gets the question back.
    if let Some(terminal) = TerminalDesk::of_process() {
        host.runtime.desks.before_host.push(Box::new(terminal));
    }
    let mut event = data.into_event(kind, host.runtime.clock.now());
    if event.cwd.is_none() {
        event.cwd = std::env::current_dir().ok().map(|cwd| cwd.to_string_lossy().into_owned());
    }
    let (outcome, seq) = host.runtime.emit(event);
    printer.line(json_line(&OutcomeV1::from_outcome(&outcome, &messages(&outcome), seq)));
    Ok(0)
}

/// The event a spelling means. One in a namespace of ours that we do not know is a mistake, not an event.
pub(crate) fn event_kind(spelling: &str) -> Result<EventKind, CliError> {
    let known = || event_names::EVENTS.iter().flat_map(event_names::EventName::spellings);
    let unknown = || CliError::UnknownEvent {
        name: spelling.to_owned(),
        suggestion: similar::nearest(spelling, known()).map(str::to_owned),
    };
    let namespace = |name: &str| name.split_once(':').map(|(namespace, _)| namespace.to_owned());
    match EventKind::parse(spelling) {
        Some(EventKind::Other(name)) => {
            let ours = event_names::EVENTS.iter().any(|row| namespace(row.canonical) == namespace(&name));
            let near = similar::nearest(&name, known()).is_some();
            if ours || near { Err(unknown()) } else { Ok(EventKind::Other(name)) }
        }
        Some(kind) => Ok(kind),
        None => Err(unknown()),
    }
}

/// The keys of `tool`. All others are mistakes.
const TOOL_KEYS: [&str; 13] = [
    "name",
    "native_name",
    "kind",
    "input",
    "original_input",
    "output",
    "stdout",
    "stderr",
    "exit_code",
    "call_id",
    "path",
    "paths",
    "command",
];

/// Top-level keys without which an event says little. Other data is the caller's own.
const EVENT_KEYS: [&str; 7] =
    ["tool", "tool_name", "tool_input", "tool_response", "prompt", "session_id", "project_root"];

/// A misspelled key that would make hooks pass the event by.
fn mistake_in(data: &Map<String, Value>, kind: &EventKind) -> Option<String> {
    let unknown = |key: &str, nearest: Option<&str>| match nearest {
        Some(known) => format!("unknown key `{key}`; did you mean `{known}`?"),
        None => format!("unknown key `{key}`"),
    };
    let misspelled = data.keys().find_map(|key| {
        let known = similar::nearest(key, EVENT_KEYS).filter(|known| !data.contains_key(*known))?;
        (!EVENT_KEYS.contains(&key.as_str())).then(|| unknown(key, Some(known)))
    });
    let tool = data.get("tool").and_then(Value::as_object);
    let of_tool = tool.and_then(|tool| {
        let key = tool.keys().find(|key| !TOOL_KEYS.contains(&key.as_str()))?;
        let nearest = similar::nearest(key, TOOL_KEYS).map(|known| format!("tool.{known}"));
        Some(unknown(&format!("tool.{key}"), nearest.as_deref()))
    });
    let named = |value: Option<&Value>| value.and_then(Value::as_str).is_some_and(|name| !name.is_empty());
    let about_tools = matches!(
        kind,
        EventKind::ToolPre | EventKind::ToolPost | EventKind::ToolError | EventKind::PermissionRequest
    );
    let nameless = about_tools
        && (tool.is_some() || data.contains_key("tool_input"))
        && !named(tool.and_then(|tool| tool.get("name")))
        && !named(data.get("tool_name"));
    misspelled.or(of_tool).or_else(|| nameless.then(|| "the tool has no `name`".to_owned()))
}

fn read_data(event: &str, kind: &EventKind) -> Result<EventV1, CliError> {
    let mut stdin = io::stdin();
    if stdin.is_terminal() {
        return Err(CliError::NothingPiped { example: format!("echo '{{}}' | tenter emit {event}") });
    }
    let bad = |detail: String| CliError::BadInput {
        what: "the data on stdin".to_owned(),
        detail,
        hint: "give one JSON object; `tenter schema event` shows what it may have, and {} is enough"
            .to_owned(),
    };
    let mut text = String::new();
    stdin.read_to_string(&mut text).map_err(|error| bad(error.to_string()))?;
    if text.trim().is_empty() {
        return Ok(EventV1::default());
    }
    let data: Value = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    let Some(object) = data.as_object() else {
        return Err(bad("it is JSON, but not an object".to_owned()));
    };
    let event = serde_json::from_str(&text).map_err(|error| bad(error.to_string()))?;
    match mistake_in(object, kind) {
        Some(mistake) => Err(bad(mistake)),
        None => Ok(event),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_misspelled_key_is_named_with_the_right_one() {
        for (data, mistake) in [
            (json!({"tool": {"nme": "Bash"}}), Some("unknown key `tool.nme`; did you mean `tool.name`?")),
            (json!({"tol": {"name": "Bash"}}), Some("unknown key `tol`; did you mean `tool`?")),
            (
                json!({"tool": {"name": "Bash", "inptu": {}}}),
                Some("unknown key `tool.inptu`; did you mean `tool.input`?"),
            ),
            (json!({"tool": {"input": {}}}), Some("the tool has no `name`")),
            (json!({"tool": {"name": ""}}), Some("the tool has no `name`")),
            (json!({"tool_input": {}}), Some("the tool has no `name`")),
            (json!({"tool_name": "Bash", "tool_input": {}}), None),
            (json!({"tool": {"name": "Bash", "input": {"cmmand": 1}}, "deploy": 1}), None),
            (json!({}), None),
        ] {
            let data = data.as_object().unwrap();
            assert_eq!(mistake_in(data, &EventKind::ToolPre).as_deref(), mistake, "{data:?}");
        }
    }
}
