//! Google's Gemini: `/v1beta/models/MODEL:generateContent` and its siblings.

use serde_json::{Value, json};

use super::{Route, ServerEvent, pieces, tokens};
use crate::asked::{Asked, Delivery, texts};
use crate::stage::Line;

/// What a path is for.
pub(super) fn route(method: &str, path: &str, query: &str) -> Option<Route> {
    let below = path.strip_prefix("/v1beta/models").or_else(|| path.strip_prefix("/v1/models"))?;
    if method == "GET" && !below.contains(':') {
        return Some(Route::Probe);
    }
    let (model, verb) = below.strip_prefix('/')?.split_once(':')?;
    let reply = |delivery| Route::Reply { model: Some(model.to_owned()), delivery: Some(delivery) };
    match (method, verb) {
        ("POST", "generateContent") => Some(reply(Delivery::Whole)),
        ("POST", "streamGenerateContent") if query.split('&').any(|pair| pair == "alt=sse") => {
            Some(reply(Delivery::Events))
        }
        ("POST", "streamGenerateContent") => Some(reply(Delivery::Array)),
        ("POST", "countTokens") => Some(Route::Count),
        _ => None,
    }
}

/// What is asked. The path says which model and how.
pub(super) fn read(body: &Value) -> Asked {
    // A request to count may carry the whole request inside.
    let body = body.get("generateContentRequest").unwrap_or(body);
    let contents = body["contents"].as_array().map(Vec::as_slice).unwrap_or_default();
    let own = |content: &&Value| content["role"] == "model";
    let mut told = Vec::new();
    texts(&body["systemInstruction"], &mut told);
    contents.iter().filter(|content| !own(content)).for_each(|content| texts(content, &mut told));
    let mut results = Vec::new();
    let last = contents.iter().rev().take_while(|content| !own(content));
    last.filter_map(|content| content["parts"].as_array())
        .flatten()
        .filter_map(|part| part.get("functionResponse"))
        .for_each(|response| texts(&response["response"], &mut results));
    let tools = body["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
    let declares = |tool: &Value| tool["functionDeclarations"].as_array().is_some_and(|all| !all.is_empty());
    let config = &body["generationConfig"];
    let schema = config.get("responseJsonSchema").or_else(|| config.get("responseSchema")).cloned();
    Asked { offers_tools: tools.iter().any(declares), told, results, schema, ..Asked::default() }
}

/// A response.
pub(super) fn whole(line: &Line, asked: &Asked, number: usize) -> Value {
    let text = line.say.iter().map(|say| json!({"text": say}));
    let parts: Vec<Value> = text.chain(calls(line, number)).collect();
    ended(response(&parts, asked, number), line, asked)
}

/// A response as events: each is a response of its own, with the parts that come next.
pub(super) fn events(line: &Line, asked: &Asked, number: usize) -> Vec<ServerEvent> {
    let say = line.say.as_deref().unwrap_or_default();
    let mut parts: Vec<Vec<Value>> =
        pieces(say).into_iter().map(|piece| vec![json!({"text": piece})]).collect();
    if !line.calls.is_empty() {
        parts.push(calls(line, number).collect());
    }
    let mut responses: Vec<Value> = parts.iter().map(|parts| response(parts, asked, number)).collect();
    if let Some(last) = responses.pop() {
        responses.push(ended(last, line, asked));
    }
    responses.into_iter().map(|data| ServerEvent { name: None, data }).collect()
}

/// So many tokens.
pub(super) fn counted(tokens: usize) -> Value {
    json!({"totalTokens": tokens})
}

/// An error.
pub(super) fn error(status: u16, message: &str) -> Value {
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

fn calls(line: &Line, number: usize) -> impl Iterator<Item = Value> {
    line.calls.iter().enumerate().map(move |(index, call)| {
        let id = format!("call_{number:04}_{}", index + 1);
        json!({"functionCall": {"id": id, "name": call.tool, "args": call.input}})
    })
}

fn response(parts: &[Value], asked: &Asked, number: usize) -> Value {
    json!({
        "candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}],
        "modelVersion": asked.model, "responseId": format!("resp_{number:04}"),
    })
}

/// A response that is the last of its reply.
fn ended(mut response: Value, line: &Line, asked: &Asked) -> Value {
    let spoken = json!([line.say, calls(line, 0).collect::<Vec<_>>()]).to_string().len().div_ceil(4);
    let told = tokens(asked);
    response["candidates"][0]["finishReason"] = "STOP".into();
    response["usageMetadata"] = json!({
        "promptTokenCount": told, "candidatesTokenCount": spoken, "totalTokenCount": told + spoken,
    });
    response
}
