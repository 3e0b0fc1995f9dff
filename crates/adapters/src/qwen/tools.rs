//! Qwen Code's tools.

use serde_json::Value;
use tenter_contract::ToolKind;

use crate::agent_spec::{McpNames, Tools};

/// Calls of the first five are recorded; the others are named as Qwen Code declares them to its model, or as it did
/// before.
pub(super) static TOOLS: Tools = Tools {
    names: &[
        // It runs a command in the background and shows the model its output.
        ("Bash", ToolKind::Shell, "run_shell_command monitor"),
        ("Write", ToolKind::Write, "write_file"),
        ("Edit", ToolKind::Edit, "edit replace"),
        ("Read", ToolKind::Read, "read_file"),
        ("Agent", ToolKind::Task, "agent task"),
        ("LS", ToolKind::Search, "list_directory"),
        ("Glob", ToolKind::Search, "glob"),
        ("Grep", ToolKind::Search, "grep_search search_file_content"),
        ("WebFetch", ToolKind::Fetch, "web_fetch"),
        ("TodoWrite", ToolKind::Other, "todo_write"),
    ],
    keys: &[("run_shell_command", "is_background=run_in_background")],
    mcp: McpNames::Prefixed,
    exit_code,
    ..Tools::NONE
};

/// The exit code of a shell call, which follows the output in the text for the model. A command that was killed has none;
/// one that was cancelled, timed out or left running has another text. The last such line counts: a command cannot print
/// an exit code.
pub(super) fn exit_code(response: &Value) -> Option<i64> {
    let text = response.get("llmContent")?.as_str()?;
    let (_, end) = text.strip_prefix("Command: ")?.rsplit_once("\nExit Code: ")?;
    end.lines().next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};
    use tenter_contract::ports::AgentAdapter;

    use super::*;
    use crate::qwen::QWEN;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn our_names_lead_back_to_the_tools() {
        for (name, native) in [
            ("Bash", "run_shell_command"),
            ("Edit", "edit"),
            ("Read", "read_file"),
            ("Agent", "agent"),
            ("Grep", "grep_search"),
            ("mcp__sample__tool", "mcp__sample__tool"),
            ("WebSearch", "WebSearch"),
        ] {
            assert_eq!(QWEN.native_tool_name(name), native);
            assert_eq!(TOOLS.name_and_kind(native, None).0, name);
        }
    }

    #[test]
    fn tools_have_our_names_and_kinds() {
        for (native, name, kind) in [
            ("run_shell_command", "Bash", ToolKind::Shell),
            ("monitor", "Bash", ToolKind::Shell),
            ("write_file", "Write", ToolKind::Write),
            ("edit", "Edit", ToolKind::Edit),
            ("replace", "Edit", ToolKind::Edit),
            ("read_file", "Read", ToolKind::Read),
            ("agent", "Agent", ToolKind::Task),
            ("list_directory", "LS", ToolKind::Search),
            ("glob", "Glob", ToolKind::Search),
            ("grep_search", "Grep", ToolKind::Search),
            ("web_fetch", "WebFetch", ToolKind::Fetch),
            ("save_memory", "save_memory", ToolKind::Other),
            ("Bash", "Bash", ToolKind::Other),
            ("mcp__github__create_issue", "mcp__github__create_issue", ToolKind::Mcp),
            ("", "", ToolKind::Other),
        ] {
            assert_eq!(TOOLS.name_and_kind(native, None), (name.into(), kind));
        }
    }

    #[test]
    fn keys_are_translated_both_ways() {
        for (native, theirs, ours) in [
            (
                "run_shell_command",
                json!({"command": "ls", "is_background": true}),
                json!({"command": "ls", "run_in_background": true}),
            ),
            (
                "run_shell_command",
                json!({"is_background": true, "run_in_background": 7}),
                json!({"run_in_background": true, "is_background": 7}),
            ),
            (
                "edit",
                json!({"file_path": "a", "old_string": "b"}),
                json!({"file_path": "a", "old_string": "b"}),
            ),
            ("mcp__a__b", json!({"is_background": 1}), json!({"is_background": 1})),
        ] {
            let call = TOOLS.call(native, None, object(&theirs));
            assert_eq!(Value::Object(call.input.clone()), ours, "{native}");
            assert_eq!(Value::Object(TOOLS.native_input(&call, &call.input)), theirs, "{native}, and back");
        }
    }

    #[test]
    fn exit_code_is_read_only_if_known() {
        let end = "Signal: 0\nProcess Group PGID: 4242";
        for (text, expected) in [
            (format!("Command: x\nDirectory: (root)\nOutput: failing\nError: (none)\nExit Code: 3\n{end}"), Some(3)),
            (format!("Command: x\nDirectory: (root)\nOutput: (empty)\nError: (none)\nExit Code: 0\n{end}"), Some(0)),
            (format!("Command: x\nOutput: y\nError: (none)\nExit Code: (none)\n{end}"), None),
            // A command cannot print the exit code it would like to have.
            (format!("Command: x\nOutput: a\nExit Code: 0\nError: (none)\nExit Code: 3\n{end}"), Some(3)),
            (
                "Command timed out after 1ms before it could complete. Below is the output before it timed out:\nExit Code: 0"
                    .to_owned(),
                None,
            ),
            ("Background shell started".to_owned(), None),
            (String::new(), None),
        ] {
            assert_eq!(exit_code(&json!({"llmContent": text, "returnDisplay": ""})), expected, "{text}");
        }
        for response in [json!(null), json!("Command: x"), json!({"llmContent": [{"text": "Command: x"}]})] {
            assert_eq!(exit_code(&response), None, "{response}");
        }
    }
}
