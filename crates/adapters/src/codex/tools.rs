//! Codex CLI's tools: what we call each, what it does, and what its keys are called.

use std::borrow::Cow;

use serde_json::{Map, Value};
use tenter_contract::{ToolCall, ToolKind};

/// The tool that changes files.
const PATCH: &str = "apply_patch";

/// The key under which its patch stands.
pub(super) const PATCH_KEY: &str = "command";

/// Its own name, ours, and what the tool does. Whatever runs a command is told as `Bash`.
const NAMES: &[(&str, &str, ToolKind)] = &[
    ("Bash", "Bash", ToolKind::Shell),
    ("view_image", "Read", ToolKind::Read),
    ("spawn_agent", "Agent", ToolKind::Task),
];

/// A key that is not the same: whose, theirs, and ours.
const KEYS: &[(&str, &str, &str)] = &[("spawn_agent", "message", "prompt")];

/// A call by our names.
pub(super) fn call(native_name: &str, input: Map<String, Value>) -> ToolCall {
    if native_name == PATCH {
        return ToolCall::of_patch(native_name, PATCH_KEY, input);
    }
    let known = NAMES.iter().find(|(own, _, _)| *own == native_name);
    let (name, kind) = match known {
        Some((_, name, kind)) => (*name, *kind),
        None if native_name.starts_with("mcp__") => (native_name, ToolKind::Mcp),
        None => (native_name, ToolKind::Other),
    };
    let input = translated(native_name, &input);
    ToolCall { native_name: native_name.to_owned(), ..ToolCall::new(name, kind, input) }
}

/// An input of ours as Codex takes it. Of a command or a patch that is the text alone.
pub(super) fn native_input(call: &ToolCall, input: &Map<String, Value>) -> Map<String, Value> {
    let only = if call.kind == ToolKind::Shell { Some("command") } else { call.patch_key.as_deref() };
    match only {
        Some(key) => input
            .iter()
            .filter(|(name, _)| *name == key)
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect(),
        None => translated(&call.native_name, input),
    }
}

/// Its own name of a tool that we call so.
pub(super) fn native_name(name: &str) -> Cow<'_, str> {
    match name {
        "Write" | "Edit" | "MultiEdit" => PATCH.into(),
        _ => NAMES.iter().find(|(_, ours, _)| *ours == name).map_or(name.into(), |(own, _, _)| (*own).into()),
    }
}

/// An input of theirs under our keys, or one of ours under theirs: a pair swaps its names, so that both ways are
/// the same and nothing is lost.
fn translated(native_name: &str, input: &Map<String, Value>) -> Map<String, Value> {
    let other_name = |key: &str| {
        let pairs = KEYS.iter().filter(|(tool, _, _)| *tool == native_name);
        pairs.flat_map(|(_, theirs, ours)| [(theirs, ours), (ours, theirs)]).find(|(from, _)| **from == key)
    };
    let key = |key: &String| other_name(key).map_or_else(|| key.clone(), |(_, to)| (*to).to_owned());
    input.iter().map(|(name, value)| (key(name), value.clone())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn a_tool_has_our_name_and_the_kind_of_what_it_does() {
        for (native, name, kind) in [
            ("Bash", "Bash", ToolKind::Shell),
            ("apply_patch", "Edit", ToolKind::Edit),
            ("spawn_agent", "Agent", ToolKind::Task),
            ("view_image", "Read", ToolKind::Read),
            ("mcp__files__read", "mcp__files__read", ToolKind::Mcp),
            ("multi_agent_v1wait_agent", "multi_agent_v1wait_agent", ToolKind::Other),
            ("update_plan", "update_plan", ToolKind::Other),
            ("bash", "bash", ToolKind::Other),
            ("", "", ToolKind::Other),
        ] {
            let call = call(native, Map::new());
            assert_eq!((call.name.as_str(), call.kind, call.native_name.as_str()), (name, kind, native));
        }
        for (name, native) in
            [("Bash", "Bash"), ("Edit", "apply_patch"), ("Agent", "spawn_agent"), ("X", "X")]
        {
            assert_eq!(native_name(name), native);
        }
    }

    #[test]
    fn an_input_goes_back_as_codex_takes_it() {
        let patch = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch";
        for (native, theirs, ours) in [
            ("Bash", json!({"command": "ls"}), json!({"command": "ls"})),
            (
                "apply_patch",
                json!({"command": patch}),
                json!({"command": patch, "file_path": "a", "content": "x\n"}),
            ),
            ("spawn_agent", json!({"message": "go"}), json!({"prompt": "go"})),
            (
                "spawn_agent",
                json!({"prompt": "no", "message": "go"}),
                json!({"message": "no", "prompt": "go"}),
            ),
            ("mcp__a__b", json!({"message": "m"}), json!({"message": "m"})),
        ] {
            let call = call(native, object(&theirs));
            assert_eq!(Value::Object(call.input.clone()), ours, "{native}");
            assert_eq!(Value::Object(native_input(&call, &call.input)), theirs, "{native}, and back");
        }
    }
}
