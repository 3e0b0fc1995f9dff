//! Gemini CLI's tools: what we call each, what it does, and what its keys are called.

use std::borrow::Cow;

use serde_json::{Map, Value};
use tenter_contract::ToolKind;

/// Its own name, ours, and what the tool does. Calls of the first four are recorded; the others are named as
/// Gemini CLI declares them to its model.
const NAMES: &[(&str, &str, ToolKind)] = &[
    ("run_shell_command", "Bash", ToolKind::Shell),
    ("write_file", "Write", ToolKind::Write),
    ("replace", "Edit", ToolKind::Edit),
    ("read_file", "Read", ToolKind::Read),
    ("read_many_files", "Read", ToolKind::Read),
    ("list_directory", "LS", ToolKind::Search),
    ("glob", "Glob", ToolKind::Search),
    ("grep_search", "Grep", ToolKind::Search),
    ("search_file_content", "Grep", ToolKind::Search),
    ("grep", "Grep", ToolKind::Search),
    ("web_fetch", "WebFetch", ToolKind::Fetch),
    ("google_web_search", "WebSearch", ToolKind::Fetch),
];

/// Keys that are not the same: whose, theirs, and ours.
const KEYS: &[(&str, &str, &str)] = &[
    ("run_shell_command", "is_background", "run_in_background"),
    ("replace", "allow_multiple", "replace_all"),
    ("read_many_files", "include", "paths"),
    ("list_directory", "dir_path", "path"),
    ("glob", "dir_path", "path"),
    ("grep_search", "dir_path", "path"),
    ("grep_search", "include_pattern", "glob"),
    ("search_file_content", "dir_path", "path"),
    ("search_file_content", "include", "glob"),
    ("grep", "dir_path", "path"),
    ("grep", "include", "glob"),
];

/// Its own name of a tool that we call so; the first in the table where it has several.
pub(super) fn native_name(name: &str) -> Cow<'_, str> {
    match name.strip_prefix("mcp__") {
        Some(parts) => format!("mcp_{}", parts.replacen("__", "_", 1)).into(),
        None => {
            NAMES.iter().find(|(_, ours, _)| *ours == name).map_or(name.into(), |(own, _, _)| (*own).into())
        }
    }
}

/// A tool of Gemini CLI, in our words.
pub(super) struct Tool<'a> {
    /// Our name for it; its own where we have none.
    pub(super) name: Cow<'a, str>,
    /// What it does.
    pub(super) kind: ToolKind,
    native_name: &'a str,
}

impl<'a> Tool<'a> {
    /// The tool of a name. `mcp` is the server and the tool's name there, where the payload tells them.
    pub(super) fn of(native_name: &'a str, mcp: Option<(&str, &str)>) -> Self {
        let named = |name: Cow<'a, str>, kind: ToolKind| Self { name, kind, native_name };
        let known = NAMES.iter().find(|(own, _, _)| *own == native_name);
        match (mcp.or_else(|| mcp_parts(native_name)), known) {
            (Some((server, tool)), _) => named(format!("mcp__{server}__{tool}").into(), ToolKind::Mcp),
            (None, Some((_, name, kind))) => named((*name).into(), *kind),
            (None, None) => named(native_name.into(), ToolKind::Other),
        }
    }

    /// An input of theirs under our keys, or one of ours under theirs.
    ///
    /// Both ways are the same: a pair swaps its names. So a key that is called as we call another one is out of
    /// its way, what the tool reads always has the name that guards look at, and nothing is lost.
    pub(super) fn translated(&self, input: &Map<String, Value>) -> Map<String, Value> {
        let other_name = |key: &str| {
            let pairs =
                KEYS.iter().filter(|(tool, _, _)| *tool == self.native_name && self.kind != ToolKind::Mcp);
            pairs
                .flat_map(|(_, theirs, ours)| [(theirs, ours), (ours, theirs)])
                .find(|(from, _)| **from == key)
        };
        let key = |key: &String| other_name(key).map_or_else(|| key.clone(), |(_, to)| (*to).to_owned());
        input.iter().map(|(name, value)| (key(name), value.clone())).collect()
    }
}

/// Server and tool of `mcp_server_tool`. A server's name has no underscore, says Gemini CLI; where one has, the
/// payload tells it.
fn mcp_parts(native_name: &str) -> Option<(&str, &str)> {
    let (server, tool) = native_name.strip_prefix("mcp_")?.split_once('_')?;
    (!server.is_empty() && !tool.is_empty()).then_some((server, tool))
}

/// The exit code of a shell call, which stands in the text for the model: the output, then lines about how it
/// ended. A code of 0 has no line; a command that was cancelled, killed or left running has no code.
///
/// Where the output ends is told by `returnDisplay`, which repeats it, so that a command cannot print an exit
/// code. Where it is missing or another text, the last of such lines counts.
pub(super) fn exit_code(response: &Value) -> Option<i64> {
    let text = response.get("llmContent")?.as_str()?;
    let text = text.strip_prefix("<untrusted_context>\n").unwrap_or(text).strip_prefix("Output: ")?;
    let output = response.get("returnDisplay").and_then(Value::as_str).filter(|output| !output.is_empty());
    let end = match output.and_then(|output| text.strip_prefix(output)) {
        Some(end) => end,
        None => text.rfind("\nExit Code: ").map_or(text, |at| &text[at..]),
    };
    let line = |start: &str| end.lines().rev().find_map(|line| line.strip_prefix(start));
    match line("Exit Code: ") {
        Some(code) => code.trim().parse().ok(),
        None if line("Signal: ").is_some() || line("Error: ").is_some() => None,
        None => line("Process Group PGID: ").map(|_| 0),
    }
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
            ("Read", "read_file"),
            ("Grep", "grep_search"),
            ("mcp__sample__tool", "mcp_sample_tool"),
            ("Agent", "Agent"),
        ] {
            assert_eq!(native_name(name), native);
            assert_eq!(Tool::of(&native_name(name), None).name, name);
        }
    }

    #[test]
    fn a_tool_has_our_name_and_the_kind_of_what_it_does() {
        for (native, mcp, name, kind) in [
            ("run_shell_command", None, "Bash", ToolKind::Shell),
            ("write_file", None, "Write", ToolKind::Write),
            ("replace", None, "Edit", ToolKind::Edit),
            ("read_file", None, "Read", ToolKind::Read),
            ("read_many_files", None, "Read", ToolKind::Read),
            ("list_directory", None, "LS", ToolKind::Search),
            ("glob", None, "Glob", ToolKind::Search),
            ("grep_search", None, "Grep", ToolKind::Search),
            ("search_file_content", None, "Grep", ToolKind::Search),
            ("web_fetch", None, "WebFetch", ToolKind::Fetch),
            ("google_web_search", None, "WebSearch", ToolKind::Fetch),
            ("save_memory", None, "save_memory", ToolKind::Other),
            ("write_todos", None, "write_todos", ToolKind::Other),
            ("Bash", None, "Bash", ToolKind::Other),
            ("mcp_github_create_issue", None, "mcp__github__create_issue", ToolKind::Mcp),
            ("mcp_my_server_tool", Some(("my_server", "tool")), "mcp__my_server__tool", ToolKind::Mcp),
            ("run_shell_command", Some(("evil", "x")), "mcp__evil__x", ToolKind::Mcp),
            ("mcp__tool", None, "mcp__tool", ToolKind::Other),
            ("mcp_alone", None, "mcp_alone", ToolKind::Other),
            ("", None, "", ToolKind::Other),
        ] {
            let tool = Tool::of(native, mcp);
            assert_eq!((tool.name.as_ref(), tool.kind), (name, kind), "{native}");
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
                "replace",
                json!({"file_path": "a", "allow_multiple": true}),
                json!({"file_path": "a", "replace_all": true}),
            ),
            (
                "write_file",
                json!({"file_path": "a", "content": "x"}),
                json!({"file_path": "a", "content": "x"}),
            ),
            ("read_file", json!({"file_path": "a", "path": "b"}), json!({"file_path": "a", "path": "b"})),
            ("read_many_files", json!({"include": ["a"]}), json!({"paths": ["a"]})),
            ("glob", json!({"pattern": "*", "dir_path": "a"}), json!({"pattern": "*", "path": "a"})),
            // What the tool reads has the name that guards look at, whatever else the model sends.
            (
                "glob",
                json!({"path": "harmless", "dir_path": "secret"}),
                json!({"dir_path": "harmless", "path": "secret"}),
            ),
            ("grep_search", json!({"include_pattern": "*.rs"}), json!({"glob": "*.rs"})),
            ("search_file_content", json!({"include": "*.rs"}), json!({"glob": "*.rs"})),
            ("mcp_server_glob", json!({"dir_path": "a"}), json!({"dir_path": "a"})),
        ] {
            let (tool, theirs) = (Tool::of(native, None), object(&theirs));
            assert_eq!(Value::Object(tool.translated(&theirs)), ours, "{native}");
            assert_eq!(tool.translated(&object(&ours)), theirs, "{native}, and back");
        }
    }

    #[test]
    fn no_key_of_a_tool_is_in_two_pairs() {
        for (tool, _, _) in KEYS {
            let pairs = KEYS.iter().filter(|(other, _, _)| other == tool);
            let names: Vec<&str> = pairs.flat_map(|(_, theirs, ours)| [*theirs, *ours]).collect();
            let unique: std::collections::BTreeSet<&str> = names.iter().copied().collect();
            assert_eq!(unique.len(), names.len(), "{tool}");
            assert!(NAMES.iter().any(|(own, _, _)| own == tool), "{tool}");
        }
    }

    #[test]
    fn an_exit_code_is_told_only_where_it_is_known() {
        let framed = |text: &str| format!("<untrusted_context>\n{text}\n</untrusted_context>");
        for (text, display, expected) in [
            ("Output: failing\nExit Code: 3\nProcess Group PGID: 4242", "failing", Some(3)),
            ("Output: passing\nProcess Group PGID: 4242", "passing", Some(0)),
            (
                "Output: (empty)\nExit Code: 127\nProcess Group PGID: 1",
                "Command exited with code: 127",
                Some(127),
            ),
            ("Output: (empty)\nProcess Group PGID: 1", "", Some(0)),
            ("Output: x\nSignal: 9\nProcess Group PGID: 1", "x", None),
            ("Output: x\nError: spawn failed\nProcess Group PGID: 1", "x", None),
            ("Command moved to background (PID: 7). Output hidden.", "Command moved to background", None),
            ("Command was cancelled by user before it could complete.", "Command cancelled by user.", None),
            // A command cannot print the exit code it would like to have.
            ("Output: a\nExit Code: 0\nExit Code: 3\nProcess Group PGID: 1", "a\nExit Code: 0", Some(3)),
            ("Output: a\nExit Code: 3\nProcess Group PGID: 1", "a\nExit Code: 3", Some(0)),
            ("Output: a\nExit Code: x\nProcess Group PGID: 1", "a", None),
            ("", "", None),
        ] {
            for text in [text.to_owned(), framed(text)] {
                let response = json!({"llmContent": text, "returnDisplay": display});
                assert_eq!(exit_code(&response), expected, "{response}");
            }
        }
        for response in [json!(null), json!("Output: x"), json!({"llmContent": [{"text": "Output: x"}]})] {
            assert_eq!(exit_code(&response), None, "{response}");
        }
    }
}
