//! Gemini CLI's tools.

use serde_json::Value;
use tenter_contract::{ToolCall, ToolKind};

use crate::agent_spec::{AgentSpec, McpNames, Payload, Tools, named_call};
use crate::payload;

/// Calls of the first four are recorded; the others are named as Gemini CLI declares them to its model.
pub(super) static TOOLS: Tools = Tools {
    names: &[
        ("Bash", ToolKind::Shell, "run_shell_command"),
        ("Write", ToolKind::Write, "write_file"),
        ("Edit", ToolKind::Edit, "replace"),
        ("Read", ToolKind::Read, "read_file read_many_files"),
        ("LS", ToolKind::Search, "list_directory"),
        ("Glob", ToolKind::Search, "glob"),
        ("Grep", ToolKind::Search, "grep_search search_file_content grep"),
        ("WebFetch", ToolKind::Fetch, "web_fetch"),
        ("WebSearch", ToolKind::Fetch, "google_web_search"),
    ],
    keys: &[
        ("run_shell_command", "is_background=run_in_background"),
        ("replace", "allow_multiple=replace_all"),
        ("read_many_files", "include=paths"),
        ("list_directory glob", "dir_path=path"),
        ("grep_search", "dir_path=path include_pattern=glob"),
        ("search_file_content grep", "dir_path=path include=glob"),
    ],
    mcp: McpNames::Underscores,
    exit_code,
    ..Tools::NONE
};

/// The call of a payload. A server's name may have an underscore; then only the payload separates server and tool.
pub(super) fn call(agent: &AgentSpec, payload: &Payload<'_>, event: &str) -> Option<ToolCall> {
    let word = |key: &str| payload.word(&[key]);
    match (word("/mcp_context/server_name"), word("/mcp_context/tool_name")) {
        (Some(server), Some(tool)) => {
            let input = payload::input_object(payload.value(&["tool_input"]));
            let name = format!("mcp__{server}__{tool}");
            Some(TOOLS.call_named(word("tool_name")?, &name, ToolKind::Mcp, input))
        }
        _ => named_call(agent, payload, event),
    }
}

/// The exit code of a shell call. The text for the model has the output, then lines about its end. A code of 0 has no
/// line; a command that was cancelled, killed or left running has no code.
///
/// `returnDisplay` repeats the output and so shows its end: a command cannot print an exit code. If it is missing or
/// differs, the last such line counts.
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
    use serde_json::{Map, json};
    use tenter_contract::ports::AgentAdapter;

    use super::*;
    use crate::agent_spec::has_word;
    use crate::gemini::GEMINI;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn our_names_lead_back_to_the_tools() {
        for (name, native) in [
            ("Bash", "run_shell_command"),
            ("Read", "read_file"),
            ("Grep", "grep_search"),
            ("mcp__sample__tool", "mcp_sample_tool"),
            ("Agent", "Agent"),
        ] {
            assert_eq!(GEMINI.native_tool_name(name), native);
            assert_eq!(TOOLS.name_and_kind(native, None).0, name);
        }
    }

    #[test]
    fn tools_have_our_names_and_kinds() {
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
        ] {
            let mut payload = object(&json!({"tool_name": native}));
            if let Some((server, tool)) = mcp {
                payload.insert("mcp_context".to_owned(), json!({"server_name": server, "tool_name": tool}));
            }
            let tool = call(&GEMINI, &Payload { top: &payload, nested: None }, "").unwrap();
            assert_eq!((tool.name.as_str(), tool.kind), (name, kind), "{native}");
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
            let call = TOOLS.call(native, None, object(&theirs));
            assert_eq!(Value::Object(call.input.clone()), ours, "{native}");
            assert_eq!(Value::Object(TOOLS.native_input(&call, &call.input)), theirs, "{native}, and back");
        }
    }

    #[test]
    fn keys_occur_in_one_pair() {
        for (tools, pairs) in TOOLS.keys {
            let names: Vec<&str> = pairs.split([' ', '=']).collect();
            let unique: std::collections::BTreeSet<&str> = names.iter().copied().collect();
            assert_eq!(unique.len(), names.len(), "{tools}");
            for tool in tools.split(' ') {
                assert_eq!(TOOLS.keys.iter().filter(|(other, _)| has_word(other, tool)).count(), 1, "{tool}");
                assert!(TOOLS.names.iter().any(|(_, _, own)| has_word(own, tool)), "{tool}");
            }
        }
    }

    #[test]
    fn exit_code_is_read_only_if_known() {
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
