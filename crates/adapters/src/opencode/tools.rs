//! OpenCode's tools.

use serde_json::{Map, Value};
use tenter_contract::{ToolCall, ToolKind};

use crate::agent_spec::{AgentSpec, McpNames, Payload, Tools};
use crate::payload;

pub(super) const PATCH_KEY: &str = "patchText";

pub(super) static TOOLS: Tools = Tools {
    names: &[
        ("Bash", ToolKind::Shell, "bash"),
        ("Write", ToolKind::Write, "write"),
        ("Edit", ToolKind::Edit, "edit apply_patch patch"),
        ("MultiEdit", ToolKind::Edit, "multiedit"),
        ("Read", ToolKind::Read, "read"),
        ("LS", ToolKind::Search, "list"),
        ("Grep", ToolKind::Search, "grep"),
        ("Glob", ToolKind::Search, "glob"),
        ("codesearch", ToolKind::Search, "codesearch"),
        ("WebFetch", ToolKind::Fetch, "webfetch"),
        ("WebSearch", ToolKind::Fetch, "websearch"),
        ("Agent", ToolKind::Task, "task"),
        ("TodoWrite", ToolKind::Other, "todowrite"),
        ("Skill", ToolKind::Other, "skill"),
        ("AskUserQuestion", ToolKind::Other, "question"),
    ],
    keys: &[
        ("Write MultiEdit Read", "filePath=file_path"),
        ("Edit", "filePath=file_path oldString=old_string newString=new_string replaceAll=replace_all"),
        ("Grep", "include=glob"),
        ("Skill", "name=skill"),
    ],
    keys_of: |_, name| name,
    mcp: McpNames::Joined,
    ..Tools::NONE
};

pub(super) fn call(agent: &AgentSpec, payload: &Payload<'_>, _event: &str) -> Option<ToolCall> {
    let name = payload.word(agent.fields.tool_name)?;
    Some(read_call(name, payload.word(&["mcp_server"]), payload.value(agent.fields.tool_input)))
}

fn read_call(native_name: &str, mcp_server: Option<&str>, input: Option<&Value>) -> ToolCall {
    let input = payload::input_object(input);
    if let Some(name) = mcp_server.and_then(|server| mcp_name(native_name, server)) {
        return TOOLS.call_named(native_name, &name, ToolKind::Mcp, input);
    }
    let (name, kind) = TOOLS.name_and_kind(native_name, None);
    if kind == ToolKind::Edit && input.get(PATCH_KEY).is_some_and(|patch| !patch.is_null()) {
        return ToolCall::from_patch(native_name, PATCH_KEY, input);
    }
    TOOLS.call_named(native_name, &name, kind, input)
}

/// Claude Code's name of a server's tool, which OpenCode calls `server_tool`.
fn mcp_name(native_name: &str, server: &str) -> Option<String> {
    let plain: String = server
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' })
        .collect();
    let tool = native_name.strip_prefix(plain.as_str())?.strip_prefix('_')?;
    Some(format!("mcp__{plain}__{tool}"))
}

/// An input of ours under OpenCode's keys.
pub(super) fn native_input(call: &ToolCall, input: &Map<String, Value>) -> Map<String, Value> {
    if call.patch_key.is_none() {
        return TOOLS.native_input(call, input);
    }
    // The first file is there for hooks alone.
    let keys = input.iter().filter(|(key, _)| key.as_str() != "file_path");
    keys.map(|(key, value)| (key.clone(), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tenter_contract::ports::AgentAdapter;

    use super::*;
    use crate::opencode::OPENCODE;

    #[test]
    fn tools_have_our_names_and_keys() {
        for (native, theirs, name, ours) in [
            ("bash", json!({"command": "ls"}), "Bash", json!({"command": "ls"})),
            (
                "write",
                json!({"filePath": "a", "content": "x"}),
                "Write",
                json!({"file_path": "a", "content": "x"}),
            ),
            // What the tool reads has the name that guards look at, whatever else the model sends.
            (
                "edit",
                json!({"file_path": "harmless", "filePath": "secret", "oldString": "a", "newString": "b"}),
                "Edit",
                json!({"filePath": "harmless", "file_path": "secret", "old_string": "a", "new_string": "b"}),
            ),
            ("read", json!({"filePath": "a"}), "Read", json!({"file_path": "a"})),
            (
                "grep",
                json!({"pattern": "x", "include": "*.rs"}),
                "Grep",
                json!({"pattern": "x", "glob": "*.rs"}),
            ),
            ("task", json!({"prompt": "p"}), "Agent", json!({"prompt": "p"})),
            ("plan_exit", json!({"filePath": "a"}), "plan_exit", json!({"filePath": "a"})),
        ] {
            let call = read_call(native, None, Some(&theirs));
            assert_eq!((call.name.as_str(), call.native_name.as_str()), (name, native));
            assert_eq!(Value::Object(call.input.clone()), ours, "{native}");
            assert_eq!(Value::Object(native_input(&call, &call.input)), theirs, "{native}, and back");
        }
    }

    #[test]
    fn mcp_tools_are_known_by_their_server() {
        for (native, server, name, kind) in [
            ("git_hub_search", Some("git_hub"), "mcp__git_hub__search", ToolKind::Mcp),
            ("my_notes_add", Some("my notes"), "mcp__my_notes__add", ToolKind::Mcp),
            ("other_add", Some("my notes"), "other_add", ToolKind::Other),
            ("my_notes_add", None, "my_notes_add", ToolKind::Other),
        ] {
            let call = read_call(native, server, None);
            assert_eq!((call.name.as_str(), call.kind), (name, kind));
        }
        assert_eq!(OPENCODE.native_tool_name("mcp__git_hub__search"), "git_hub_search");
    }

    #[test]
    fn patch_keeps_its_key() {
        let patch = json!({"patchText": "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n@@\n+y\n*** End Patch"});
        let call = read_call("apply_patch", None, Some(&patch));
        assert_eq!(call.paths, ["a", "b"]);
        assert_eq!(call.names().filter(|name| *name == "Write").count(), 1);
        assert_eq!(Value::Object(native_input(&call, &call.input)), patch);
    }
}
