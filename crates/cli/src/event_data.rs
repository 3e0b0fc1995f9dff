//! Parses and checks the data of an event from a program.

use serde_json::{Map, Value};
use tenter_contract::{EventKind, event_names, similar};
use tenter_protocol::v1::event::EventV1;

use crate::error::CliError;

#[derive(Debug)]
pub(crate) struct EventData {
    pub(crate) event: EventV1,
    /// About keys that have no meaning.
    pub(crate) warnings: Vec<String>,
}

pub(crate) fn parse(text: &[u8], kind: &EventKind) -> Result<EventData, String> {
    let data: Value = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let object = data.as_object().ok_or("it is JSON, but not an object")?;
    // Parsed from the text again, so that errors have a line.
    let event: EventV1 = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let mistake = mistake_in(object).or_else(|| missing_in(&event, kind).map(str::to_owned));
    match mistake {
        Some(mistake) => Err(mistake),
        None => Ok(EventData { warnings: unknown_keys(&event, kind), event }),
    }
}

pub(crate) fn example(event: &str, kind: &EventKind) -> String {
    let data = if is_about_tools(kind) {
        r#"{"tool": {"name": "Bash", "input": {"command": "ls"}}}"#
    } else if *kind == EventKind::PromptSubmit {
        r#"{"prompt": "Fix the test."}"#
    } else {
        "{}"
    };
    format!("echo '{data}' | tenter emit {event}")
}

pub(crate) fn hint(event: &str, kind: &EventKind) -> String {
    let example = example(event, kind);
    format!("pass one JSON object, such as `{example}`; run `tenter schema event` to see its keys")
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

/// Important top-level keys. Other data is the caller's own.
const EVENT_KEYS: [&str; 7] =
    ["tool", "tool_name", "tool_input", "tool_response", "prompt", "session_id", "project_root"];

/// A misspelled key, because of which hooks would not match.
fn mistake_in(data: &Map<String, Value>) -> Option<String> {
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
    misspelled.or(of_tool)
}

pub(crate) fn is_about_tools(kind: &EventKind) -> bool {
    matches!(
        kind,
        EventKind::ToolPre | EventKind::ToolPost | EventKind::ToolError | EventKind::PermissionRequest
    )
}

/// Missing data, without which guards would not match.
fn missing_in(event: &EventV1, kind: &EventKind) -> Option<&'static str> {
    let tool_name = event.tool.as_ref().map(|tool| tool.name.as_str());
    let named = [tool_name, event.tool_name.as_deref()].into_iter().flatten().any(|name| !name.is_empty());
    if is_about_tools(kind) && !named {
        let has_tool = event.tool.is_some() || event.tool_input.is_some();
        return Some(if has_tool { "the tool has no `name`" } else { "it has no `tool`" });
    }
    (*kind == EventKind::PromptSubmit && event.prompt.is_none()).then_some("it has no `prompt`")
}

/// Top-level keys of Claude Code's and Amplifier's payloads that scripts use and that are not ours.
const FOREIGN_KEYS: [&str; 13] = [
    "agent_transcript_path",
    "custom_instructions",
    "effort",
    "is_interrupt",
    "last_assistant_message",
    "model",
    "notification_type",
    "orchestrator",
    "permission_mode",
    "prompt_id",
    "stop_hook_active",
    "transcript_path",
    "trigger",
];

/// Keys without a meaning at an event of ours. Events of a program's own have any keys.
fn unknown_keys(event: &EventV1, kind: &EventKind) -> Vec<String> {
    if matches!(kind, EventKind::Other(_)) {
        return Vec::new();
    }
    let unknown = event.more.keys().filter(|key| !FOREIGN_KEYS.contains(&key.as_str()));
    let warning = |key: &String| {
        format!(
            "an event has no key `{key}`; put your own data into `data`, where hooks find it (run `tenter schema event` to see the keys)"
        )
    };
    unknown.map(warning).collect()
}

/// The event of this spelling. An unknown event in a namespace of ours is an error.
pub(crate) fn event_kind(spelling: &str) -> Result<EventKind, CliError> {
    let known = || event_names::EVENTS.iter().flat_map(event_names::EventName::spellings);
    let unknown =
        || CliError::unknown_event(spelling, similar::nearest(spelling, known()).map(str::to_owned));
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn mistake(data: &Value, kind: &EventKind) -> Option<String> {
        parse(data.to_string().as_bytes(), kind).err()
    }

    #[test]
    fn misspelled_key_error_suggests_correct_key() {
        for (data, expected) in [
            (json!({"tool": {"nme": "Bash"}}), Some("unknown key `tool.nme`; did you mean `tool.name`?")),
            (json!({"tol": {"name": "Bash"}}), Some("unknown key `tol`; did you mean `tool`?")),
            (
                json!({"tool": {"name": "Bash", "inptu": {}}}),
                Some("unknown key `tool.inptu`; did you mean `tool.input`?"),
            ),
            (json!({"tool_name": "Bash", "tool_input": {}}), None),
            (json!({"tool": {"name": "Bash", "input": {"cmmand": 1}}, "deploy": 1}), None),
        ] {
            assert_eq!(mistake(&data, &EventKind::ToolPre).as_deref(), expected, "{data}");
        }
    }

    #[test]
    fn tool_event_without_tool_is_a_mistake() {
        for (data, expected) in [
            (json!({}), "it has no `tool`"),
            (json!({"tool": null}), "it has no `tool`"),
            (json!({"name": "Bash", "input": {"command": "ls"}}), "it has no `tool`"),
            (json!({"command": "ls"}), "it has no `tool`"),
            (json!({"path": "x"}), "it has no `tool`"),
            (json!({"payload": {"tool": {"name": "Bash"}}}), "it has no `tool`"),
            (json!({"data": {"tool": {"name": "Bash"}}}), "it has no `tool`"),
            (json!({"raw": {"tool_name": "Bash"}}), "it has no `tool`"),
            (json!({"tool": {"input": {}}}), "the tool has no `name`"),
            (json!({"tool": {"name": ""}}), "the tool has no `name`"),
            (json!({"tool_input": {}}), "the tool has no `name`"),
        ] {
            for kind in
                [EventKind::ToolPre, EventKind::ToolPost, EventKind::ToolError, EventKind::PermissionRequest]
            {
                assert_eq!(mistake(&data, &kind).as_deref(), Some(expected), "{kind}: {data}");
            }
            assert_eq!(mistake(&data, &EventKind::SessionStart), None, "{data}");
        }
    }

    #[test]
    fn prompt_event_without_prompt_is_a_mistake() {
        for (data, expected) in [
            (json!({}), Some("it has no `prompt`")),
            (json!({"prompt": null}), Some("it has no `prompt`")),
            (json!({"text": "Hi."}), Some("it has no `prompt`")),
            (json!({"prompt": ""}), None),
        ] {
            assert_eq!(mistake(&data, &EventKind::PromptSubmit).as_deref(), expected, "{data}");
        }
    }

    #[test]
    fn unknown_key_is_a_warning() {
        let warned = |data: Value, kind: EventKind| {
            parse(data.to_string().as_bytes(), &kind).unwrap().warnings.join("\n")
        };
        let tool = json!({"name": "Bash"});
        let text = warned(json!({"tool": tool, "command": "ls", "x": 1}), EventKind::ToolPre);
        assert!(text.contains("no key `command`") && text.contains("no key `x`"), "{text}");
        let known = json!({"tool": tool, "data": {"x": 1}, "raw": {"y": 1}, "transcript_path": "/t"});
        assert_eq!(warned(known, EventKind::ToolPre), "");
        let own = EventKind::parse("deploy:started").unwrap();
        assert_eq!(warned(json!({"to": "staging"}), own), "");
    }
}
