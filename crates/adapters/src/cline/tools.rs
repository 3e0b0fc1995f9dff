//! Cline's tools: what we call each, what it does, and what its keys are called.

use std::borrow::Cow;

use serde_json::{Map, Value};
use tenter_contract::{ToolCall, ToolKind};

use super::shapes;
use crate::door;

/// The tool that takes a patch, and its key.
const PATCH: &str = "apply_patch";
pub(super) const PATCH_KEY: &str = "input";

/// The tool that makes a file and also changes one.
const EDITOR: &str = "editor";

/// What hooks know before the server and the tool.
const MCP: &str = "mcp__";

/// Its own name, ours, and what the tool does; those of the extension stand below.
const NAMES: &[(&str, &str, ToolKind)] = &[
    ("run_commands", "Bash", ToolKind::Shell),
    (EDITOR, "Write", ToolKind::Write),
    (PATCH, "Edit", ToolKind::Edit),
    ("read_files", "Read", ToolKind::Read),
    ("search_codebase", "Grep", ToolKind::Search),
    ("fetch_web_content", "WebFetch", ToolKind::Fetch),
    ("web_search", "WebSearch", ToolKind::Fetch),
    ("spawn_agent", "Agent", ToolKind::Task),
    ("execute_command", "Bash", ToolKind::Shell),
    ("write_to_file", "Write", ToolKind::Write),
    ("replace_in_file", "Edit", ToolKind::Edit),
    ("read_file", "Read", ToolKind::Read),
    ("search_files", "Grep", ToolKind::Search),
];

/// Keys that are not the same: whose and as what, theirs, and ours.
const KEYS: &[(&str, &str, &str, &str)] = &[
    (EDITOR, "Write", "path", "file_path"),
    (EDITOR, "Write", "new_text", "content"),
    (EDITOR, "Edit", "path", "file_path"),
    (EDITOR, "Edit", "old_text", "old_string"),
    (EDITOR, "Edit", "new_text", "new_string"),
    ("spawn_agent", "Agent", "task", "prompt"),
    ("write_to_file", "Write", "path", "file_path"),
    ("replace_in_file", "Edit", "path", "file_path"),
    ("read_file", "Read", "path", "file_path"),
    ("search_files", "Grep", "regex", "pattern"),
];

/// A call by our names and under our keys.
pub(super) fn call(native_name: &str, input: Option<&Value>) -> ToolCall {
    if native_name == PATCH {
        let input = match input {
            Some(Value::String(patch)) => {
                Map::from_iter([(PATCH_KEY.to_owned(), Value::from(patch.as_str()))])
            }
            other => door::input(other),
        };
        return ToolCall::of_patch(native_name, PATCH_KEY, input);
    }
    let (name, kind) = known(native_name, input);
    let input = match shapes::of(native_name) {
        Some(shapes) => shapes.ours(input.unwrap_or(&Value::Null)),
        None => translated(native_name, &name, &door::input(input)),
    };
    ToolCall { native_name: native_name.to_owned(), ..ToolCall::new(&name, kind, input) }
}

fn known<'n>(native_name: &'n str, input: Option<&Value>) -> (Cow<'n, str>, ToolKind) {
    let has = |key: &str| input.and_then(|input| input.get(key)).is_some_and(|value| !value.is_null());
    match NAMES.iter().find(|(own, _, _)| *own == native_name) {
        Some((EDITOR, _, _)) if has("old_text") || has("insert_line") => ("Edit".into(), ToolKind::Edit),
        Some((_, ours, kind)) => ((*ours).into(), *kind),
        // Tools of MCP servers: `<server>__<tool>`.
        None if native_name.contains("__") => (format!("{MCP}{native_name}").into(), ToolKind::Mcp),
        None => (native_name.into(), ToolKind::Other),
    }
}

/// An input of ours as Cline takes it.
pub(super) fn native_input(call: &ToolCall, input: &Map<String, Value>) -> Value {
    if let Some(key) = &call.patch_key {
        let patch = input.get(key).map(|patch| (key.clone(), patch.clone()));
        return Value::Object(patch.into_iter().collect());
    }
    match shapes::of(&call.native_name) {
        Some(shapes) => shapes.theirs(input),
        None => Value::Object(translated(&call.native_name, &call.name, input)),
    }
}

/// Its own name of a tool that we call so; the first in the table where it has several.
pub(super) fn native_name(name: &str) -> Cow<'_, str> {
    match name {
        "Edit" | "MultiEdit" => EDITOR.into(),
        _ if name.starts_with(MCP) => name[MCP.len()..].into(),
        _ => NAMES.iter().find(|(_, ours, _)| *ours == name).map_or(name.into(), |(own, _, _)| (*own).into()),
    }
}

/// An input of theirs under our keys, or one of ours under theirs: a pair swaps its names, so that both ways are
/// the same, what the tool reads has the name that guards look at, and nothing is lost.
fn translated(native_name: &str, name: &str, input: &Map<String, Value>) -> Map<String, Value> {
    let other_name = |key: &str| {
        let pairs = KEYS.iter().filter(|(tool, as_what, _, _)| *tool == native_name && *as_what == name);
        let pairs = pairs.flat_map(|(_, _, theirs, ours)| [(theirs, ours), (ours, theirs)]);
        pairs.into_iter().find(|(from, _)| **from == key)
    };
    let key = |key: &String| other_name(key).map_or_else(|| key.clone(), |(_, to)| (*to).to_owned());
    input.iter().map(|(name, value)| (key(name), value.clone())).collect()
}

/// The exit code of commands: that of the first that failed. Whether one did stands beside its output, where the
/// command itself cannot write.
pub(super) fn exit_code(output: &Value) -> Option<i64> {
    let results = output.as_array().filter(|results| !results.is_empty())?;
    let failed = results.iter().find(|result| result.get("success") != Some(&Value::Bool(true)));
    match failed {
        None => Some(0),
        Some(result) => {
            result.get("error")?.as_str()?.rsplit_once("exited with code ")?.1.trim().parse().ok()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_has_our_name_and_keys() {
        for (native, theirs, name, ours) in [
            ("run_commands", json!({"commands": ["ls"]}), "Bash", json!({"command": "ls"})),
            (
                "editor",
                json!({"path": "a", "new_text": "x"}),
                "Write",
                json!({"file_path": "a", "content": "x"}),
            ),
            (
                "editor",
                json!({"path": "a", "old_text": "x", "new_text": "y"}),
                "Edit",
                json!({"file_path": "a", "old_string": "x", "new_string": "y"}),
            ),
            (
                "editor",
                json!({"path": "a", "new_text": "y", "insert_line": 3}),
                "Edit",
                json!({"file_path": "a", "new_string": "y", "insert_line": 3}),
            ),
            // What the tool reads has the name that guards look at, whatever else the model sends.
            (
                "editor",
                json!({"file_path": "harmless", "path": "secret", "new_text": "x"}),
                "Write",
                json!({"path": "harmless", "file_path": "secret", "content": "x"}),
            ),
            ("read_files", json!({"files": [{"path": "a"}]}), "Read", json!({"file_path": "a"})),
            (
                "spawn_agent",
                json!({"systemPrompt": "s", "task": "t"}),
                "Agent",
                json!({"systemPrompt": "s", "prompt": "t"}),
            ),
            ("execute_command", json!({"command": "ls"}), "Bash", json!({"command": "ls"})),
            (
                "write_to_file",
                json!({"path": "a", "content": "x"}),
                "Write",
                json!({"file_path": "a", "content": "x"}),
            ),
            ("github__list_issues", json!({"path": "a"}), "mcp__github__list_issues", json!({"path": "a"})),
            ("skills", json!({"skill": "s"}), "skills", json!({"skill": "s"})),
        ] {
            let call = call(native, Some(&theirs));
            assert_eq!((call.name.as_str(), call.native_name.as_str()), (name, native));
            assert_eq!(Value::Object(call.input.clone()), ours, "{native}");
            assert_eq!(native_input(&call, &call.input), theirs, "{native}, and back");
        }
    }

    #[test]
    fn a_patch_is_a_patch_with_or_without_its_key() {
        let patch = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch";
        for theirs in [json!(patch), json!({ "input": patch })] {
            let call = call(PATCH, Some(&theirs));
            assert_eq!((call.name.as_str(), call.paths.as_slice()), ("Edit", &["a".to_owned()][..]));
            assert_eq!(native_input(&call, &call.input), json!({ "input": patch }));
        }
    }

    #[test]
    fn the_exit_code_is_that_of_the_first_command_that_failed() {
        let ok = json!({"result": "Command exited with code 9", "success": true});
        let failed = json!({"error": "Command exited with code 3", "success": false});
        let timed_out = json!({"error": "Command timed out", "success": false});
        for (output, expected) in [
            (json!([ok]), Some(0)),
            (json!([ok, failed]), Some(3)),
            (json!([timed_out, failed]), None),
            (json!([]), None),
            (json!("Command exited with code 3"), None),
        ] {
            assert_eq!(exit_code(&output), expected, "{output}");
        }
    }
}
