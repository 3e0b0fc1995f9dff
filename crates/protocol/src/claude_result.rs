//! A tool's result as scripts for Claude Code look for it, of any agent.

use serde_json::{Value, json};
use tenter_contract::{ToolCall, ToolKind};

/// The value of `tool_response`. For a shell call whose agent sends only a text it is Claude Code's object with
/// that text as `stdout`, and the exit code where it is known; the agent's own stays in `tool.output`. An object is
/// left as it is: which of its keys has what was printed, its agent alone knows.
pub(crate) fn tool_response(tool: &ToolCall) -> Option<Value> {
    match (&tool.output, tool.kind) {
        (Some(Value::String(text)), ToolKind::Shell) => {
            let mut object = json!({"stdout": text, "stderr": "", "interrupted": false, "isImage": false});
            if let Some(code) = tool.exit_code {
                object["exit_code"] = Value::from(code);
            }
            Some(object)
        }
        (output, _) => output.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Map;

    use super::*;

    #[test]
    fn shell_text_is_standard_output() {
        let shell = |exit_code| {
            json!({"stdout": "x\n", "stderr": "", "interrupted": false, "isImage": false,
            "exit_code": exit_code})
        };
        for (kind, output, expected) in [
            (ToolKind::Shell, json!("x\n"), shell(3)),
            (ToolKind::Shell, json!({"stdout": "x"}), json!({"stdout": "x"})),
            (ToolKind::Shell, json!({"llmContent": "x"}), json!({"llmContent": "x"})),
            (ToolKind::Read, json!("x"), json!("x")),
        ] {
            let call = ToolCall {
                output: Some(output.clone()),
                exit_code: Some(3),
                ..ToolCall::new("any", kind, Map::new())
            };
            assert_eq!(tool_response(&call), Some(expected), "{kind:?} {output}");
        }
        assert_eq!(tool_response(&ToolCall::new("Bash", ToolKind::Shell, Map::new())), None);
    }
}
