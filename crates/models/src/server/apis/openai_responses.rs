//! OpenAI's Responses: `/v1/responses` and the other paths that Codex uses.

use serde_json::{Value, json};

use super::{Route, ServedApi, ServerEvent, openai, pieces, tokens_of};
use crate::server::agent_request::{AgentRequest, collect_texts, items};
use crate::server::script_state::ScriptedReply;

pub(super) const API: ServedApi = ServedApi {
    route,
    read,
    full_reply,
    events,
    token_count: openai::token_count,
    error: openai::error,
    end_mark: None,
};

fn route(method: &str, path: &str, _: &str) -> Option<Route> {
    match (method, openai::path(path)) {
        ("POST", "/responses") => Some(Route::REPLY),
        ("POST", "/responses/input_tokens") => Some(Route::CountTokens),
        (method, path) => openai::route(method, path),
    }
}

fn read(body: &Value) -> AgentRequest {
    let mut request = AgentRequest::from_body(body);
    collect_texts(&body["instructions"], &mut request.texts);
    let input = items(&body["input"]);
    if !body["input"].is_array() {
        collect_texts(&body["input"], &mut request.texts);
    }
    let text = |item: &Value| item.get("content").or_else(|| item.get("output")).cloned().unwrap_or_default();
    let others = input.iter().filter(|item| !is_own(item));
    others.clone().for_each(|item| collect_texts(&text(item), &mut request.texts));
    let last = input.iter().rposition(is_call).and_then(|at| reply_id(&input[at]));
    let results = others.filter(|item| last.is_some() && reply_id(item) == last);
    results.for_each(|item| collect_texts(&item["output"], &mut request.results));
    // Codex may add tools in the middle of a conversation.
    let later = input.iter().filter(|item| item["type"] == "additional_tools").map(|item| &item["tools"]);
    let tools: Vec<OfferedTool<'_>> =
        std::iter::once(&body["tools"]).chain(later).flat_map(agent_tools).collect();
    request.offers_tools = !tools.is_empty();
    request.schema = body["text"]["format"].get("schema").cloned();
    request.text_tools =
        tools.iter().filter(|tool| tool.takes_text).map(|tool| tool.name.to_owned()).collect();
    let namespaced = |tool: &OfferedTool<'_>| Some((tool.name.to_owned(), tool.namespace?.to_owned()));
    request.namespaces = tools.iter().filter_map(namespaced).collect();
    request
}

fn full_reply(reply: &ScriptedReply, request: &AgentRequest, number: usize) -> Value {
    let mut response = envelope(request, number);
    response["output"] = output(reply, request, number).into();
    response["status"] = "completed".into();
    let items = output(reply, &AgentRequest::default(), 0);
    let (input, output) =
        (request.tokens(), tokens_of(items.iter().map(|item| item.to_string().len()).sum()));
    response["usage"] = json!({
        "input_tokens": input, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": output, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": input + output,
    });
    response
}

fn events(reply: &ScriptedReply, request: &AgentRequest, number: usize) -> Vec<ServerEvent> {
    let event = ServerEvent::named;
    let opened = json!({"response": envelope(request, number)});
    let mut events = vec![event("response.created", opened.clone()), event("response.in_progress", opened)];
    for (index, item) in output(reply, request, number).into_iter().enumerate() {
        events.extend(item_events(index, &item));
    }
    events.push(event("response.completed", json!({"response": full_reply(reply, request, number)})));
    for (number, event) in events.iter_mut().enumerate() {
        event.data["sequence_number"] = number.into();
    }
    events
}

struct OfferedTool<'a> {
    name: &'a str,
    namespace: Option<&'a str>,
    takes_text: bool,
}

/// The tools that the agent runs itself. The API runs tools of another type, such as web search.
fn agent_tools(tools: &Value) -> Vec<OfferedTool<'_>> {
    let mut found = Vec::new();
    for tool in items(tools) {
        let name = tool["name"].as_str().unwrap_or_default();
        match tool["type"].as_str() {
            Some(kind @ ("function" | "custom")) => {
                found.push(OfferedTool { name, namespace: None, takes_text: kind == "custom" });
            }
            // Namespaces are not nested.
            Some("namespace") => found.extend(items(&tool["tools"]).iter().filter_map(|inner| {
                let takes_text = inner["type"] == "custom";
                Some(OfferedTool { name: inner["name"].as_str()?, namespace: Some(name), takes_text })
            })),
            _ => {}
        }
    }
    found
}

/// Whether the model produced an item: text, reasoning or a call.
fn is_own(item: &Value) -> bool {
    item["role"] == "assistant" || item["type"] == "reasoning" || is_call(item)
}

fn is_call(item: &Value) -> bool {
    item["type"].as_str().is_some_and(|kind| kind.ends_with("_call"))
}

/// The reply that a call or its result belongs to. Agents may send the result of one call before the next call of the
/// same reply, so the order does not show it.
fn reply_id(item: &Value) -> Option<&str> {
    let id = item["call_id"].as_str()?;
    Some(id.rsplit_once('_').map_or(id, |(reply, _)| reply))
}

/// A response without output.
fn envelope(request: &AgentRequest, number: usize) -> Value {
    json!({
        "id": format!("resp_{number:04}"), "object": "response", "created_at": 0, "status": "in_progress",
        "model": request.model, "output": [], "usage": null, "error": null, "incomplete_details": null,
        "parallel_tool_calls": true, "metadata": {},
    })
}

fn output(reply: &ScriptedReply, request: &AgentRequest, number: usize) -> Vec<Value> {
    let text = reply.say.iter().map(|say| {
        json!({
            "type": "message", "id": format!("msg_{number:04}"), "status": "completed", "role": "assistant",
            "content": [{"type": "output_text", "text": say, "annotations": []}],
        })
    });
    let calls = reply.calls.iter().enumerate().map(|(index, call)| {
        let place = format!("{number:04}_{}", index + 1);
        let (kind, prefix, key, input) = if request.text_tools.contains(&call.tool) {
            ("custom_tool_call", "ctc", "input", call.as_text())
        } else {
            ("function_call", "fc", "arguments", call.arguments())
        };
        let mut item = json!({"type": kind, "id": format!("{prefix}_{place}"), "status": "completed",
            "call_id": format!("call_{place}"), "name": call.tool, key: input});
        if let Some(namespace) = request.namespaces.get(&call.tool) {
            item["namespace"] = namespace.as_str().into();
        }
        item
    });
    text.chain(calls).collect()
}

/// The events of one output item, from its start to its end.
fn item_events(index: usize, item: &Value) -> Vec<ServerEvent> {
    let (key, delta, done) = match item["type"].as_str() {
        Some("function_call") => {
            ("arguments", "response.function_call_arguments.delta", "response.function_call_arguments.done")
        }
        Some("custom_tool_call") => {
            ("input", "response.custom_tool_call_input.delta", "response.custom_tool_call_input.done")
        }
        _ => ("text", "response.output_text.delta", "response.output_text.done"),
    };
    let is_message = key == "text";
    let part = &item["content"][0];
    let mut place = json!({"output_index": index, "item_id": item["id"]});
    let mut started = item.clone();
    started["status"] = "in_progress".into();
    if is_message {
        place["content_index"] = 0.into();
        started["content"] = json!([]);
    } else {
        started[key] = "".into();
    }
    let text = if is_message { &part["text"] } else { &item[key] }.as_str().unwrap_or_default();
    let at = |name, key: &str, value: Value| {
        let mut data = place.clone();
        data[key] = value;
        ServerEvent::named(name, data)
    };
    let full = |name, item: &Value| ServerEvent::named(name, json!({"output_index": index, "item": item}));
    let mut events = vec![full("response.output_item.added", &started)];
    if is_message {
        let mut empty = part.clone();
        empty["text"] = "".into();
        events.push(at("response.content_part.added", "part", empty));
    }
    events.extend(pieces(text).into_iter().map(|piece| at(delta, "delta", piece.into())));
    events.push(at(done, key, text.into()));
    if is_message {
        events.push(at("response.content_part.done", "part", part.clone()));
    }
    events.push(full("response.output_item.done", item));
    events
}
