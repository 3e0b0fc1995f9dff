//! What OpenAI's two APIs have in common: the small questions, and errors.

use serde_json::{Value, json};

use super::Route;

/// What a path, without `/v1`, is for that is of neither API alone.
pub(super) fn route(method: &str, path: &str) -> Option<Route> {
    let is_models = path == "/models" || path.starts_with("/models/");
    (is_models && matches!(method, "GET" | "HEAD")).then_some(Route::Models)
}

/// So many tokens.
pub(super) fn counted(tokens: usize) -> Value {
    json!({"object": "response.input_tokens", "input_tokens": tokens})
}

/// An error.
pub(super) fn error(status: u16, message: &str) -> Value {
    let kind = if status >= 500 { "server_error" } else { "invalid_request_error" };
    let code = match status {
        401 => Some("invalid_api_key"),
        404 => Some("not_found"),
        429 => Some("rate_limit_exceeded"),
        _ => None,
    };
    json!({"error": {"message": message, "type": kind, "param": null, "code": code}})
}
