//! OpenAI's Chat Completions: `/v1/chat/completions`.

use serde_json::{Value, json};

use super::{Route, ServedApi, ServerEvent, openai, pieces, tokens_of};
use crate::script::ScriptCall;
use crate::server::agent_request::{AgentRequest, items};
use crate::server::script_state::ScriptedReply;

pub(super) const API: ServedApi = ServedApi {
    route,
    read,
    full_reply,
    events,
    token_count: openai::token_count,
    error: openai::error,
    end_mark: Some("[DONE]"),
};

fn route(method: &str, path: &str, _: &str) -> Option<Route> {
    match (method, openai::path(path)) {
        ("POST", "/chat/completions") => Some(Route::REPLY),
        (method, path) => openai::route(method, path),
    }
}

fn read(body: &Value) -> AgentRequest {
    let mut request = AgentRequest::from_body(body);
    request.read_messages(
        &body["messages"],
        "assistant",
        |message| &message["content"],
        |message| if message["role"] == "tool" { vec![&message["content"]] } else { Vec::new() },
    );
    let tools = items(&body["tools"]).iter();
    request.offers_tools = tools.clone().any(|tool| tool["type"] == "function" || tool["type"] == "custom");
    request.text_tools =
        tools.filter_map(|tool| tool["custom"]["name"].as_str().map(str::to_owned)).collect();
    let format = &body["response_format"];
    request.schema = match format["type"].as_str() {
        Some("json_schema") => Some(format["json_schema"]["schema"].clone()),
        // Every object is accepted.
        Some("json_object") => Some(json!({})),
        _ => None,
    };
    request.wants_usage = body["stream_options"]["include_usage"] == true;
    request
}

fn full_reply(reply: &ScriptedReply, request: &AgentRequest, number: usize) -> Value {
    let mut completion = envelope("chat.completion", request, number);
    let mut message = json!({"role": "assistant", "content": reply.say, "refusal": null});
    if !reply.calls.is_empty() {
        message["tool_calls"] = calls(reply, request, number).into();
    }
    completion["choices"] = json!([
        {"index": 0, "message": message, "finish_reason": finish_reason(reply), "logprobs": null},
    ]);
    completion["usage"] = usage(reply, request);
    completion
}

fn events(reply: &ScriptedReply, request: &AgentRequest, number: usize) -> Vec<ServerEvent> {
    let chunk = |delta: Value, finish: Option<&str>| {
        let mut chunk = envelope("chat.completion.chunk", request, number);
        chunk["choices"] = json!([{"index": 0, "delta": delta, "finish_reason": finish, "logprobs": null}]);
        chunk
    };
    let mut chunks = vec![chunk(json!({"role": "assistant", "content": ""}), None)];
    let say = reply.say.as_deref().unwrap_or_default();
    chunks.extend(pieces(say).into_iter().map(|piece| chunk(json!({"content": piece}), None)));
    for (index, call) in calls(reply, request, number).into_iter().enumerate() {
        let deltas = call_deltas(index, call).into_iter();
        chunks.extend(deltas.map(|delta| chunk(json!({"tool_calls": [delta]}), None)));
    }
    chunks.push(chunk(json!({}), Some(finish_reason(reply))));
    if request.wants_usage {
        let mut last = envelope("chat.completion.chunk", request, number);
        last["choices"] = json!([]);
        last["usage"] = usage(reply, request);
        chunks.push(last);
    }
    chunks.into_iter().map(ServerEvent::unnamed).collect()
}

fn envelope(object: &str, request: &AgentRequest, number: usize) -> Value {
    json!({"id": format!("chatcmpl_{number:04}"), "object": object, "created": 0, "model": request.model})
}

fn calls(reply: &ScriptedReply, request: &AgentRequest, number: usize) -> Vec<Value> {
    let call = |(index, call): (usize, &ScriptCall)| {
        let id = format!("call_{number:04}_{}", index + 1);
        if request.text_tools.contains(&call.tool) {
            return json!({"id": id, "type": "custom", "custom": {"name": call.tool, "input": call.as_text()}});
        }
        let arguments = call.arguments();
        json!({"id": id, "type": "function", "function": {"name": call.tool, "arguments": arguments}})
    };
    reply.calls.iter().enumerate().map(call).collect()
}

/// A call with an empty input, and the pieces of its input.
fn call_deltas(index: usize, mut call: Value) -> Vec<Value> {
    call["index"] = index.into();
    let (kind, key) = if call["type"] == "custom" { ("custom", "input") } else { ("function", "arguments") };
    let text = call[kind][key].as_str().unwrap_or_default().to_owned();
    call[kind][key] = "".into();
    let mut deltas = vec![call];
    deltas.extend(pieces(&text).into_iter().map(|piece| json!({"index": index, kind: {key: piece}})));
    deltas
}

fn finish_reason(reply: &ScriptedReply) -> &'static str {
    if reply.calls.is_empty() { "stop" } else { "tool_calls" }
}

fn usage(reply: &ScriptedReply, request: &AgentRequest) -> Value {
    let input = request.tokens();
    let output = tokens_of(json!([reply.say, calls(reply, request, 0)]).to_string().len());
    json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output})
}
