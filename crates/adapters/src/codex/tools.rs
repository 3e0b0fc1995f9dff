//! Codex CLI's tools.

use serde_json::{Map, Value};
use tenter_contract::{ToolCall, ToolKind};

use crate::agent_spec::{McpNames, Tools};

pub(super) const PATCH_KEY: &str = "command";

/// Every tool that runs a command is sent as `Bash`.
pub(super) static TOOLS: Tools = Tools {
    names: &[
        ("Bash", ToolKind::Shell, "Bash"),
        ("Read", ToolKind::Read, "view_image"),
        ("Agent", ToolKind::Task, "spawn_agent"),
        ("Write", ToolKind::Write, "apply_patch"),
        ("Edit", ToolKind::Edit, "apply_patch"),
        ("MultiEdit", ToolKind::Edit, "apply_patch"),
    ],
    keys: &[("spawn_agent", "message=prompt")],
    patches: &[("apply_patch", PATCH_KEY)],
    mcp: McpNames::Prefixed,
    ..Tools::NONE
};

/// An input of ours in Codex' form. Of a command it is the text alone.
pub(super) fn native_input(call: &ToolCall, input: &Map<String, Value>) -> Map<String, Value> {
    let mut native = TOOLS.native_input(call, input);
    if call.kind == ToolKind::Shell {
        native.retain(|key, _| key == "command");
    }
    native
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tenter_contract::ports::AgentAdapter;

    use super::*;
    use crate::codex::CODEX;

    fn object(value: &Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn tools_have_our_names_and_kinds() {
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
            let call = TOOLS.call(native, None, Map::new());
            assert_eq!((call.name.as_str(), call.kind, call.native_name.as_str()), (name, kind, native));
        }
        for (name, native) in
            [("Bash", "Bash"), ("Edit", "apply_patch"), ("Agent", "spawn_agent"), ("X", "X")]
        {
            assert_eq!(CODEX.native_tool_name(name), native);
        }
    }

    #[test]
    fn native_input_has_codex_keys() {
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
            let call = TOOLS.call(native, None, object(&theirs));
            assert_eq!(Value::Object(call.input.clone()), ours, "{native}");
            assert_eq!(Value::Object(native_input(&call, &call.input)), theirs, "{native}, and back");
        }
    }
}
