//! What OpenAI's two APIs have in common.

use serde_json::Value;

use super::{Trouble, text};
use crate::talk::Request;
use crate::talk::layout::{Given, Placed};
use crate::talk::notes::{EXPLAINED, structured};

/// The system prompt. How results with notes look is said from the beginning: were it said when the first one
/// comes, nothing that was sent before would be in the cache any more.
pub(super) fn system(request: &Request<'_>) -> String {
    let system = request.conversation.system.trim_end();
    match (system.is_empty(), request.tools.is_empty()) {
        (_, true) => system.to_owned(),
        (true, false) => EXPLAINED.to_owned(),
        (false, false) => format!("{system}\n\n{EXPLAINED}"),
    }
}

/// What a result says. There is no other way to say that it is an error.
pub(super) fn output(given: &Given<'_>, index: usize, notes: &[Placed<'_>]) -> String {
    let output = if given.failed { format!("Error: {}", given.output) } else { given.output.to_owned() };
    match super::within(notes, index).as_slice() {
        [] => output,
        notes => structured(&output, notes),
    }
}

/// What an error in the middle of a stream says.
pub(super) fn told(error: &Value) -> Trouble {
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
    Trouble::Told { status, message: message.to_owned() }
}
