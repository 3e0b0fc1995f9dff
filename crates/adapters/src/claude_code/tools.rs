//! Claude Code's tools, and the shape of a changed result.

use serde_json::{Map, Value, json};
use tenter_contract::{ToolCall, ToolKind};

use crate::agent_spec::{McpNames, Tools};

/// Its names are the canonical ones. `BashOutput`, `KillShell` and the like run nothing.
pub(super) static TOOLS: Tools = Tools {
    names: &[
        ("Bash", ToolKind::Shell, "Bash"),
        ("Edit", ToolKind::Edit, "Edit"),
        ("Read", ToolKind::Read, "Read"),
        ("Write", ToolKind::Write, "Write"),
        ("Grep", ToolKind::Search, "Grep"),
        ("Glob", ToolKind::Search, "Glob"),
        ("LS", ToolKind::Search, "LS"),
        ("PowerShell", ToolKind::Shell, "PowerShell"),
        ("MultiEdit", ToolKind::Edit, "MultiEdit"),
        ("NotebookEdit", ToolKind::Edit, "NotebookEdit"),
        ("NotebookRead", ToolKind::Read, "NotebookRead"),
        ("WebFetch", ToolKind::Fetch, "WebFetch"),
        ("WebSearch", ToolKind::Fetch, "WebSearch"),
        ("Task", ToolKind::Task, "Task"),
        ("Agent", ToolKind::Task, "Agent"),
    ],
    mcp: McpNames::Prefixed,
    ..Tools::NONE
};

/// The exit code of a shell call that did not fail. The payload has none, and there is no other way to learn
/// it: a call that is still running, was interrupted, or ended with a code that its program does not mean as
/// a failure (`grep` without a match) is not known to be 0.
pub(super) fn exit_code_of_success(response: Option<&Value>) -> Option<i64> {
    let field = |key: &str| response.and_then(|response| response.get(key));
    let unsure = field("interrupted").and_then(Value::as_bool) == Some(true)
        || field("backgroundTaskId").is_some_and(|id| !id.is_null())
        || field("returnCodeInterpretation").is_some_and(|meaning| !meaning.is_null());
    (!unsure).then_some(0)
}

/// The exit code of a failed shell call, whose error begins with `Exit code 3`.
pub(super) fn exit_code_of_failure(error: &str) -> Option<i64> {
    let line = error.lines().next()?;
    line.strip_prefix("Exit code ")?.trim().parse().ok()
}

/// A changed result in the shape Claude Code wants: it ignores one that is not complete, and shows the model
/// the original.
///
/// For a shell call every value is made complete. Text of the old result comes back only where the hook
/// kept it: what it left out may be the very thing it wanted to hide. Results of other tools have shapes of
/// their own and are passed on as they are.
pub(super) fn complete_output(call: Option<&ToolCall>, old: Option<&Value>, new: &Value) -> Value {
    match call.map(|call| call.kind) {
        Some(ToolKind::Shell) => Value::Object(shell_output(old, new)),
        _ => new.clone(),
    }
}

/// Replaces a denied result; the model gets the reason separately.
const WITHHELD: &str = "[A hook has withheld this result.]";

/// A result of the same shape without content, for the shapes that Claude Code was seen to accept with a deny: `Bash`,
/// `Read` of text, and MCP tools. Only the path that the model asked for is copied. None for another shape: Claude Code
/// would ignore it and show the model the original.
pub(super) fn withheld(call: Option<&ToolCall>, old: Option<&Value>) -> Option<Value> {
    let (call, old) = (call?, old?);
    match call.kind {
        ToolKind::Shell if call.native_name == "Bash" && old.get("stdout")?.is_string() => {
            Some(Value::Object(shell_output(Some(old), &Value::from(WITHHELD))))
        }
        ToolKind::Read if call.native_name == "Read" && old.get("type")? == "text" => {
            let path = old.pointer("/file/filePath")?.as_str()?;
            let file = old.get("file")?.as_object()?;
            let known = ["filePath", "content", "numLines", "startLine", "totalLines"];
            let whole = file.len() == known.len() && known.iter().all(|key| file.contains_key(*key));
            whole.then(|| {
                json!({"type": "text", "file": {"filePath": path, "content": WITHHELD, "numLines": 1,
                    "startLine": 1, "totalLines": 1}})
            })
        }
        ToolKind::Mcp => {
            let parts = old.as_array().filter(|parts| !parts.is_empty())?;
            let is_part = |part: &Value| part.get("type").is_some_and(Value::is_string);
            parts.iter().all(is_part).then(|| json!([{"type": "text", "text": WITHHELD}]))
        }
        _ => None,
    }
}

fn shell_output(old: Option<&Value>, new: &Value) -> Map<String, Value> {
    let interrupted = old.and_then(|old| old.get("interrupted")).and_then(Value::as_bool);
    let mut whole = Map::new();
    whole.insert("stdout".to_owned(), Value::from(""));
    whole.insert("stderr".to_owned(), Value::from(""));
    whole.insert("interrupted".to_owned(), Value::from(interrupted.unwrap_or_default()));
    whole.insert("isImage".to_owned(), Value::from(false));
    let Value::Object(fields) = new else {
        whole.insert("stdout".to_owned(), Value::from(as_text(new)));
        return whole;
    };
    for (key, value) in fields {
        let kept = match key.as_str() {
            "stdout" | "stderr" => Some(Value::from(as_text(value))),
            "interrupted" | "isImage" => value.is_boolean().then(|| value.clone()),
            _ => Some(value.clone()),
        };
        whole.extend(kept.map(|value| (key.clone(), value)));
    }
    whole
}

fn as_text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn withheld_result_keeps_shape_without_content() {
        let text = |response: Value| json!({"type": "text", "file": response});
        let read =
            json!({"filePath": "/a", "content": "SECRET", "numLines": 2, "startLine": 1, "totalLines": 2});
        let mut wider = read.clone();
        wider["originalContent"] = json!("SECRET");
        for (name, old, shape) in [
            (
                "Bash",
                json!({"stdout": "SECRET", "stderr": "SECRET", "interrupted": false, "isImage": false,
                "persistedOutputPath": "/SECRET"}),
                Some("interrupted isImage stderr stdout"),
            ),
            ("Read", text(read.clone()), Some("file type")),
            (
                "mcp__a__b",
                json!([{"type": "text", "text": "SECRET"}, {"type": "image", "data": "SECRET"}]),
                Some(""),
            ),
            ("Read", text(wider), None),
            ("Read", json!({"type": "image", "file": {"base64": "SECRET"}}), None),
            ("Read", json!("SECRET"), None),
            ("PowerShell", json!({"stdout": "SECRET"}), None),
            ("Bash", json!("SECRET"), None),
            ("mcp__a__b", json!("SECRET"), None),
            ("mcp__a__b", json!({"structuredContent": "SECRET"}), None),
            ("Grep", json!({"mode": "content", "content": "SECRET"}), None),
            ("Write", json!({"type": "create", "content": "SECRET"}), None),
        ] {
            let call = TOOLS.call(name, None, Map::new());
            let new = withheld(Some(&call), Some(&old));
            let keys = new.as_ref().map(|new| {
                let mut keys: Vec<&str> =
                    new.as_object().into_iter().flat_map(Map::keys).map(String::as_str).collect();
                keys.sort_unstable();
                keys.join(" ")
            });
            assert_eq!(keys.as_deref(), shape, "{name}: {old}");
            assert!(!new.unwrap_or_default().to_string().contains("SECRET"), "{name}: {old}");
        }
        assert_eq!(withheld(None, Some(&json!([]))), None);
    }

    #[test]
    fn tool_names_have_kinds() {
        for (name, expected) in [
            ("Bash", ToolKind::Shell),
            ("PowerShell", ToolKind::Shell),
            ("BashOutput", ToolKind::Other),
            ("KillShell", ToolKind::Other),
            ("Write", ToolKind::Write),
            ("Edit", ToolKind::Edit),
            ("MultiEdit", ToolKind::Edit),
            ("NotebookEdit", ToolKind::Edit),
            ("Read", ToolKind::Read),
            ("NotebookRead", ToolKind::Read),
            ("Glob", ToolKind::Search),
            ("Grep", ToolKind::Search),
            ("LS", ToolKind::Search),
            ("WebFetch", ToolKind::Fetch),
            ("WebSearch", ToolKind::Fetch),
            ("mcp__brave-search__query", ToolKind::Mcp),
            ("Task", ToolKind::Task),
            ("Agent", ToolKind::Task),
            ("TaskCreate", ToolKind::Other),
            ("bash", ToolKind::Other),
            ("", ToolKind::Other),
        ] {
            assert_eq!(TOOLS.name_and_kind(name, None), (name.into(), expected));
        }
    }

    #[test]
    fn exit_code_is_read_only_if_known() {
        for (response, expected) in [
            (json!({"stdout": "x", "stderr": "", "interrupted": false}), Some(0)),
            (json!("x"), Some(0)),
            (json!({"stdout": "", "interrupted": true}), None),
            (json!({"stdout": "", "backgroundTaskId": "b1"}), None),
            (json!({"stdout": "", "returnCodeInterpretation": "No matches found"}), None),
        ] {
            assert_eq!(exit_code_of_success(Some(&response)), expected, "{response}");
        }
        for (error, expected) in [
            ("Exit code 3\nfailing", Some(3)),
            ("Exit code 127", Some(127)),
            ("Exit code -1\r\nx", Some(-1)),
            ("Exit code x", None),
            ("the log says: Exit code 3", None),
            ("", None),
        ] {
            assert_eq!(exit_code_of_failure(error), expected, "{error}");
        }
    }

    #[test]
    fn changed_shell_result_is_complete() {
        let old = json!({"stdout": "SECRET", "stderr": "SECRET", "interrupted": true, "isImage": true,
            "persistedOutputPath": "/tmp/SECRET"});
        for (new, expected) in [
            (json!("clean"), json!({"stdout": "clean", "stderr": "", "interrupted": true, "isImage": false})),
            (json!(null), json!({"stdout": "", "stderr": "", "interrupted": true, "isImage": false})),
            (json!([1]), json!({"stdout": "[1]", "stderr": "", "interrupted": true, "isImage": false})),
            (
                json!({"stdout": "clean"}),
                json!({"stdout": "clean", "stderr": "", "interrupted": true, "isImage": false}),
            ),
            (
                json!({"stderr": 7, "stdout": null, "interrupted": "no", "isImage": true, "more": 1}),
                json!({"stdout": "", "stderr": "7", "interrupted": true, "isImage": true, "more": 1}),
            ),
        ] {
            let call = ToolCall::new("Bash", ToolKind::Shell, Map::new());
            assert_eq!(complete_output(Some(&call), Some(&old), &new), expected, "{new}");
        }
    }

    #[test]
    fn other_results_are_passed_on() {
        let call = ToolCall::new("Read", ToolKind::Read, Map::new());
        for new in [json!("text"), json!({"type": "text"})] {
            assert_eq!(complete_output(Some(&call), Some(&json!({"a": 1})), &new), new);
        }
    }
}
