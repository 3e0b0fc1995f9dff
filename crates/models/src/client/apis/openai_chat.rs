//! OpenAI's Chat Completions, as most servers speak it.

use serde_json::{Value, json};
use tenter_contract::Role;

use super::openai::{output, system, told};
use super::{OnPiece, ReplyReader, StreamError, StreamState, list, no_answer, parsed, text};
use crate::client::layout::{Layout, LayoutNote, Turn};
use crate::client::note_text::{GO_ON, reminder};
use crate::client::partial_reply::{PartialBlock, PartialReply};
use crate::client::{Block, Reply, ReplyPiece, Request, StopReason, ToolUse};

/// Reasoning fields that some servers expect back.
const THOUGHTS: [&str; 2] = ["reasoning_content", "reasoning_details"];

pub(super) fn body(request: &Request<'_>, model: &str) -> Value {
    let layout = Layout::of(request.conversation);
    let mut messages = Vec::new();
    let system = system(request);
    if !system.is_empty() {
        messages.push(json!({"role": "system", "content": system}));
    }
    for turn in &layout.turns {
        match turn {
            Turn::Reply(reply) => messages.extend(message(reply)),
            Turn::Results { results, notes } => {
                messages.extend(results.iter().enumerate().map(|(index, call_result)| {
                    let output = output(call_result, index, notes);
                    json!({"role": "tool", "tool_call_id": call_result.call_id, "content": output})
                }));
                let beside = notes.iter().filter(|note| note.within.is_none());
                messages.extend(beside.flat_map(|placed| answered(&placed.note)));
            }
            Turn::Prompt { notes, prompt } => match prompt {
                None => messages.extend(notes.iter().flat_map(answered)),
                Some(words) => {
                    messages.extend(notes.iter().map(note_message));
                    messages.push(json!({"role": "user", "content": words}));
                }
            },
        }
    }
    messages.extend(layout.last.iter().flat_map(answered));

    let mut body = json!({"model": model, "stream": true, "stream_options": {"include_usage": true}});
    if let Some(most) = request.max_tokens {
        body["max_tokens"] = most.into();
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            let function =
                json!({"name": tool.name, "description": tool.description, "parameters": tool.schema});
            json!({"type": "function", "function": function})
        });
        body["tools"] = tools.collect();
    }
    body["messages"] = messages.into();
    body
}

/// A note is a message of its own. Few servers take one of the system in the middle of a conversation.
fn note_message(note: &LayoutNote<'_>) -> Value {
    match note.role {
        Role::System => json!({"role": "user", "content": reminder(&note.text)}),
        Role::User => json!({"role": "user", "content": note.text}),
        Role::Assistant => json!({"role": "assistant", "content": note.text}),
    }
}

/// A note behind which the model is to answer.
fn answered(note: &LayoutNote<'_>) -> impl Iterator<Item = Value> {
    let go_on = (note.role == Role::Assistant).then(|| json!({"role": "user", "content": GO_ON}));
    std::iter::once(note_message(note)).chain(go_on)
}

fn message(reply: &Reply) -> Option<Value> {
    if reply.blocks.is_empty() {
        return None;
    }
    let words = reply.text();
    let content = if words.is_empty() { Value::Null } else { words.into() };
    let mut message = json!({"role": "assistant", "content": content});
    for block in &reply.blocks {
        if let Block::Kept(Value::Object(kept)) = block {
            let known = kept.iter().filter(|(key, _)| THOUGHTS.contains(&key.as_str()));
            known.for_each(|(key, value)| message[key.as_str()] = value.clone());
        }
    }
    let calls: Vec<Value> = reply.calls().map(call).collect();
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    Some(message)
}

fn call(call: &ToolUse) -> Value {
    let arguments = Value::Object(call.input.clone()).to_string();
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

#[derive(Debug, Default)]
pub(super) struct Reader {
    partial: PartialReply,
    /// The calls so far: the number each has in the stream, the id it came with, and its place.
    calls: Vec<(Option<u64>, String, usize)>,
}

impl ReplyReader for Reader {
    fn take(&mut self, data: &str, on_piece: &mut OnPiece<'_>) -> Result<StreamState, StreamError> {
        if data.trim() == "[DONE]" {
            // The mark ends the reply, with or without a reason.
            return Ok(StreamState::Complete);
        }
        self.chunk(&parsed(data)?, "delta", on_piece)?;
        Ok(StreamState::Open)
    }

    fn take_whole(&mut self, answer: &Value, on_piece: &mut OnPiece<'_>) -> Result<(), StreamError> {
        self.chunk(answer, "message", on_piece)?;
        if answer["choices"][0].is_object() { Ok(()) } else { Err(no_answer("choices")) }
    }

    fn partial(&mut self) -> &mut PartialReply {
        &mut self.partial
    }
}

impl Reader {
    /// A chunk of the stream, or the whole reply: the message has another key.
    fn chunk(&mut self, chunk: &Value, message: &str, on_piece: &mut OnPiece<'_>) -> Result<(), StreamError> {
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(told(error));
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.count(usage);
        }
        let choice = &chunk["choices"][0];
        let message = &choice[message];
        self.think(message);
        for key in ["content", "refusal"] {
            let words = text(message, key);
            if !words.is_empty() {
                self.partial.refused |= key == "refusal";
                self.partial.add_text(words);
                on_piece(ReplyPiece::Text(words));
            }
        }
        for call in list(&message["tool_calls"]) {
            self.call(call, on_piece);
        }
        if let Some(word) = choice["finish_reason"].as_str() {
            self.partial.stop = Some(stop_of(word));
        }
        Ok(())
    }

    fn think(&mut self, delta: &Value) {
        for key in THOUGHTS {
            let more = match &delta[key] {
                Value::String(words) if !words.is_empty() => &delta[key],
                Value::Array(details) if !details.is_empty() => &delta[key],
                _ => continue,
            };
            let place = self
                .partial
                .find(|part| matches!(part, PartialBlock::Kept(kept, _) if kept.get(key).is_some()));
            let Some(PartialBlock::Kept(kept, _)) = place.and_then(|place| self.partial.at(place)) else {
                self.partial.begin(PartialBlock::Kept(json!({key: more}), true));
                continue;
            };
            match (&mut kept[key], more) {
                (Value::String(known), Value::String(more)) => known.push_str(more),
                (Value::Array(known), Value::Array(more)) => known.extend(more.iter().cloned()),
                _ => {}
            }
        }
    }

    fn call(&mut self, delta: &Value, on_piece: &mut OnPiece<'_>) {
        let number = delta["index"].as_u64();
        let (id, function) = (text(delta, "id"), &delta["function"]);
        let name = text(function, "name");
        // Some servers have no numbers, and some give all calls the same one; a new id is a new call.
        let known = self.calls.iter().rev().find(|(its, its_id, _)| {
            (number.is_none() || *its == number) && (id.is_empty() || its_id.is_empty() || its_id == id)
        });
        let place = match known {
            Some((_, _, place)) if !(number.is_none() && id.is_empty() && !name.is_empty()) => *place,
            _ => {
                let place = self.partial.begin_call(id, name);
                self.calls.push((number, id.to_owned(), place));
                on_piece(ReplyPiece::Call { name });
                place
            }
        };
        if let Some(PartialBlock::Call { name: received, input, .. }) = self.partial.at(place) {
            if received.is_empty() {
                name.clone_into(received);
            }
            match &function["arguments"] {
                Value::String(more) => input.push_str(more),
                Value::Null => {}
                whole => *input = whole.to_string(),
            }
        }
    }

    fn count(&mut self, usage: &Value) {
        let figure = |value: &Value| value.as_u64().unwrap_or(0);
        let details = &usage["prompt_tokens_details"];
        let known = &mut self.partial.usage;
        known.input = figure(&usage["prompt_tokens"]);
        known.output = figure(&usage["completion_tokens"]);
        known.cache_read = figure(&details["cached_tokens"]).max(figure(&usage["prompt_cache_hit_tokens"]));
        known.cache_written = figure(&details["cache_write_tokens"]);
    }
}

fn stop_of(word: &str) -> StopReason {
    match word {
        "stop" | "eos" => StopReason::End,
        "tool_calls" | "function_call" => StopReason::Calls,
        "length" => StopReason::Length,
        "content_filter" => StopReason::Refused,
        other => StopReason::Other(other.to_owned()),
    }
}
