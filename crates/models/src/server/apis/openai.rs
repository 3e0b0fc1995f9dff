//! Shared parts of OpenAI's two APIs.

use serde_json::{Value, json};

use super::Route;

/// Clients use the base with `/v1` or without.
pub(super) fn path(path: &str) -> &str {
    path.strip_prefix("/v1").unwrap_or(path)
}

pub(super) fn route(method: &str, path: &str) -> Option<Route> {
    let is_models = path == "/models" || path.starts_with("/models/");
    (is_models && matches!(method, "GET" | "HEAD")).then_some(Route::ListModels)
}

pub(super) fn token_count(tokens: usize) -> Value {
    json!({"object": "response.input_tokens", "input_tokens": tokens})
}

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
