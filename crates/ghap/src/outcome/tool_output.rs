//! Reads exit code and output of a command from a tool event.
//!
//! Every agent has its own format. The test reads the recorded ones from the fixtures of the adapters; output in an
//! unknown field is still found as text.

use serde_json::{Map, Value};
use tenter_contract::{Event, EventKind, ToolKind};

/// The result of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolOutput {
    /// Its exit code, where the agent gives one.
    pub exit_code: Option<i64>,
    /// The output, as far as the agent reports it.
    pub text: String,
    /// The text is the whole output, so empty text means that the command printed nothing. False for commands that were
    /// denied or still run, and for agents that report no output.
    pub complete: bool,
}

/// Fields with output, in reading order.
const TEXTS: [&str; 11] = [
    "stdout",
    "stderr",
    "output",
    "llmContent",
    "textResultForLlm",
    "text_result_for_llm",
    "result",
    "text",
    "content",
    "error",
    "message",
];
const CODES: [&str; 4] = ["exit_code", "exitCode", "exit_status", "exitStatus"];

/// The result of the command of an event; none if the event has no command that ended.
pub fn tool_output(event: &Event) -> Option<ToolOutput> {
    let tool = event.tool.as_ref().filter(|tool| matches!(tool.kind, ToolKind::Shell | ToolKind::Other))?;
    tool.command.as_ref()?;
    if !matches!(event.kind, EventKind::ToolPost | EventKind::ToolError) {
        return None;
    }
    let mut parts: Vec<&str> =
        [&tool.stdout, &tool.stderr].into_iter().flatten().map(String::as_str).collect();
    let unpacked = tool.output.as_ref().map(unpack);
    let output = unpacked.as_ref().or(tool.output.as_ref());
    if let Some(output) = output.filter(|_| parts.is_empty()) {
        texts(output, &mut parts);
    }
    let message = event.error.as_ref().map(|error| error.message.as_str());
    if parts.is_empty() {
        parts.extend(message);
    }
    let text = without_frame(&parts.join("\n"));
    let exit_code = tool.exit_code.or_else(|| output.and_then(code));
    // Agents that report more than text report an exit code too, once there is one.
    let plain = event.kind == EventKind::ToolPost && matches!(tool.output, Some(Value::String(_)));
    Some(ToolOutput { complete: exit_code.is_some() || plain, exit_code, text })
}

fn unpack(output: &Value) -> Value {
    match output {
        Value::String(text) if text.trim_start().starts_with('{') => match serde_json::from_str(text) {
            Ok(Value::Object(fields)) if holds_text(&fields) => Value::Object(fields),
            _ => output.clone(),
        },
        _ => output.clone(),
    }
}

fn holds_text(fields: &Map<String, Value>) -> bool {
    TEXTS.iter().chain(&CODES).any(|key| fields.contains_key(*key))
}

fn texts<'a>(output: &'a Value, parts: &mut Vec<&'a str>) {
    match output {
        Value::String(text) => parts.push(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, parts)),
        Value::Object(fields) => {
            TEXTS.iter().filter_map(|key| fields.get(*key)).for_each(|value| texts(value, parts));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The exit code; for several commands in one call the first that is not 0.
fn code(output: &Value) -> Option<i64> {
    match output {
        Value::Object(fields) => CODES
            .iter()
            .find_map(|key| fields.get(*key))
            .and_then(|value| {
                value.as_i64().or_else(|| value.as_str().and_then(|text| text.trim().parse().ok()))
            })
            .or_else(|| fields.get("result").and_then(code)),
        Value::Array(items) => {
            let codes: Vec<i64> = items.iter().map(code).collect::<Option<_>>()?;
            codes.iter().copied().find(|code| *code != 0).or(codes.first().copied())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// Removes the words that agents add before the output: `Exit code 1` and `Output: `.
fn without_frame(text: &str) -> String {
    let rest =
        text.strip_prefix("Exit code ").and_then(|rest| rest.split_once('\n')).map_or(text, |(_, rest)| rest);
    let framed = rest.starts_with("Command: ")
        || rest.starts_with("<untrusted_context>")
        || rest.starts_with("Output: ");
    match rest.strip_prefix("Output: ") {
        Some(rest) => rest.to_owned(),
        None if framed => rest.replacen("\nOutput: ", "\n", 1),
        None => rest.to_owned(),
    }
}
