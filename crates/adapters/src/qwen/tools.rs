//! Qwen Code's tools: what we call each, what it does, and what its keys are called.

use std::borrow::Cow;

use serde_json::{Map, Value};
use tenter_contract::ToolKind;

/// Its own name, ours, and what the tool does. Calls of the first five are recorded; the others are named as
/// Qwen Code declares them to its model, or were before they had the name above them.
const NAMES: &[(&str, &str, ToolKind)] = &[
    ("run_shell_command", "Bash", ToolKind::Shell),
    ("write_file", "Write", ToolKind::Write),
    ("edit", "Edit", ToolKind::Edit),
    ("read_file", "Read", ToolKind::Read),
    ("agent", "Agent", ToolKind::Task),
    ("task", "Agent", ToolKind::Task),
    ("replace", "Edit", ToolKind::Edit),
    // It runs a command in the background and tells the model what it prints.
    ("monitor", "Bash", ToolKind::Shell),
    ("list_directory", "LS", ToolKind::Search),
    ("glob", "Glob", ToolKind::Search),
    ("grep_search", "Grep", ToolKind::Search),
    ("search_file_content", "Grep", ToolKind::Search),
    ("web_fetch", "WebFetch", ToolKind::Fetch),
    ("todo_write", "TodoWrite", ToolKind::Other),
];

/// Keys that are not the same: whose, theirs, and ours.
const KEYS: &[(&str, &str, &str)] = &[("run_shell_command", "is_background", "run_in_background")];

/// Its own name of a tool that we call so; the first in the table where it has several.
pub(super) fn native_name(name: &str) -> Cow<'_, str> {
    NAMES.iter().find(|(_, ours, _)| *ours == name).map_or(name.into(), |(own, _, _)| (*own).into())
}

/// A tool of Qwen Code, in our words.
pub(super) struct Tool<'a> {
    /// Our name for it; its own where we have none. Tools of MCP servers are called as we call them.
    pub(super) name: &'a str,
    /// What it does.
    pub(super) kind: ToolKind,
    native_name: &'a str,
}

impl<'a> Tool<'a> {
    /// The tool of a name.
    pub(super) fn of(native_name: &'a str) -> Self {
        let other = if native_name.starts_with("mcp__") { ToolKind::Mcp } else { ToolKind::Other };
        let known = NAMES.iter().find(|(own, _, _)| *own == native_name);
        let (name, kind) = known.map_or((native_name, other), |(_, name, kind)| (*name, *kind));
        Self { name, kind, native_name }
    }

    /// An input of theirs under our keys, or one of ours under theirs.
    ///
    /// Both ways are the same: a pair swaps its names. So a key that is called as we call another one is out of
    /// its way, what the tool reads always has the name that guards look at, and nothing is lost.
    pub(super) fn translated(&self, input: &Map<String, Value>) -> Map<String, Value> {
        let other_name = |key: &str| {
            let pairs = KEYS.iter().filter(|(tool, _, _)| *tool == self.native_name);
            pairs
                .flat_map(|(_, theirs, ours)| [(theirs, ours), (ours, theirs)])
                .find(|(from, _)| **from == key)
        };
        let key = |key: &String| other_name(key).map_or_else(|| key.clone(), |(_, to)| (*to).to_owned());
        input.iter().map(|(name, value)| (key(name), value.clone())).collect()
    }
}

/// The exit code of a shell call, which stands in the text for the model after the output. A command that was
/// killed has none; one that was cancelled, timed out or left running has another text.
///
/// What the command has printed stands above, so the last of such lines counts: a command cannot print the exit
/// code it would like to have.
pub(super) fn exit_code(response: &Value) -> Option<i64> {
    let text = response.get("llmContent")?.as_str()?;
    let (_, end) = text.strip_prefix("Command: ")?.rsplit_once("\nExit Code: ")?;
    end.lines().next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn a_name_of_ours_leads_back_to_a_tool_that_we_call_so() {
        for (name, native) in [
            ("Bash", "run_shell_command"),
            ("Edit", "edit"),
            ("Read", "read_file"),
            ("Agent", "agent"),
            ("Grep", "grep_search"),
            ("mcp__sample__tool", "mcp__sample__tool"),
            ("WebSearch", "WebSearch"),
        ] {
            assert_eq!(native_name(name), native);
            assert_eq!(Tool::of(&native_name(name)).name, name);
        }
    }

    #[test]
    fn a_tool_has_our_name_and_the_kind_of_what_it_does() {
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
            let tool = Tool::of(native);
            assert_eq!((tool.name, tool.kind), (name, kind), "{native}");
        }
    }

    #[test]
    fn keys_have_our_names() {
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
            let (tool, theirs) = (Tool::of(native), object(&theirs));
            assert_eq!(Value::Object(tool.translated(&theirs)), ours, "{native}");
            assert_eq!(tool.translated(&object(&ours)), theirs, "{native}, and back");
        }
    }

    #[test]
    fn an_exit_code_is_told_only_where_it_is_known() {
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
