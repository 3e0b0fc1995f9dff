//! OpenAI's Chat Completions: `/v1/chat/completions`, which many servers and most agents speak.

use serde_json::{Value, json};

use super::{Route, ServerEvent, openai, pieces, tokens};
use crate::asked::{Asked, Delivery, texts};
use crate::script::ToolCall;
use crate::stage::Line;

/// What a path is for. Clients are given the base with `/v1` or without.
pub(super) fn route(method: &str, path: &str) -> Option<Route> {
    match (method, path.strip_prefix("/v1").unwrap_or(path)) {
        ("POST", "/chat/completions") => Some(Route::Reply { model: None, delivery: None }),
        (method, path) => openai::route(method, path),
    }
}

/// What is asked.
pub(super) fn read(body: &Value) -> Asked {
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let own = |message: &&Value| message["role"] == "assistant";
    let mut told = Vec::new();
    messages.iter().filter(|message| !own(message)).for_each(|message| texts(&message["content"], &mut told));
    let mut results = Vec::new();
    let last = messages.iter().rev().take_while(|message| !own(message));
    last.filter(|message| message["role"] == "tool")
        .for_each(|message| texts(&message["content"], &mut results));
    let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let format = &body["response_format"];
    let schema = match format["type"].as_str() {
        Some("json_schema") => Some(format["json_schema"]["schema"].clone()),
        // Any object will do.
        Some("json_object") => Some(json!({})),
        _ => None,
    };
    Asked {
        model: body["model"].as_str().unwrap_or("scripted").to_owned(),
        delivery: if body["stream"] == true { Delivery::Events } else { Delivery::Whole },
        offers_tools: tools.iter().any(|tool| tool["type"] == "function" || tool["type"] == "custom"),
        told,
        results,
        schema,
        text_tools: tools
            .iter()
            .filter_map(|tool| tool["custom"]["name"].as_str().map(str::to_owned))
            .collect(),
        wants_usage: body["stream_options"]["include_usage"] == true,
        ..Asked::default()
    }
}

/// A completion.
pub(super) fn whole(line: &Line, asked: &Asked, number: usize) -> Value {
    let mut completion = envelope("chat.completion", asked, number);
    let mut message = json!({"role": "assistant", "content": line.say, "refusal": null});
    if !line.calls.is_empty() {
        message["tool_calls"] = calls(line, asked, number).into();
    }
    completion["choices"] = json!([
        {"index": 0, "message": message, "finish_reason": finish_reason(line), "logprobs": null},
    ]);
    completion["usage"] = usage(line, asked);
    completion
}

/// A completion as chunks.
pub(super) fn events(line: &Line, asked: &Asked, number: usize) -> Vec<ServerEvent> {
    let chunk = |delta: Value, finish: Option<&str>| {
        let mut chunk = envelope("chat.completion.chunk", asked, number);
        chunk["choices"] = json!([{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": null}]);
        chunk
    };
    let mut chunks = vec![chunk(json!({"role": "assistant", "content": ""}), None)];
    let say = line.say.as_deref().unwrap_or_default();
    chunks.extend(pieces(say).into_iter().map(|piece| chunk(json!({"content": piece}), None)));
    for (index, call) in calls(line, asked, number).into_iter().enumerate() {
        let deltas = call_deltas(index, call);
        chunks.extend(deltas.into_iter().map(|delta| chunk(json!({"tool_calls": [delta]}), None)));
    }
    chunks.push(chunk(json!({}), Some(finish_reason(line))));
    if asked.wants_usage {
        let mut last = envelope("chat.completion.chunk", asked, number);
        last["choices"] = json!([]);
        last["usage"] = usage(line, asked);
        chunks.push(last);
    }
    chunks.into_iter().map(|data| ServerEvent { name: None, data }).collect()
}

/// What a completion begins with.
fn envelope(object: &str, asked: &Asked, number: usize) -> Value {
    json!({"id": format!("chatcmpl_{number:04}"), "object": object, "created": 0, "model": asked.model})
}

fn calls(line: &Line, asked: &Asked, number: usize) -> Vec<Value> {
    let call = |(index, call): (usize, &ToolCall)| {
        let id = format!("call_{number:04}_{}", index + 1);
        if asked.text_tools.contains(&call.tool) {
            return json!({"id": id, "type": "custom", "custom": {"name": call.tool, "input": call.as_text()}});
        }
        let arguments = Value::Object(call.input.clone()).to_string();
        json!({"id": id, "type": "function", "function": {"name": call.tool, "arguments": arguments}})
    };
    line.calls.iter().enumerate().map(call).collect()
}

/// A call as it begins, and what is then added to it.
fn call_deltas(index: usize, mut call: Value) -> Vec<Value> {
    call["index"] = index.into();
    let (kind, key) = if call["type"] == "custom" { ("custom", "input") } else { ("function", "arguments") };
    let text = call[kind][key].as_str().unwrap_or_default().to_owned();
    call[kind][key] = "".into();
    let mut deltas = vec![call];
    deltas.extend(pieces(&text).into_iter().map(|piece| json!({"index": index, kind: {key: piece}})));
    deltas
}

fn finish_reason(line: &Line) -> &'static str {
    if line.calls.is_empty() { "stop" } else { "tool_calls" }
}

fn usage(line: &Line, asked: &Asked) -> Value {
    let told = tokens(asked);
    let spoken = json!([line.say, calls(line, asked, 0)]).to_string().len().div_ceil(4);
    json!({"prompt_tokens": told, "completion_tokens": spoken, "total_tokens": told + spoken})
}
