//! Copilot CLI's tools.

use serde_json::{Map, Value, json};
use tenter_contract::{ToolCall, ToolKind};

use crate::agent_spec::{AgentSpec, McpNames, Payload, Tools};
use crate::payload;

/// Our key of a patch. Copilot sends its text instead of an object.
pub(super) const PATCH_KEY: &str = "patch";

/// Our names are also its own, with events in Pascal case.
pub(super) static TOOLS: Tools = Tools {
    names: &[
        ("Bash", ToolKind::Shell, "bash"),
        ("PowerShell", ToolKind::Shell, "powershell"),
        ("Write", ToolKind::Write, "create"),
        ("Edit", ToolKind::Edit, "edit apply_patch"),
        ("Read", ToolKind::Read, "view"),
        ("Grep", ToolKind::Search, "grep rg"),
        ("Glob", ToolKind::Search, "glob"),
        ("WebFetch", ToolKind::Fetch, "web_fetch"),
        ("WebSearch", ToolKind::Fetch, "web_search"),
        ("Agent", ToolKind::Task, "task"),
    ],
    uses_our_names: true,
    keys: &[
        ("Write", "path=file_path file_text=content"),
        ("Edit", "path=file_path old_str=old_string new_str=new_string"),
        ("Read", "path=file_path"),
        ("Agent", "agent_type=subagent_type"),
    ],
    keys_of: |_, name| name,
    mcp: McpNames::Prefixed,
    exit_code,
    ..Tools::NONE
};

/// The call of a payload. At a permission request its keys are ours already.
pub(super) fn call(agent: &AgentSpec, payload: &Payload<'_>, event: &str) -> Option<ToolCall> {
    let name = payload.word(agent.fields.tool_name)?;
    let input = payload.value(agent.fields.tool_input);
    if event.eq_ignore_ascii_case("permissionRequest") {
        let (ours, kind) = TOOLS.name_and_kind(name, None);
        let call = ToolCall::new(&ours, kind, payload::input_object(input));
        return Some(ToolCall { native_name: name.to_owned(), ..call });
    }
    Some(read_call(name, input))
}

fn read_call(native_name: &str, input: Option<&Value>) -> ToolCall {
    let (name, kind) = TOOLS.name_and_kind(native_name, None);
    match input {
        Some(Value::String(patch)) if kind == ToolKind::Edit || kind == ToolKind::Write => {
            let input = Map::from_iter([(PATCH_KEY.to_owned(), Value::from(patch.as_str()))]);
            ToolCall::from_patch(native_name, PATCH_KEY, input)
        }
        _ => TOOLS.call_named(native_name, &name, kind, payload::input_object(input)),
    }
}

/// An input of ours in Copilot's form: an object under its keys, or the text of a patch.
pub(super) fn native_input(call: &ToolCall, input: &Map<String, Value>) -> Value {
    match &call.patch_key {
        Some(key) => input.get(key).cloned().unwrap_or_default(),
        None => TOOLS.native_input(call, input).into(),
    }
}

/// The text of a result, in either spelling.
fn text_of(result: &Value) -> Option<&str> {
    result.get("textResultForLlm").or_else(|| result.get("text_result_for_llm"))?.as_str()
}

/// The exit code of a shell call: the last line of its text, after the output.
fn exit_code(result: &Value) -> Option<i64> {
    let line = text_of(result)?.trim_end().lines().next_back()?;
    let (_, code) = line.strip_prefix("<shellId: ")?.rsplit_once(" completed with exit code ")?;
    code.strip_suffix('>')?.parse().ok()
}

/// A changed result in Copilot's form. Text of the old one comes back only if the hook kept it.
pub(super) fn complete_output(old: Option<&Value>, new: &Value) -> Value {
    let kind = |result: &Value| {
        Some(result.get("resultType").or_else(|| result.get("result_type"))?.as_str()?.to_owned())
    };
    let text = match new {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Object(_) => text_of(new).map_or_else(|| new.to_string(), str::to_owned),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => new.to_string(),
    };
    let kind = kind(new).or_else(|| old.and_then(kind)).unwrap_or_else(|| "success".to_owned());
    json!({"resultType": kind, "textResultForLlm": text})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_known_by_either_name() {
        for (native, theirs, name, ours) in [
            ("bash", json!({"command": "ls"}), "Bash", json!({"command": "ls"})),
            ("Bash", json!({"command": "ls"}), "Bash", json!({"command": "ls"})),
            (
                "create",
                json!({"path": "a", "file_text": "x"}),
                "Write",
                json!({"file_path": "a", "content": "x"}),
            ),
            (
                "Write",
                json!({"path": "a", "file_text": "x"}),
                "Write",
                json!({"file_path": "a", "content": "x"}),
            ),
            // What the tool reads has the name that guards look at, whatever else the model sends.
            (
                "edit",
                json!({"file_path": "harmless", "path": "secret", "old_str": "a"}),
                "Edit",
                json!({"path": "harmless", "file_path": "secret", "old_string": "a"}),
            ),
            ("view", json!({"path": "a"}), "Read", json!({"file_path": "a"})),
            ("rg", json!({"pattern": "x", "path": "a"}), "Grep", json!({"pattern": "x", "path": "a"})),
            (
                "task",
                json!({"prompt": "p", "agent_type": "t"}),
                "Agent",
                json!({"prompt": "p", "subagent_type": "t"}),
            ),
            ("sql", json!({"path": "a"}), "sql", json!({"path": "a"})),
        ] {
            let call = read_call(native, Some(&theirs));
            assert_eq!((call.name.as_str(), call.native_name.as_str()), (name, native));
            assert_eq!(Value::Object(call.input.clone()), ours, "{native}");
            assert_eq!(native_input(&call, &call.input), theirs, "{native}, and back");
        }
    }

    #[test]
    fn patch_stays_a_text() {
        let patch = json!("*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n@@\n+y\n*** End Patch");
        for native in ["apply_patch", "Edit"] {
            let call = read_call(native, Some(&patch));
            assert_eq!(call.paths, ["a", "b"]);
            assert_eq!(call.names().filter(|name| *name == "Write").count(), 1);
            assert_eq!(native_input(&call, &call.input), patch);
        }
    }

    #[test]
    fn exit_code_is_the_last_line() {
        for (text, expected) in [
            ("failing\n<shellId: 0 completed with exit code 3>", Some(3)),
            ("<shellId: 12 completed with exit code 0>\n", Some(0)),
            ("<shellId: 0 completed with exit code 0>\n<shellId: 1 completed with exit code 7>", Some(7)),
            ("<shellId: 0 completed with exit code 0>\nmore", None),
            ("<shellId: 0 is still running>", None),
            ("", None),
        ] {
            for key in ["textResultForLlm", "text_result_for_llm"] {
                assert_eq!(exit_code(&json!({ key: text })), expected, "{text}");
            }
        }
        assert_eq!(exit_code(&json!("x")), None);
    }

    #[test]
    fn changed_result_is_complete() {
        let old = json!({"resultType": "failure", "textResultForLlm": "SECRET"});
        for (new, kind, text) in [
            (json!("clean"), "failure", "clean"),
            (json!(null), "failure", ""),
            (json!({"text_result_for_llm": "clean", "result_type": "success"}), "success", "clean"),
            (json!({"stdout": "clean"}), "failure", "{\"stdout\":\"clean\"}"),
        ] {
            let result = complete_output(Some(&old), &new);
            assert_eq!(result, json!({"resultType": kind, "textResultForLlm": text}));
        }
    }
}
