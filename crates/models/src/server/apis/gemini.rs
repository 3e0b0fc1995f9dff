//! Google's Gemini: `/v1beta/models/MODEL:generateContent` and its siblings.

use serde_json::{Value, json};

use super::{Route, ServedApi, ServerEvent, pieces, tokens_of};
use crate::server::agent_request::{AgentRequest, ReplyFormat, collect_texts, items};
use crate::server::script_state::ScriptedReply;

pub(super) const API: ServedApi = ServedApi {
    route,
    read,
    full_reply,
    events,
    token_count: |tokens| json!({"totalTokens": tokens}),
    error,
    end_mark: None,
};

fn route(method: &str, path: &str, query: &str) -> Option<Route> {
    let below = path.strip_prefix("/v1beta/models").or_else(|| path.strip_prefix("/v1/models"))?;
    if method == "GET" && !below.contains(':') {
        return Some(Route::Probe);
    }
    let (model, verb) = below.strip_prefix('/')?.split_once(':')?;
    let reply = |format| Some(Route::Reply { model: Some(model.to_owned()), format: Some(format) });
    match (method, verb) {
        ("POST", "generateContent") => reply(ReplyFormat::Json),
        ("POST", "streamGenerateContent") if query.split('&').any(|pair| pair == "alt=sse") => {
            reply(ReplyFormat::Events)
        }
        ("POST", "streamGenerateContent") => reply(ReplyFormat::JsonArray),
        ("POST", "countTokens") => Some(Route::CountTokens),
        _ => None,
    }
}

/// The path names the model and the format.
fn read(body: &Value) -> AgentRequest {
    // A request to count tokens may contain a whole request.
    let body = body.get("generateContentRequest").unwrap_or(body);
    let mut request = AgentRequest::default();
    collect_texts(&body["systemInstruction"], &mut request.texts);
    request.read_messages(
        &body["contents"],
        "model",
        |content| content,
        |content| {
            let parts = items(&content["parts"]).iter();
            parts.filter_map(|part| part.get("functionResponse")).map(|result| &result["response"]).collect()
        },
    );
    let declares = |tool: &Value| !items(&tool["functionDeclarations"]).is_empty();
    request.offers_tools = items(&body["tools"]).iter().any(declares);
    let config = &body["generationConfig"];
    request.schema = config.get("responseJsonSchema").or_else(|| config.get("responseSchema")).cloned();
    request
}

fn full_reply(reply: &ScriptedReply, request: &AgentRequest, number: usize) -> Value {
    let text = reply.say.iter().map(|say| json!({"text": say}));
    let parts: Vec<Value> = text.chain(calls(reply, number)).collect();
    finish(response(&parts, request, number), reply, request)
}

/// Each event is a response with the next parts.
fn events(reply: &ScriptedReply, request: &AgentRequest, number: usize) -> Vec<ServerEvent> {
    let say = reply.say.as_deref().unwrap_or_default();
    let mut parts: Vec<Vec<Value>> =
        pieces(say).into_iter().map(|piece| vec![json!({"text": piece})]).collect();
    if !reply.calls.is_empty() {
        parts.push(calls(reply, number).collect());
    }
    let mut responses: Vec<Value> = parts.iter().map(|parts| response(parts, request, number)).collect();
    if let Some(last) = responses.pop() {
        responses.push(finish(last, reply, request));
    }
    responses.into_iter().map(ServerEvent::unnamed).collect()
}

fn error(status: u16, message: &str) -> Value {
    let name = match status {
        401 => "UNAUTHENTICATED",
        403 => "PERMISSION_DENIED",
        404 => "NOT_FOUND",
        429 => "RESOURCE_EXHAUSTED",
        500 => "INTERNAL",
        501..=599 => "UNAVAILABLE",
        _ => "INVALID_ARGUMENT",
    };
    json!({"error": {"code": status, "message": message, "status": name}})
}

fn calls(reply: &ScriptedReply, number: usize) -> impl Iterator<Item = Value> {
    reply.calls.iter().enumerate().map(move |(index, call)| {
        let id = format!("call_{number:04}_{}", index + 1);
        json!({"functionCall": {"id": id, "name": call.tool, "args": call.input}})
    })
}

fn response(parts: &[Value], request: &AgentRequest, number: usize) -> Value {
    json!({
        "candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}],
        "modelVersion": request.model, "responseId": format!("resp_{number:04}"),
    })
}

fn finish(mut response: Value, reply: &ScriptedReply, request: &AgentRequest) -> Value {
    let output = tokens_of(json!([reply.say, calls(reply, 0).collect::<Vec<_>>()]).to_string().len());
    let input = request.tokens();
    response["candidates"][0]["finishReason"] = "STOP".into();
    response["usageMetadata"] = json!({
        "promptTokenCount": input, "candidatesTokenCount": output, "totalTokenCount": input + output,
    });
    response
}
