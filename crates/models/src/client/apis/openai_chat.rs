//! OpenAI's Chat Completions, as most servers speak it.

use serde_json::{Value, json};
use tenter_contract::Role;

use super::openai::{ItemWriter, arguments, reported, system};
use super::{
    OnPiece, ReplyReader, StreamError, StreamState, list, number, parse_event, require, text, tools,
};
use crate::client::layout::LayoutNote;
use crate::client::note_text::{GO_ON, reminder};
use crate::client::partial_reply::{PartialBlock, PartialReply};
use crate::client::{Block, Reply, ReplyPiece, Request, StopReason, ToolUse, Usage};

/// Reasoning fields that some servers expect back.
const THOUGHTS: [&str; 2] = ["reasoning_content", "reasoning_details"];

const MESSAGES: ItemWriter = ItemWriter {
    reply: message,
    result: |call_id, output| json!({"role": "tool", "tool_call_id": call_id, "content": output}),
    prompt: |text| json!({"role": "user", "content": text}),
    note,
};

pub(super) fn body(request: &Request<'_>, model: &str) -> Value {
    let system = system(request);
    let system = (!system.is_empty()).then(|| json!({"role": "system", "content": system}));
    let mut body = json!({"model": model, "stream": true, "stream_options": {"include_usage": true}});
    if let Some(most) = request.max_tokens {
        body["max_tokens"] = most.into();
    }
    if !request.tools.is_empty() {
        let tools = tools(request, "parameters", &json!({})).into_iter();
        body["tools"] = tools.map(|function| json!({"type": "function", "function": function})).collect();
    }
    body["messages"] = system.into_iter().chain(MESSAGES.write(request)).collect();
    body
}

/// A note is a message of its own. Few servers accept a system message in the middle of a conversation.
fn note(note: &LayoutNote<'_>, at_the_end: bool) -> Vec<Value> {
    let user = |text: &str| json!({"role": "user", "content": text});
    match note.role {
        Role::System => vec![user(&reminder(&note.text))],
        Role::User => vec![user(&note.text)],
        Role::Assistant => {
            let message = json!({"role": "assistant", "content": note.text});
            std::iter::once(message).chain(at_the_end.then(|| user(GO_ON))).collect()
        }
    }
}

fn message(reply: &Reply) -> Vec<Value> {
    if reply.blocks.is_empty() {
        return Vec::new();
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
    let call = |call: &ToolUse| {
        let function = json!({"name": call.name, "arguments": arguments(call)});
        json!({"id": call.id, "type": "function", "function": function})
    };
    let calls: Vec<Value> = reply.calls().map(call).collect();
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    vec![message]
}

#[derive(Debug, Default)]
pub(super) struct Reader {
    partial: PartialReply,
    /// The calls so far: their numbers in the stream, their ids and their places in the reply.
    calls: Vec<(Option<u64>, String, usize)>,
}

impl ReplyReader for Reader {
    fn read_event(&mut self, data: &str, on_piece: &mut OnPiece<'_>) -> Result<StreamState, StreamError> {
        if data.trim() == "[DONE]" {
            // The mark ends the reply, with or without a stop reason.
            return Ok(StreamState::Complete);
        }
        self.chunk(&parse_event(data)?, "delta", on_piece)?;
        Ok(StreamState::Open)
    }

    fn read_reply(&mut self, reply: &Value, on_piece: &mut OnPiece<'_>) -> Result<(), StreamError> {
        self.chunk(reply, "message", on_piece)?;
        require(reply["choices"][0].is_object(), "choices")
    }

    fn reported(&self, error: &Value) -> StreamError {
        reported(error)
    }

    fn partial(&mut self) -> &mut PartialReply {
        &mut self.partial
    }
}

impl Reader {
    /// A chunk of the stream, or a complete reply, whose message has another key.
    fn chunk(&mut self, chunk: &Value, message: &str, on_piece: &mut OnPiece<'_>) -> Result<(), StreamError> {
        if let Some(error) = chunk.get("error").filter(|error| !error.is_null()) {
            return Err(reported(error));
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.count(usage);
        }
        let choice = &chunk["choices"][0];
        let message = &choice[message];
        self.add_thoughts(message);
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
            self.partial.stop = Some(stop_reason(word));
        }
        Ok(())
    }

    fn add_thoughts(&mut self, delta: &Value) {
        for key in THOUGHTS {
            let more = &delta[key];
            if text(delta, key).is_empty() && list(more).is_empty() {
                continue;
            }
            match (self.partial.kept_with(key), more) {
                (Some(Value::String(known)), Value::String(more)) => known.push_str(more),
                (Some(Value::Array(known)), Value::Array(more)) => known.extend(more.iter().cloned()),
                (Some(_), _) => {}
                (None, _) => {
                    self.partial.begin(PartialBlock::Kept(json!({key: more}), true));
                }
            }
        }
    }

    fn call(&mut self, delta: &Value, on_piece: &mut OnPiece<'_>) {
        let number = delta["index"].as_u64();
        let (id, function) = (text(delta, "id"), &delta["function"]);
        let name = text(function, "name");
        // Some servers send no numbers, or the same number for all calls; a new id is a new call.
        let known = self.calls.iter().rev().find(|(known, known_id, _)| {
            (number.is_none() || *known == number) && (id.is_empty() || known_id.is_empty() || known_id == id)
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
        let details = &usage["prompt_tokens_details"];
        self.partial.usage = Usage {
            input: number(usage, "prompt_tokens"),
            output: number(usage, "completion_tokens"),
            cache_read: number(details, "cached_tokens").max(number(usage, "prompt_cache_hit_tokens")),
            cache_written: number(details, "cache_write_tokens"),
        };
    }
}

fn stop_reason(word: &str) -> StopReason {
    match word {
        "stop" | "eos" => StopReason::End,
        "tool_calls" | "function_call" => StopReason::Calls,
        "length" => StopReason::Length,
        "content_filter" => StopReason::Refused,
        other => StopReason::Other(other.to_owned()),
    }
}
