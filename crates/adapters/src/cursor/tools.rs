//! Cursor's tools. Hooks know both of its keys for paths, `file_path` and `path`.

use tenter_contract::{ToolCall, ToolKind};

use crate::agent_spec::{AgentSpec, McpNames, Payload, Tools, documented_call, documented_call_of};

pub(super) static TOOLS: Tools = Tools {
    names: &[
        ("Bash", ToolKind::Shell, "Shell"),
        ("Write", ToolKind::Write, "Write"),
        ("Read", ToolKind::Read, "Read"),
        // Rules about edits hold for it.
        ("Delete", ToolKind::Edit, "Delete"),
        ("Grep", ToolKind::Search, "Grep"),
        ("LS", ToolKind::Search, "List"),
        ("WebFetch", ToolKind::Fetch, "WebFetch"),
        ("WebSearch", ToolKind::Fetch, "WebSearch"),
        ("Agent", ToolKind::Task, "Task"),
    ],
    mcp: McpNames::Colon,
    ..Tools::DOCUMENTED
};

/// The call of a payload. Some events are about one tool and have its input at the top.
pub(super) fn call(agent: &AgentSpec, payload: &Payload<'_>, event: &str) -> Option<ToolCall> {
    let call = |name: &str, keys: &[&str]| {
        let input = keys.iter().filter_map(|key| Some(((*key).to_owned(), payload.top.get(*key)?.clone())));
        Some(TOOLS.call(name, None, input.collect()))
    };
    match event {
        "beforeShellExecution" | "afterShellExecution" => call("Shell", &["command", "cwd"]),
        "beforeReadFile" => call("Read", &["file_path"]),
        "afterFileEdit" => call("Write", &["file_path", "edits"]),
        "beforeMCPExecution" | "afterMCPExecution" => documented_call_of(agent, payload, true),
        _ => documented_call(agent, payload, event),
    }
}
