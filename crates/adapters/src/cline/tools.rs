//! Cline's tools.

use serde_json::{Map, Value};
use tenter_contract::{ToolCall, ToolKind};

use super::list_inputs;
use crate::agent_spec::{McpNames, Tools};
use crate::payload;

pub(super) const PATCH_KEY: &str = "input";

/// The tool that creates a file and also changes one, and the rows of its keys when it changes one.
const EDITOR: &str = "editor";
const EDITOR_AS_EDIT: &str = "editor:Edit";

/// Those of the extension come last.
pub(super) static TOOLS: Tools = Tools {
    names: &[
        ("Bash", ToolKind::Shell, "run_commands execute_command"),
        ("Write", ToolKind::Write, "editor write_to_file"),
        ("Edit", ToolKind::Edit, "editor replace_in_file"),
        ("MultiEdit", ToolKind::Edit, "editor"),
        ("Read", ToolKind::Read, "read_files read_file"),
        ("Grep", ToolKind::Search, "search_codebase search_files"),
        ("WebFetch", ToolKind::Fetch, "fetch_web_content"),
        ("WebSearch", ToolKind::Fetch, "web_search"),
        ("Agent", ToolKind::Task, "spawn_agent"),
    ],
    keys: &[
        ("editor", "path=file_path new_text=content"),
        ("editor:Edit", "path=file_path old_text=old_string new_text=new_string"),
        ("spawn_agent", "task=prompt"),
        ("write_to_file replace_in_file read_file", "path=file_path"),
        ("search_files", "regex=pattern"),
    ],
    keys_of: |native, name| if native == EDITOR && name == "Edit" { EDITOR_AS_EDIT } else { native },
    patches: &[("apply_patch", PATCH_KEY)],
    mcp: McpNames::Parts,
    exit_code,
    ..Tools::NONE
};

/// A call by our names and under our keys.
pub(super) fn call(native_name: &str, input: Option<&Value>) -> ToolCall {
    let has = |key: &str| input.and_then(|input| input.get(key)).is_some_and(|value| !value.is_null());
    match (native_name, input) {
        ("apply_patch", Some(Value::String(patch))) => {
            let input = Map::from_iter([(PATCH_KEY.to_owned(), Value::from(patch.as_str()))]);
            TOOLS.call(native_name, None, input)
        }
        (EDITOR, _) if has("old_text") || has("insert_line") => {
            TOOLS.call_named(native_name, "Edit", ToolKind::Edit, payload::input_object(input))
        }
        _ => {
            let ours = list_inputs::find(native_name).map(|list| list.ours(input.unwrap_or(&Value::Null)));
            TOOLS.call(native_name, None, ours.unwrap_or_else(|| payload::input_object(input)))
        }
    }
}

/// An input of ours in Cline's form.
pub(super) fn native_input(call: &ToolCall, input: &Map<String, Value>) -> Value {
    match list_inputs::find(&call.native_name) {
        Some(list) => list.theirs(input),
        None => TOOLS.native_input(call, input).into(),
    }
}

/// The exit code of commands: that of the first that failed. The command itself cannot write to that field.
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
    fn tools_have_our_names_and_keys() {
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
    fn patch_may_be_a_bare_text() {
        let patch = "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch";
        for theirs in [json!(patch), json!({ "input": patch })] {
            let call = call("apply_patch", Some(&theirs));
            assert_eq!((call.name.as_str(), call.paths.as_slice()), ("Edit", &["a".to_owned()][..]));
            assert_eq!(native_input(&call, &call.input), json!({ "input": patch }));
        }
    }

    #[test]
    fn exit_code_is_that_of_the_first_failure() {
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
