//! OpenCode's tools: what we call each, what it does, and what its keys are called.

use std::borrow::Cow;

use serde_json::{Map, Value};
use tenter_contract::{ToolCall, ToolKind};

use crate::door;

/// The key under which `apply_patch` takes its patch.
pub(super) const PATCH_KEY: &str = "patchText";

/// Its own name, ours, and what the tool does.
const NAMES: &[(&str, &str, ToolKind)] = &[
    ("bash", "Bash", ToolKind::Shell),
    ("write", "Write", ToolKind::Write),
    ("edit", "Edit", ToolKind::Edit),
    ("multiedit", "MultiEdit", ToolKind::Edit),
    ("apply_patch", "Edit", ToolKind::Edit),
    ("patch", "Edit", ToolKind::Edit),
    ("read", "Read", ToolKind::Read),
    ("list", "LS", ToolKind::Search),
    ("grep", "Grep", ToolKind::Search),
    ("glob", "Glob", ToolKind::Search),
    ("codesearch", "codesearch", ToolKind::Search),
    ("webfetch", "WebFetch", ToolKind::Fetch),
    ("websearch", "WebSearch", ToolKind::Fetch),
    ("task", "Agent", ToolKind::Task),
    ("todowrite", "TodoWrite", ToolKind::Other),
    ("skill", "Skill", ToolKind::Other),
    ("question", "AskUserQuestion", ToolKind::Other),
];

/// Keys that are not the same: of which tool of ours, theirs, and ours.
const KEYS: &[(&str, &str, &str)] = &[
    ("Write", "filePath", "file_path"),
    ("Edit", "filePath", "file_path"),
    ("Edit", "oldString", "old_string"),
    ("Edit", "newString", "new_string"),
    ("Edit", "replaceAll", "replace_all"),
    ("MultiEdit", "filePath", "file_path"),
    ("Read", "filePath", "file_path"),
    ("Grep", "include", "glob"),
    ("Skill", "name", "skill"),
];

/// A call by our names and under our keys.
pub(super) fn call(native_name: &str, mcp_server: Option<&str>, input: Option<&Value>) -> ToolCall {
    let input = door::input(input);
    if let Some(name) = mcp_server.and_then(|server| mcp_name(native_name, server)) {
        return ToolCall {
            native_name: native_name.to_owned(),
            ..ToolCall::new(&name, ToolKind::Mcp, input)
        };
    }
    let row = NAMES.iter().find(|(own, _, _)| *own == native_name);
    let (name, kind) = row.map_or((native_name, ToolKind::Other), |(_, ours, kind)| (*ours, *kind));
    if kind == ToolKind::Edit && input.get(PATCH_KEY).is_some_and(|patch| !patch.is_null()) {
        return ToolCall::of_patch(native_name, PATCH_KEY, input);
    }
    ToolCall { native_name: native_name.to_owned(), ..ToolCall::new(name, kind, translated(name, &input)) }
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

/// An input of ours under its own keys.
pub(super) fn native_input(call: &ToolCall, input: &Map<String, Value>) -> Map<String, Value> {
    if call.kind == ToolKind::Mcp {
        return input.clone();
    }
    if call.patch_key.is_none() {
        return translated(&call.name, input);
    }
    // The first file stands there for hooks alone.
    let keys = input.iter().filter(|(key, _)| key.as_str() != "file_path");
    keys.map(|(key, value)| (key.clone(), value.clone())).collect()
}

/// Its own name of a tool that we call so; the first in the table where it has several.
pub(super) fn native_name(name: &str) -> Cow<'_, str> {
    if let Some((server, tool)) = name.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        return format!("{server}_{tool}").into();
    }
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_has_our_name_and_keys_and_gets_its_own_back() {
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
            let call = call(native, None, Some(&theirs));
            assert_eq!((call.name.as_str(), call.native_name.as_str()), (name, native));
            assert_eq!(Value::Object(call.input.clone()), ours, "{native}");
            assert_eq!(Value::Object(native_input(&call, &call.input)), theirs, "{native}, and back");
        }
    }

    #[test]
    fn a_tool_of_a_server_is_known_by_what_the_plugin_says() {
        for (native, server, name, kind) in [
            ("git_hub_search", Some("git_hub"), "mcp__git_hub__search", ToolKind::Mcp),
            ("my_notes_add", Some("my notes"), "mcp__my_notes__add", ToolKind::Mcp),
            ("other_add", Some("my notes"), "other_add", ToolKind::Other),
            ("my_notes_add", None, "my_notes_add", ToolKind::Other),
        ] {
            let call = call(native, server, None);
            assert_eq!((call.name.as_str(), call.kind), (name, kind));
        }
        assert_eq!(native_name("mcp__git_hub__search"), "git_hub_search");
    }

    #[test]
    fn a_patch_keeps_its_key_and_gains_none() {
        let patch = json!({"patchText": "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n@@\n+y\n*** End Patch"});
        let call = call("apply_patch", None, Some(&patch));
        assert_eq!(call.paths, ["a", "b"]);
        assert_eq!(call.names().filter(|name| *name == "Write").count(), 1);
        assert_eq!(Value::Object(native_input(&call, &call.input)), patch);
    }
}
