//! Anthropic's Messages: `/v1/messages` and what Claude Code looks at besides.

use serde_json::{Value, json};

use super::{Route, ServerEvent, pieces, tokens};
use crate::asked::{Asked, Delivery, texts};
use crate::stage::Line;

/// What a path is for.
pub(super) fn route(method: &str, path: &str) -> Option<Route> {
    match (method, path) {
        ("POST", "/v1/messages") => Some(Route::Reply { model: None, delivery: None }),
        ("POST", "/v1/messages/count_tokens") => Some(Route::Count),
        ("GET" | "HEAD", "/v1/models") => Some(Route::Models),
        ("GET" | "HEAD", "/") => Some(Route::Probe),
        // Claude Code's own side doors: greetings, settings, telemetry.
        _ if path.starts_with("/api/") => Some(Route::Probe),
        _ => None,
    }
}

/// What is asked.
pub(super) fn read(body: &Value) -> Asked {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let own = |message: &&Value| message["role"] == "assistant";
    let mut told = Vec::new();
    texts(&body["system"], &mut told);
    messages.iter().filter(|message| !own(message)).for_each(|message| texts(message, &mut told));
    let mut results = Vec::new();
    let last = messages.iter().rev().take_while(|message| !own(message));
    last.filter_map(|message| message["content"].as_array())
        .flatten()
        .filter(|block| block["type"] == "tool_result")
        .for_each(|block| texts(&block["content"], &mut results));
    // A tool with a type and no schema, such as web search, is run by the API and not by the agent.
    let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    Asked {
        model: body["model"].as_str().unwrap_or("scripted").to_owned(),
        delivery: if body["stream"] == true { Delivery::Events } else { Delivery::Whole },
        offers_tools: tools.iter().any(|tool| tool["input_schema"].is_object()),
        told,
        results,
        schema: body["output_config"]["format"].get("schema").cloned(),
        ..Asked::default()
    }
}

/// A message.
pub(super) fn whole(line: &Line, asked: &Asked, number: usize) -> Value {
    let mut message = envelope(asked, number);
    message["content"] = blocks(line, number).into();
    message["stop_reason"] = stop_reason(line).into();
    message["usage"]["output_tokens"] = spoken(line).into();
    message
}

/// A message as events.
pub(super) fn events(line: &Line, asked: &Asked, number: usize) -> Vec<ServerEvent> {
    let mut events = vec![event("message_start", json!({"message": envelope(asked, number)}))];
    for (index, block) in blocks(line, number).into_iter().enumerate() {
        let (start, deltas) = opened(block);
        events.push(event("content_block_start", json!({"index": index, "content_block": start})));
        events.extend(
            deltas
                .into_iter()
                .map(|delta| event("content_block_delta", json!({"index": index, "delta": delta}))),
        );
        events.push(event("content_block_stop", json!({"index": index})));
    }
    let delta = json!({"stop_reason": stop_reason(line), "stop_sequence": null});
    events.push(event("message_delta", json!({"delta": delta, "usage": {"output_tokens": spoken(line)}})));
    events.push(event("message_stop", json!({})));
    events
}

/// So many tokens.
pub(super) fn counted(tokens: usize) -> Value {
    json!({"input_tokens": tokens})
}

/// An error.
pub(super) fn error(status: u16, message: &str) -> Value {
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

/// A message without content yet.
fn envelope(asked: &Asked, number: usize) -> Value {
    json!({
        "id": format!("msg_{number:04}"), "type": "message", "role": "assistant", "model": asked.model,
        "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": tokens(asked), "output_tokens": 1,
            "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
    })
}

fn blocks(line: &Line, number: usize) -> Vec<Value> {
    let text = line.say.iter().map(|say| json!({"type": "text", "text": say}));
    let calls = line.calls.iter().enumerate().map(|(index, call)| {
        let id = format!("toolu_{number:04}_{}", index + 1);
        json!({"type": "tool_use", "id": id, "name": call.tool, "input": call.input})
    });
    text.chain(calls).collect()
}

/// A block as it begins, and what is then added to it.
fn opened(mut block: Value) -> (Value, Vec<Value>) {
    if let Some(input) = block.get_mut("input").map(|input| std::mem::replace(input, json!({}))) {
        let text = input.to_string();
        let deltas = pieces(&text);
        let deltas =
            deltas.into_iter().map(|piece| json!({"type": "input_json_delta", "partial_json": piece}));
        return (block, deltas.collect());
    }
    let text = block["text"].as_str().unwrap_or_default().to_owned();
    block["text"] = "".into();
    let deltas = pieces(&text).into_iter().map(|piece| json!({"type": "text_delta", "text": piece}));
    (block, deltas.collect())
}

fn event(name: &'static str, mut data: Value) -> ServerEvent {
    data["type"] = name.into();
    ServerEvent { name: Some(name), data }
}

fn stop_reason(line: &Line) -> &'static str {
    if line.calls.is_empty() { "end_turn" } else { "tool_use" }
}

fn spoken(line: &Line) -> usize {
    blocks(line, 0).iter().map(|block| block.to_string().len()).sum::<usize>().div_ceil(4)
}
