//! OpenAI's Responses: `/v1/responses` and what Codex looks at besides.

use serde_json::{Value, json};

use super::{Route, ServerEvent, openai, pieces, tokens};
use crate::asked::{Asked, Delivery, texts};
use crate::script::ToolCall;
use crate::stage::Line;

/// What a path is for. Clients are given the base with `/v1` or without.
pub(super) fn route(method: &str, path: &str) -> Option<Route> {
    match (method, path.strip_prefix("/v1").unwrap_or(path)) {
        ("POST", "/responses") => Some(Route::Reply { model: None, delivery: None }),
        ("POST", "/responses/input_tokens") => Some(Route::Count),
        (method, path) => openai::route(method, path),
    }
}

/// What is asked.
pub(super) fn read(body: &Value) -> Asked {
    let mut told = Vec::new();
    texts(&body["instructions"], &mut told);
    let items = match &body["input"] {
        Value::Array(items) => items.as_slice(),
        prompt => {
            texts(prompt, &mut told);
            &[]
        }
    };
    items.iter().filter(|item| !own(item)).for_each(|item| texts(said_in(item), &mut told));
    let mut results = Vec::new();
    let last = items.iter().rposition(is_call).and_then(|at| reply_of(&items[at]));
    let of_last = |item: &&Value| last.is_some() && !own(item) && reply_of(item) == last;
    items.iter().filter(of_last).for_each(|item| texts(&item["output"], &mut results));
    // Codex may also add tools in the middle of a conversation.
    let later = items.iter().filter(|item| item["type"] == "additional_tools").map(|item| &item["tools"]);
    let tools: Vec<Tool<'_>> = std::iter::once(&body["tools"]).chain(later).flat_map(offered).collect();
    Asked {
        model: body["model"].as_str().unwrap_or("scripted").to_owned(),
        delivery: if body["stream"] == true { Delivery::Events } else { Delivery::Whole },
        offers_tools: !tools.is_empty(),
        told,
        results,
        schema: body["text"]["format"].get("schema").cloned(),
        text_tools: tools.iter().filter(|tool| tool.takes_text).map(|tool| tool.name.to_owned()).collect(),
        namespaces: tools
            .iter()
            .filter_map(|tool| Some((tool.name.to_owned(), tool.namespace?.to_owned())))
            .collect(),
        ..Asked::default()
    }
}

/// A response.
pub(super) fn whole(line: &Line, asked: &Asked, number: usize) -> Value {
    let mut response = envelope(asked, number);
    response["output"] = output(line, asked, number).into();
    response["status"] = "completed".into();
    let (told, spoken) = (tokens(asked), spoken(line));
    response["usage"] = json!({
        "input_tokens": told, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": spoken, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": told + spoken,
    });
    response
}

/// A response as events.
pub(super) fn events(line: &Line, asked: &Asked, number: usize) -> Vec<ServerEvent> {
    let opened = json!({"response": envelope(asked, number)});
    let mut events = vec![event("response.created", opened.clone()), event("response.in_progress", opened)];
    for (index, item) in output(line, asked, number).into_iter().enumerate() {
        events.extend(item_events(index, item));
    }
    events.push(event("response.completed", json!({"response": whole(line, asked, number)})));
    for (number, event) in events.iter_mut().enumerate() {
        event.data["sequence_number"] = number.into();
    }
    events
}

/// A tool that the agent itself runs.
struct Tool<'a> {
    name: &'a str,
    namespace: Option<&'a str>,
    takes_text: bool,
}

/// The tools of a list that the agent itself runs. A tool of another type, such as web search, is run by the
/// API.
fn offered(tools: &Value) -> Vec<Tool<'_>> {
    let mut found = Vec::new();
    for tool in tools.as_array().map(Vec::as_slice).unwrap_or_default() {
        let name = tool["name"].as_str().unwrap_or_default();
        match tool["type"].as_str() {
            Some("function") => found.push(Tool { name, namespace: None, takes_text: false }),
            Some("custom") => found.push(Tool { name, namespace: None, takes_text: true }),
            // One level: a namespace has no namespaces in it.
            Some("namespace") => {
                let inner = tool["tools"].as_array().map(Vec::as_slice).unwrap_or_default();
                found.extend(inner.iter().filter_map(|inner| {
                    let takes_text = inner["type"] == "custom";
                    Some(Tool { name: inner["name"].as_str()?, namespace: Some(name), takes_text })
                }));
            }
            _ => {}
        }
    }
    found
}

/// Whether an item is the model's own: its words, its thoughts, its calls.
fn own(item: &Value) -> bool {
    item["role"] == "assistant" || item["type"] == "reasoning" || is_call(item)
}

fn is_call(item: &Value) -> bool {
    item["type"].as_str().is_some_and(|kind| kind.ends_with("_call"))
}

/// The part of an item that the model is told; tools that are added have none.
fn said_in(item: &Value) -> &Value {
    item.get("content").or_else(|| item.get("output")).unwrap_or(&Value::Null)
}

/// Which reply a call, or the result of one, belongs to. Agents may put the result of one call before the
/// next call of the same reply, so it is not told by the order.
fn reply_of(item: &Value) -> Option<&str> {
    let id = item["call_id"].as_str()?;
    Some(id.rsplit_once('_').map_or(id, |(reply, _)| reply))
}

/// A response without output yet.
fn envelope(asked: &Asked, number: usize) -> Value {
    json!({
        "id": format!("resp_{number:04}"), "object": "response", "created_at": 0, "status": "in_progress",
        "model": asked.model, "output": [], "usage": null, "error": null, "incomplete_details": null,
        "parallel_tool_calls": true, "metadata": {},
    })
}

fn output(line: &Line, asked: &Asked, number: usize) -> Vec<Value> {
    let text = line.say.iter().map(|say| {
        json!({
            "type": "message", "id": format!("msg_{number:04}"), "status": "completed", "role": "assistant",
            "content": [{"type": "output_text", "text": say, "annotations": []}],
        })
    });
    let calls = line.calls.iter().enumerate().map(|(index, call)| {
        let place = format!("{number:04}_{}", index + 1);
        let id = format!("call_{place}");
        let name = call.tool.as_str();
        let mut item = if asked.text_tools.contains(&call.tool) {
            json!({"type": "custom_tool_call", "id": format!("ctc_{place}"), "status": "completed",
                "call_id": id, "name": name, "input": call.as_text()})
        } else {
            json!({"type": "function_call", "id": format!("fc_{place}"), "status": "completed",
                "call_id": id, "name": name, "arguments": arguments(call)})
        };
        if let Some(namespace) = asked.namespaces.get(&call.tool) {
            item["namespace"] = namespace.as_str().into();
        }
        item
    });
    text.chain(calls).collect()
}

fn arguments(call: &ToolCall) -> String {
    Value::Object(call.input.clone()).to_string()
}

/// One item of the output, from its beginning to its end.
fn item_events(index: usize, item: Value) -> Vec<ServerEvent> {
    let (key, delta, done) = match item["type"].as_str() {
        Some("function_call") => {
            ("arguments", "response.function_call_arguments.delta", "response.function_call_arguments.done")
        }
        Some("custom_tool_call") => {
            ("input", "response.custom_tool_call_input.delta", "response.custom_tool_call_input.done")
        }
        _ => return message_events(index, item),
    };
    let text = item[key].as_str().unwrap_or_default().to_owned();
    let id = item["id"].clone();
    let mut begun = item.clone();
    begun["status"] = "in_progress".into();
    begun[key] = "".into();
    let mut events = vec![added(index, &begun)];
    events.extend(
        pieces(&text)
            .into_iter()
            .map(|piece| event(delta, json!({"output_index": index, "item_id": id, "delta": piece}))),
    );
    let mut last = json!({"output_index": index, "item_id": id});
    last[key] = text.into();
    events.push(event(done, last));
    events.push(finished(index, item));
    events
}

fn message_events(index: usize, item: Value) -> Vec<ServerEvent> {
    let part = item["content"][0].clone();
    let text = part["text"].as_str().unwrap_or_default();
    let place = json!({"output_index": index, "item_id": item["id"], "content_index": 0});
    let at = |name, key: &str, value: Value| {
        let mut data = place.clone();
        data[key] = value;
        event(name, data)
    };
    let mut begun = item.clone();
    begun["status"] = "in_progress".into();
    begun["content"] = json!([]);
    let mut empty = part.clone();
    empty["text"] = "".into();
    let mut events = vec![added(index, &begun), at("response.content_part.added", "part", empty)];
    let deltas = pieces(text).into_iter();
    events.extend(deltas.map(|piece| at("response.output_text.delta", "delta", piece.into())));
    events.push(at("response.output_text.done", "text", text.into()));
    events.push(at("response.content_part.done", "part", part.clone()));
    events.push(finished(index, item));
    events
}

fn added(index: usize, item: &Value) -> ServerEvent {
    event("response.output_item.added", json!({"output_index": index, "item": item}))
}

fn finished(index: usize, item: Value) -> ServerEvent {
    let mut data = json!({"output_index": index});
    data["item"] = item;
    event("response.output_item.done", data)
}

fn event(name: &'static str, mut data: Value) -> ServerEvent {
    data["type"] = name.into();
    ServerEvent { name: Some(name), data }
}

fn spoken(line: &Line) -> usize {
    output(line, &Asked::default(), 0).iter().map(|item| item.to_string().len()).sum::<usize>().div_ceil(4)
}
