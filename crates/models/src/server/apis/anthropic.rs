//! Anthropic's Messages: `/v1/messages` and the other paths that Claude Code uses.

use serde_json::{Value, json};

use super::{Route, ServedApi, ServerEvent, pieces, tokens_of};
use crate::server::agent_request::{AgentRequest, collect_texts, items};
use crate::server::script_state::ScriptedReply;

pub(super) const API: ServedApi = ServedApi {
    route,
    read,
    full_reply,
    events,
    token_count: |tokens| json!({"input_tokens": tokens}),
    error,
    end_mark: None,
};

fn route(method: &str, path: &str, _: &str) -> Option<Route> {
    match (method, path) {
        ("POST", "/v1/messages") => Some(Route::REPLY),
        ("POST", "/v1/messages/count_tokens") => Some(Route::CountTokens),
        ("GET" | "HEAD", "/v1/models") => Some(Route::ListModels),
        ("GET" | "HEAD", "/") => Some(Route::Probe),
        // Claude Code's settings and telemetry.
        _ if path.starts_with("/api/") => Some(Route::Probe),
        _ => None,
    }
}

fn read(body: &Value) -> AgentRequest {
    let mut request = AgentRequest::from_body(body);
    collect_texts(&body["system"], &mut request.texts);
    request.read_messages(
        &body["messages"],
        "assistant",
        |message| message,
        |message| {
            let blocks = items(&message["content"]).iter();
            blocks.filter(|block| block["type"] == "tool_result").map(|block| &block["content"]).collect()
        },
    );
    // The API itself runs a tool with a type and no schema, such as web search.
    request.offers_tools = items(&body["tools"]).iter().any(|tool| tool["input_schema"].is_object());
    request.schema = body["output_config"]["format"].get("schema").cloned();
    request
}

fn full_reply(reply: &ScriptedReply, request: &AgentRequest, number: usize) -> Value {
    let mut message = envelope(request, number);
    message["content"] = blocks(reply, number).into();
    message["stop_reason"] = stop_reason(reply).into();
    message["usage"]["output_tokens"] = output_tokens(reply).into();
    message
}

fn events(reply: &ScriptedReply, request: &AgentRequest, number: usize) -> Vec<ServerEvent> {
    let event = ServerEvent::named;
    let mut events = vec![event("message_start", json!({"message": envelope(request, number)}))];
    for (index, mut block) in blocks(reply, number).into_iter().enumerate() {
        let (key, empty, kind, part) = match block.get("input") {
            Some(_) => ("input", json!({}), "input_json_delta", "partial_json"),
            None => ("text", json!(""), "text_delta", "text"),
        };
        let full = std::mem::replace(&mut block[key], empty);
        let text = full.as_str().map_or_else(|| full.to_string(), str::to_owned);
        events.push(event("content_block_start", json!({"index": index, "content_block": block})));
        let deltas = pieces(&text).into_iter().map(|piece| json!({"type": kind, part: piece}));
        events.extend(
            deltas.map(|delta| event("content_block_delta", json!({"index": index, "delta": delta}))),
        );
        events.push(event("content_block_stop", json!({"index": index})));
    }
    let delta = json!({"stop_reason": stop_reason(reply), "stop_sequence": null});
    let usage = json!({"output_tokens": output_tokens(reply)});
    events.push(event("message_delta", json!({"delta": delta, "usage": usage})));
    events.push(event("message_stop", json!({})));
    events
}

fn error(status: u16, message: &str) -> Value {
    let kind = match status {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        503 | 529 => "overloaded_error",
        500..=599 => "api_error",
        _ => "invalid_request_error",
    };
    json!({"type": "error", "error": {"type": kind, "message": message}})
}

/// A message without content.
fn envelope(request: &AgentRequest, number: usize) -> Value {
    json!({
        "id": format!("msg_{number:04}"), "type": "message", "role": "assistant", "model": request.model,
        "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": request.tokens(), "output_tokens": 1,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
    })
}

fn blocks(reply: &ScriptedReply, number: usize) -> Vec<Value> {
    let text = reply.say.iter().map(|say| json!({"type": "text", "text": say}));
    let calls = reply.calls.iter().enumerate().map(|(index, call)| {
        let id = format!("toolu_{number:04}_{}", index + 1);
        json!({"type": "tool_use", "id": id, "name": call.tool, "input": call.input})
    });
    text.chain(calls).collect()
}

fn stop_reason(reply: &ScriptedReply) -> &'static str {
    if reply.calls.is_empty() { "end_turn" } else { "tool_use" }
}

fn output_tokens(reply: &ScriptedReply) -> usize {
    tokens_of(blocks(reply, 0).iter().map(|block| block.to_string().len()).sum())
}
