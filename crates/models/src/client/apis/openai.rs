//! Shared parts of OpenAI's two APIs.

use serde_json::Value;

use super::{StreamError, after_results, text, texts_within};
use crate::client::layout::{Layout, LayoutNote, ResultNote, Turn};
use crate::client::note_text::{EXPLAINED, structured};
use crate::client::{Reply, Request, ToolResult, ToolUse};

/// How an API writes the items of a conversation.
pub(super) struct ItemWriter {
    pub(super) reply: fn(&Reply) -> Vec<Value>,
    /// Writes the result of a call, from its id and its text.
    pub(super) result: fn(&str, String) -> Value,
    pub(super) prompt: fn(&str) -> Value,
    /// Writes a note; the flag says whether the model answers after it.
    pub(super) note: fn(&LayoutNote<'_>, bool) -> Vec<Value>,
}

impl ItemWriter {
    pub(super) fn write(&self, request: &Request<'_>) -> Vec<Value> {
        let layout = Layout::new(request.conversation);
        let mut items = Vec::new();
        for turn in &layout.turns {
            match turn {
                Turn::Reply(reply) => items.extend((self.reply)(reply)),
                Turn::Results { results, notes } => {
                    let results = results.iter().enumerate();
                    items.extend(results.map(|(at, it)| (self.result)(&it.call_id, output(it, at, notes))));
                    items.extend(after_results(notes).flat_map(|note| (self.note)(note, true)));
                }
                Turn::Prompt { notes, prompt } => {
                    items.extend(notes.iter().flat_map(|note| (self.note)(note, prompt.is_none())));
                    items.extend(prompt.map(self.prompt));
                }
            }
        }
        items.extend(layout.last.iter().flat_map(|note| (self.note)(note, true)));
        items
    }
}

/// The text of a result. Errors have no field of their own.
fn output(result: &ToolResult, index: usize, notes: &[ResultNote<'_>]) -> String {
    let output = if result.failed { format!("Error: {}", result.output) } else { result.output.clone() };
    match texts_within(notes, index).as_slice() {
        [] => output,
        notes => structured(&output, notes),
    }
}

/// The system prompt. It explains results with notes from the start: a later change would invalidate the prompt cache.
pub(super) fn system(request: &Request<'_>) -> String {
    let system = request.conversation.system.trim_end();
    match (system.is_empty(), request.tools.is_empty()) {
        (_, true) => system.to_owned(),
        (true, false) => EXPLAINED.to_owned(),
        (false, false) => format!("{system}\n\n{EXPLAINED}"),
    }
}

/// The input of a call as text.
pub(super) fn arguments(call: &ToolUse) -> String {
    Value::Object(call.input.clone()).to_string()
}

/// An error in the middle of a stream.
pub(super) fn reported(error: &Value) -> StreamError {
    let code = error["code"].as_str().or_else(|| error["type"].as_str()).unwrap_or_default();
    let number = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
    let status = match code {
        "rate_limit_exceeded" => 429,
        "server_is_overloaded" | "overloaded_error" | "slow_down" => 503,
        "context_length_exceeded" | "exceed_context_size_error" => 413,
        "insufficient_quota" | "invalid_prompt" | "invalid_request_error" => 400,
        _ => number.filter(|number| (400..600).contains(number)).unwrap_or(500),
    };
    let message = match text(error, "message") {
        "" => error.as_str().unwrap_or(code),
        message => message,
    };
    StreamError::Reported { status, message: message.to_owned() }
}
