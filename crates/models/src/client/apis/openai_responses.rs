//! OpenAI's Responses.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tenter_contract::Role;

use super::openai::{output, system, told};
use super::{OnPiece, ReplyReader, StreamError, StreamState, list, no_answer, parsed, text};
use crate::client::layout::{Layout, LayoutNote, Turn};
use crate::client::partial_reply::{PartialBlock, PartialReply};
use crate::client::{Block, Reply, ReplyPiece, Request, StopReason};

/// Models without reasoning, which refuse the option.
const PLAIN: [&str; 3] = ["gpt-3", "gpt-4", "chatgpt-4"];

pub(super) fn body(request: &Request<'_>, model: &str) -> Value {
    let layout = Layout::of(request.conversation);
    let mut input = Vec::new();
    for turn in &layout.turns {
        match turn {
            Turn::Reply(reply) => input.extend(items(reply)),
            Turn::Results { results, notes } => {
                input.extend(results.iter().enumerate().map(|(index, call_result)| {
                    let output = output(call_result, index, notes);
                    json!({"type": "function_call_output", "call_id": call_result.call_id, "output": output})
                }));
                let beside = notes.iter().filter(|note| note.within.is_none());
                input.extend(beside.map(|placed| note(&placed.note)));
            }
            Turn::Prompt { notes, prompt } => {
                input.extend(notes.iter().map(note));
                input.extend(prompt.iter().map(|words| message("user", words)));
            }
        }
    }
    input.extend(layout.last.iter().map(note));

    // Nothing is stored at the provider; its encrypted reasoning is sent back.
    let mut body = json!({"model": model, "stream": true, "store": false});
    if !PLAIN.iter().any(|one_line| model.starts_with(one_line)) {
        body["include"] = json!(["reasoning.encrypted_content"]);
    }
    if let Some(most) = request.max_tokens {
        body["max_output_tokens"] = most.into();
    }
    let system = system(request);
    if !system.is_empty() {
        body["instructions"] = system.into();
    }
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|tool| {
            json!({"type": "function", "name": tool.name, "description": tool.description,
                "parameters": tool.schema, "strict": false})
        });
        body["tools"] = tools.collect();
    }
    body["input"] = input.into();
    body
}

fn note(note: &LayoutNote<'_>) -> Value {
    match note.role {
        Role::System => message("developer", &note.text),
        Role::User => message("user", &note.text),
        Role::Assistant => message("assistant", &note.text),
    }
}

fn message(role: &str, words: &str) -> Value {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    json!({"type": "message", "role": role, "content": [{"type": kind, "text": words}]})
}

fn items(reply: &Reply) -> Vec<Value> {
    let item = |block: &Block| match block {
        Block::Text(text) => Some(message("assistant", text)),
        Block::Call(call) => {
            let arguments = Value::Object(call.input.clone()).to_string();
            Some(
                json!({"type": "function_call", "call_id": call.id, "name": call.name, "arguments": arguments}),
            )
        }
        Block::Kept(value) => (text(value, "type") == "reasoning").then(|| value.clone()),
    };
    reply.blocks.iter().filter_map(item).collect()
}

#[derive(Debug, Default)]
pub(super) struct Reader {
    partial: PartialReply,
    /// Which item of the output is which part of ours.
    places: BTreeMap<u64, usize>,
}

impl ReplyReader for Reader {
    fn take(&mut self, data: &str, on_piece: &mut OnPiece<'_>) -> Result<StreamState, StreamError> {
        if data.trim() == "[DONE]" {
            return Ok(if self.may_end() { StreamState::Complete } else { StreamState::Open });
        }
        let event = parsed(data)?;
        match text(&event, "type") {
            "response.output_item.added" => self.begin(&event, on_piece),
            "response.output_text.delta" | "response.refusal.delta" => self.add_text(&event, on_piece),
            "response.function_call_arguments.delta" => {
                if let Some(PartialBlock::Call { input, .. }) = self.part(&event) {
                    input.push_str(text(&event, "delta"));
                }
            }
            "response.output_item.done" => self.complete(&event, on_piece),
            "response.completed" | "response.incomplete" => {
                self.end(&event["response"]);
                return Ok(StreamState::Complete);
            }
            "response.failed" => return Err(told(&event["response"]["error"])),
            "error" => return Err(told(event.get("error").unwrap_or(&event))),
            "" => return Err(StreamError::Garbage("an event has no type".to_owned())),
            _ => {}
        }
        Ok(StreamState::Open)
    }

    fn take_whole(&mut self, answer: &Value, on_piece: &mut OnPiece<'_>) -> Result<(), StreamError> {
        if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
            return Err(told(error));
        }
        if !answer["output"].is_array() {
            return Err(no_answer("output"));
        }
        for (index, item) in list(&answer["output"]).iter().enumerate() {
            self.complete(&json!({"output_index": index, "item": item}), on_piece);
        }
        self.end(answer);
        Ok(())
    }

    fn partial(&mut self) -> &mut PartialReply {
        &mut self.partial
    }
}

impl Reader {
    fn begin(&mut self, event: &Value, on_piece: &mut OnPiece<'_>) {
        let item = &event["item"];
        let place = match text(item, "type") {
            "function_call" => {
                let name = text(item, "name");
                on_piece(ReplyPiece::Call { name });
                self.partial.begin_call(text(item, "call_id"), name)
            }
            "message" => self.partial.begin(PartialBlock::Text(String::new())),
            _ => return,
        };
        self.places.insert(event["output_index"].as_u64().unwrap_or(0), place);
    }

    fn part(&mut self, event: &Value) -> Option<&mut PartialBlock> {
        let place = self.places.get(&event["output_index"].as_u64()?)?;
        self.partial.at(*place)
    }

    fn add_text(&mut self, event: &Value, on_piece: &mut OnPiece<'_>) {
        let words = text(event, "delta");
        if words.is_empty() {
            return;
        }
        match self.part(event) {
            Some(PartialBlock::Text(received)) => received.push_str(words),
            _ => self.partial.add_text(words),
        }
        on_piece(ReplyPiece::Text(words));
    }

    /// A complete item, which may contain more than its pieces.
    fn complete(&mut self, event: &Value, on_piece: &mut OnPiece<'_>) {
        let item = &event["item"];
        match text(item, "type") {
            // Without its encrypted content it cannot be used, because it was not stored.
            "reasoning" if item["encrypted_content"].is_string() => {
                let mut kept = json!({"type": "reasoning"});
                for key in ["id", "summary", "encrypted_content"] {
                    kept[key] = item[key].clone();
                }
                self.partial.begin(PartialBlock::Kept(kept, true));
            }
            "function_call" => {
                if self.part(event).is_none() {
                    self.begin(event, on_piece);
                }
                if let Some(PartialBlock::Call { input, complete, .. }) = self.part(event) {
                    text(item, "arguments").clone_into(input);
                    *complete = true;
                }
            }
            "message" => {
                let content = list(&item["content"]);
                self.partial.refused |= content.iter().any(|part| !text(part, "refusal").is_empty());
                let note = |part| [text(part, "text"), text(part, "refusal")].concat();
                let words: String = content.iter().map(note).collect();
                match self.part(event) {
                    Some(PartialBlock::Text(received)) if !received.is_empty() => {}
                    _ if words.is_empty() => {}
                    _ => {
                        self.partial.add_text(&words);
                        on_piece(ReplyPiece::Text(&words));
                    }
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, response: &Value) {
        let figure = |value: &Value| value.as_u64().unwrap_or(0);
        let usage = &response["usage"];
        let known = &mut self.partial.usage;
        known.input = figure(&usage["input_tokens"]);
        known.output = figure(&usage["output_tokens"]);
        known.cache_read = figure(&usage["input_tokens_details"]["cached_tokens"]);
        known.cache_written = figure(&usage["input_tokens_details"]["cache_write_tokens"]);
        self.partial.stop = Some(match response["incomplete_details"]["reason"].as_str() {
            None => StopReason::End,
            Some("max_output_tokens") => StopReason::Length,
            Some("content_filter") => StopReason::Refused,
            Some(other) => StopReason::Other(other.to_owned()),
        });
    }
}
