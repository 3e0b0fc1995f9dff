//! Copilot CLI's tools: what we call each, what it does, and what its keys are called.

use std::borrow::Cow;

use serde_json::{Map, Value};
use tenter_contract::{ToolCall, ToolKind};

use super::wire::ResultWire;
use crate::door;

/// The key under which we keep a patch. Copilot sends its text alone, in the place of an input.
pub(super) const PATCH_KEY: &str = "patch";

/// Its own name, ours (which it also says, under names of events in Pascal case), and what the tool does.
const NAMES: &[(&str, &str, ToolKind)] = &[
    ("bash", "Bash", ToolKind::Shell),
    ("powershell", "PowerShell", ToolKind::Shell),
    ("create", "Write", ToolKind::Write),
    ("edit", "Edit", ToolKind::Edit),
    ("apply_patch", "Edit", ToolKind::Edit),
    ("view", "Read", ToolKind::Read),
    ("grep", "Grep", ToolKind::Search),
    ("rg", "Grep", ToolKind::Search),
    ("glob", "Glob", ToolKind::Search),
    ("web_fetch", "WebFetch", ToolKind::Fetch),
    ("web_search", "WebSearch", ToolKind::Fetch),
    ("task", "Agent", ToolKind::Task),
];

/// Keys that are not the same: of which tool of ours, theirs, and ours.
const KEYS: &[(&str, &str, &str)] = &[
    ("Write", "path", "file_path"),
    ("Write", "file_text", "content"),
    ("Edit", "path", "file_path"),
    ("Edit", "old_str", "old_string"),
    ("Edit", "new_str", "new_string"),
    ("Read", "path", "file_path"),
    ("Agent", "agent_type", "subagent_type"),
];

/// A call by our names and under our keys.
pub(super) fn call(native_name: &str, input: Option<&Value>) -> ToolCall {
    let (name, kind) = known(native_name);
    match input {
        Some(Value::String(patch)) if kind == ToolKind::Edit || kind == ToolKind::Write => {
            let input = Map::from_iter([(PATCH_KEY.to_owned(), Value::from(patch.as_str()))]);
            ToolCall::of_patch(native_name, PATCH_KEY, input)
        }
        _ => {
            let input = translated(name, &door::input(input));
            ToolCall { native_name: native_name.to_owned(), ..ToolCall::new(name, kind, input) }
        }
    }
}

/// The same where the keys are ours already.
pub(super) fn call_as_it_is(native_name: &str, input: Option<&Value>) -> ToolCall {
    let (name, kind) = known(native_name);
    ToolCall { native_name: native_name.to_owned(), ..ToolCall::new(name, kind, door::input(input)) }
}

fn known(native_name: &str) -> (&str, ToolKind) {
    let row = NAMES.iter().find(|(own, ours, _)| *own == native_name || *ours == native_name);
    match row {
        Some((_, ours, kind)) => (*ours, *kind),
        None if native_name.starts_with("mcp__") => (native_name, ToolKind::Mcp),
        None => (native_name, ToolKind::Other),
    }
}

/// An input of ours as Copilot takes it: an object under its own keys, or the text of a patch.
pub(super) fn native_input(call: &ToolCall, input: &Map<String, Value>) -> Value {
    match &call.patch_key {
        Some(key) => input.get(key).cloned().unwrap_or_default(),
        None => Value::Object(translated(&call.name, input)),
    }
}

/// Its own name of a tool that we call so; the first in the table where it has several.
pub(super) fn native_name(name: &str) -> Cow<'_, str> {
    NAMES.iter().find(|(_, ours, _)| *ours == name).map_or(name.into(), |(own, _, _)| (*own).into())
}

/// An input of theirs under our keys, or one of ours under theirs: a pair swaps its names, so that both ways are
/// the same, what the tool reads has the name that guards look at, and nothing is lost.
fn translated(name: &str, input: &Map<String, Value>) -> Map<String, Value> {
    let other_name = |key: &str| {
        let pairs = KEYS.iter().filter(|(tool, _, _)| *tool == name);
        pairs.flat_map(|(_, theirs, ours)| [(theirs, ours), (ours, theirs)]).find(|(from, _)| **from == key)
    };
    let key = |key: &String| other_name(key).map_or_else(|| key.clone(), |(_, to)| (*to).to_owned());
    input.iter().map(|(name, value)| (key(name), value.clone())).collect()
}

/// The text of a result, in either spelling.
fn text_of(result: &Value) -> Option<&str> {
    result.get("textResultForLlm").or_else(|| result.get("text_result_for_llm"))?.as_str()
}

/// The exit code of a shell call, which stands in the last line of its text. What the command itself prints stands
/// before it.
pub(super) fn exit_code(result: &Value) -> Option<i64> {
    let line = text_of(result)?.trim_end().lines().next_back()?;
    let (_, code) = line.strip_prefix("<shellId: ")?.rsplit_once(" completed with exit code ")?;
    code.strip_suffix('>')?.parse().ok()
}

/// A changed result in the shape that Copilot takes. Text of the old one comes back only where the hook kept it.
pub(super) fn complete_output(old: Option<&Value>, new: &Value) -> ResultWire {
    let kind = |result: &Value| {
        Some(result.get("resultType").or_else(|| result.get("result_type"))?.as_str()?.to_owned())
    };
    let text = match new {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Object(_) => text_of(new).map_or_else(|| new.to_string(), str::to_owned),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => new.to_string(),
    };
    ResultWire {
        result_type: kind(new).or_else(|| old.and_then(kind)).unwrap_or_else(|| "success".to_owned()),
        text_result_for_llm: text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_has_our_name_and_keys_under_either_name_of_its_own() {
        for (native, theirs, name, ours) in [
            ("bash", json!({"command": "ls"}), "Bash", json!({"command": "ls"})),
            ("Bash", json!({"command": "ls"}), "Bash", json!({"command": "ls"})),
            (
                "create",
                json!({"path": "a", "file_text": "x"}),
                "Write",
                json!({"file_path": "a", "content": "x"}),
            ),
            (
                "Write",
                json!({"path": "a", "file_text": "x"}),
                "Write",
                json!({"file_path": "a", "content": "x"}),
            ),
            // What the tool reads has the name that guards look at, whatever else the model sends.
            (
                "edit",
                json!({"file_path": "harmless", "path": "secret", "old_str": "a"}),
                "Edit",
                json!({"path": "harmless", "file_path": "secret", "old_string": "a"}),
            ),
            ("view", json!({"path": "a"}), "Read", json!({"file_path": "a"})),
            ("rg", json!({"pattern": "x", "path": "a"}), "Grep", json!({"pattern": "x", "path": "a"})),
            (
                "task",
                json!({"prompt": "p", "agent_type": "t"}),
                "Agent",
                json!({"prompt": "p", "subagent_type": "t"}),
            ),
            ("sql", json!({"path": "a"}), "sql", json!({"path": "a"})),
        ] {
            let call = call(native, Some(&theirs));
            assert_eq!((call.name.as_str(), call.native_name.as_str()), (name, native));
            assert_eq!(Value::Object(call.input.clone()), ours, "{native}");
            assert_eq!(native_input(&call, &call.input), theirs, "{native}, and back");
        }
    }

    #[test]
    fn a_patch_is_a_text_and_stays_one() {
        let patch = json!("*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n@@\n+y\n*** End Patch");
        for native in ["apply_patch", "Edit"] {
            let call = call(native, Some(&patch));
            assert_eq!(call.paths, ["a", "b"]);
            assert_eq!(call.names().filter(|name| *name == "Write").count(), 1);
            assert_eq!(native_input(&call, &call.input), patch);
        }
    }

    #[test]
    fn an_exit_code_is_the_last_line() {
        for (text, expected) in [
            ("failing\n<shellId: 0 completed with exit code 3>", Some(3)),
            ("<shellId: 12 completed with exit code 0>\n", Some(0)),
            ("<shellId: 0 completed with exit code 0>\n<shellId: 1 completed with exit code 7>", Some(7)),
            ("<shellId: 0 completed with exit code 0>\nmore", None),
            ("<shellId: 0 is still running>", None),
            ("", None),
        ] {
            for key in ["textResultForLlm", "text_result_for_llm"] {
                assert_eq!(exit_code(&json!({ key: text })), expected, "{text}");
            }
        }
        assert_eq!(exit_code(&json!("x")), None);
    }

    #[test]
    fn a_changed_result_is_complete_and_brings_nothing_back() {
        let old = json!({"resultType": "failure", "textResultForLlm": "SECRET"});
        for (new, kind, text) in [
            (json!("clean"), "failure", "clean"),
            (json!(null), "failure", ""),
            (json!({"text_result_for_llm": "clean", "result_type": "success"}), "success", "clean"),
            (json!({"stdout": "clean"}), "failure", "{\"stdout\":\"clean\"}"),
        ] {
            let result = complete_output(Some(&old), &new);
            assert_eq!((result.result_type.as_str(), result.text_result_for_llm.as_str()), (kind, text));
        }
    }
}
