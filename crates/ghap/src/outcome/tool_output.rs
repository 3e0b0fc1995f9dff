//! What an agent reports a command that has ended: its exit code, where it gives one, and what was printed.
//!
//! Every agent has its own shape for it. Those that were recorded are in the fixtures of the adapters, and the test
//! reads all of them; what is not known here is text all the same, wherever it is.

use crate::word_list::word_list;
use serde_json::{Map, Value};
use tenter_contract::{Event, EventKind, ToolKind};

/// What is known of a command that has ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolOutput {
    /// Its exit code, where the agent gives one.
    pub exit_code: Option<i64>,
    /// What it printed, as far as the agent shows it.
    pub text: String,
    /// The text is all there is: where it is empty, nothing was printed. Not so of a command that was refused, that was
    /// left running, or of which the agent shows nothing.
    pub complete: bool,
}

/// Where agents keep what was printed, in the order in which it is read.
const TEXTS: [&str; 11] = word_list(
    "stdout stderr output llmContent textResultForLlm text_result_for_llm result text content error \
    message",
);
const CODES: [&str; 4] = ["exit_code", "exitCode", "exit_status", "exitStatus"];

/// What the event reports a command that has ended; none if it is about something else.
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
    // Who gives more than a text gives an exit code too, unless there is none yet.
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

/// Of several commands in one call the first code that is not 0.
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

/// Without the words that agents put before the first line: `Exit code 1` and, behind what else they say, `Output: `.
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
