//! Shared parts of OpenAI's two APIs.

use serde_json::Value;

use super::{StreamError, text};
use crate::client::Request;
use crate::client::layout::{CallResult, ResultNote};
use crate::client::note_text::{EXPLAINED, structured};

/// The system prompt. It explains results with notes from the start: a later change would invalidate the prompt cache.
pub(super) fn system(request: &Request<'_>) -> String {
    let system = request.conversation.system.trim_end();
    match (system.is_empty(), request.tools.is_empty()) {
        (_, true) => system.to_owned(),
        (true, false) => EXPLAINED.to_owned(),
        (false, false) => format!("{system}\n\n{EXPLAINED}"),
    }
}

/// The text of a result. Errors have no field of their own.
pub(super) fn output(call_result: &CallResult<'_>, index: usize, notes: &[ResultNote<'_>]) -> String {
    let output = if call_result.failed {
        format!("Error: {}", call_result.output)
    } else {
        call_result.output.to_owned()
    };
    match super::within(notes, index).as_slice() {
        [] => output,
        notes => structured(&output, notes),
    }
}

/// An error in the middle of a stream.
pub(super) fn told(error: &Value) -> StreamError {
    let code = error["code"].as_str().or_else(|| error["type"].as_str()).unwrap_or_default();
    let number = error["code"].as_u64().and_then(|code| u16::try_from(code).ok());
    let status = match code {
        "rate_limit_exceeded" => 429,
        "server_is_overloaded" | "overloaded_error" | "slow_down" => 503,
        "context_length_exceeded" | "exceed_context_size_error" => 413,
        "insufficient_quota" | "invalid_prompt" | "invalid_request_error" => 400,
        _ => number.filter(|number| (400..600).contains(number)).unwrap_or(500),
    };
    let message = match (text(error, "message"), error.as_str()) {
        ("", Some(words)) => words,
        ("", None) => code,
        (message, _) => message,
    };
    StreamError::Reported { status, message: message.to_owned() }
}
