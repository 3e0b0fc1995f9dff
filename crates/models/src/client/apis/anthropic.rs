//! Anthropic's Messages.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::turn_messages::{MessageNames, TurnMessages};
use super::{OnPiece, ReplyReader, StreamError, StreamState, list, no_answer, parsed, text};
use crate::client::layout::{CallResult, Layout, ResultNote, Turn};
use crate::client::note_text::reminder;
use crate::client::partial_reply::{PartialBlock, PartialReply};
use crate::client::{Block, Reply, ReplyPiece, Request, StopReason, ToolUse};

/// The API requires a limit; current models can write this much.
const MAX_TOKENS: u32 = 32_000;

pub(super) fn body(request: &Request<'_>, model: &str) -> Value {
    let layout = Layout::of(request.conversation);
    let mut messages = TurnMessages::new(MessageNames {
        model: "assistant",
        blocks: "content",
        text: |it| json!({"type": "text", "text": it}),
    });
    for turn in &layout.turns {
        match turn {
            Turn::Reply(reply) => messages.reply(blocks(reply)),
            Turn::Results { results, notes } => {
                // After a single result a note is clear; among several, each result contains the notes about its call.
                let several = results.len() > 1;
                let (own, beside): (Vec<&ResultNote<'_>>, Vec<&ResultNote<'_>>) = notes
                    .iter()
                    .partition(|note| several && note.within.is_some() && note.note.call_id.is_some());
                let of = |index| own.iter().filter(move |note| note.within == Some(index));
                let results = results.iter().enumerate();
                let text = |note: &&ResultNote<'_>| reminder(&note.note.text);
                let result = |(index, call_result)| result(call_result, of(index).map(text).collect());
                messages.ours(results.map(result).collect());
                let beside = beside.into_iter();
                messages.notes(beside.map(|note| &note.note), true);
                messages.close();
            }
            Turn::Prompt { notes, prompt } => {
                messages.notes(notes.iter(), prompt.is_none());
                if let Some(words) = prompt {
                    messages.add(words);
                }
                messages.close();
            }
        }
    }
    let lasting = messages.len();
    messages.notes(layout.last.iter(), true);
    let mut messages = messages.finish();
    mark_for_the_cache(&mut messages[..lasting]);

    let mut body = json!({
        "model": model, "max_tokens": request.max_tokens.unwrap_or(MAX_TOKENS), "stream": true,
    });
    let mut tools: Vec<Value> = request
        .tools
        .iter()
        .map(|tool| json!({"name": tool.name, "description": tool.description, "input_schema": tool.schema}))
        .collect();
    let system = &request.conversation.system;
    if !system.trim().is_empty() {
        // Cached tools precede the system prompt, so one mark covers both.
        body["system"] = json!([{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]);
    } else if let Some(tool) = tools.last_mut() {
        mark(tool);
    }
    if !tools.is_empty() {
        body["tools"] = tools.into();
    }
    body["messages"] = messages.into();
    body
}

/// Marks the end of the repeated part for the cache, and the previous mark: the API searches only about twenty blocks
/// back. Marks are not cached, so a message is unchanged when its mark moves.
fn mark_for_the_cache(messages: &mut [Value]) {
    let is_reply = |message: &Value| message["role"] == "assistant";
    let answered = messages.iter().rposition(is_reply).unwrap_or(0);
    let (before, since) = messages.split_at_mut(answered);
    for part in [before, since] {
        let last = part.iter_mut().rev().find(|message| !is_reply(message));
        if let Some(block) = last.and_then(|message| message["content"].as_array_mut()?.last_mut()) {
            mark(block);
        }
    }
}

fn mark(block: &mut Value) {
    block["cache_control"] = json!({"type": "ephemeral"});
}

fn blocks(reply: &Reply) -> Vec<Value> {
    let block = |block: &Block| match block {
        // The API takes no text of nothing but blanks.
        Block::Text(text) if text.trim().is_empty() => None,
        Block::Text(text) => Some(json!({"type": "text", "text": text})),
        Block::Call(ToolUse { id, name, input, .. }) => {
            Some(json!({"type": "tool_use", "id": id, "name": name, "input": input}))
        }
        Block::Kept(value) => is_thought(value).then(|| value.clone()),
    };
    reply.blocks.iter().filter_map(block).collect()
}

fn is_thought(value: &Value) -> bool {
    matches!(text(value, "type"), "thinking" | "redacted_thinking")
}

fn result(call_result: &CallResult<'_>, notes: Vec<String>) -> Value {
    let mut result =
        json!({"type": "tool_result", "tool_use_id": call_result.call_id, "content": call_result.output});
    if call_result.failed {
        result["is_error"] = true.into();
        // An error without text is refused.
        if call_result.output.trim().is_empty() {
            result["content"] = "It failed without a word.".into();
        }
    }
    if !notes.is_empty() {
        let output = result["content"].as_str().filter(|output| !output.trim().is_empty());
        let texts = output.map(str::to_owned).into_iter().chain(notes);
        result["content"] = texts.map(|text| json!({"type": "text", "text": text})).collect();
    }
    result
}

#[derive(Debug, Default)]
pub(super) struct Reader {
    partial: PartialReply,
    /// Which block of the message is which part of ours.
    places: BTreeMap<u64, usize>,
}

impl ReplyReader for Reader {
    fn take(&mut self, data: &str, on_piece: &mut OnPiece<'_>) -> Result<StreamState, StreamError> {
        let event = parsed(data)?;
        match text(&event, "type") {
            "message_start" => self.count(&event["message"]["usage"]),
            "content_block_start" => self.begin(&event, on_piece),
            "content_block_delta" => self.go_on(&event, on_piece),
            "content_block_stop" => self.complete(&event),
            "message_delta" => {
                self.count(&event["usage"]);
                self.partial.stop = event["delta"]["stop_reason"].as_str().map(stop_of);
            }
            "message_stop" => return Ok(StreamState::Complete),
            "error" => return Err(told(&event["error"])),
            "" => return Err(StreamError::Garbage("an event has no type".to_owned())),
            // `ping`, and future events.
            _ => {}
        }
        Ok(StreamState::Open)
    }

    fn take_whole(&mut self, answer: &Value, on_piece: &mut OnPiece<'_>) -> Result<(), StreamError> {
        if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
            return Err(told(error));
        }
        if !answer["content"].is_array() {
            return Err(no_answer("content"));
        }
        for (index, block) in list(&answer["content"]).iter().enumerate() {
            let event = json!({"index": index, "content_block": block});
            self.begin(&event, on_piece);
            self.complete(&event);
        }
        self.count(&answer["usage"]);
        self.partial.stop = answer["stop_reason"].as_str().map(stop_of);
        Ok(())
    }

    fn partial(&mut self) -> &mut PartialReply {
        &mut self.partial
    }

    /// The API marks its end.
    fn may_end(&mut self) -> bool {
        false
    }
}

impl Reader {
    fn begin(&mut self, event: &Value, on_piece: &mut OnPiece<'_>) {
        let block = &event["content_block"];
        let place = match text(block, "type") {
            "text" => {
                let words = text(block, "text");
                if !words.is_empty() {
                    on_piece(ReplyPiece::Text(words));
                }
                self.partial.begin(PartialBlock::Text(words.to_owned()))
            }
            "tool_use" => {
                let name = text(block, "name");
                on_piece(ReplyPiece::Call { name });
                let place = self.partial.begin_call(text(block, "id"), name);
                // As a rule the input comes later; from some servers it comes whole.
                let whole = block.get("input").filter(|input| !input.is_null() && **input != json!({}));
                if let (Some(whole), Some(PartialBlock::Call { input, .. })) = (whole, self.partial.at(place))
                {
                    *input = whole.to_string();
                }
                place
            }
            "thinking" | "redacted_thinking" => self.partial.begin(PartialBlock::Kept(block.clone(), false)),
            // A tool that the API runs itself; we offer none.
            _ => return,
        };
        self.places.insert(event["index"].as_u64().unwrap_or(0), place);
    }

    fn go_on(&mut self, event: &Value, on_piece: &mut OnPiece<'_>) {
        let delta = &event["delta"];
        let place = event["index"].as_u64().and_then(|index| self.places.get(&index));
        match place.and_then(|place| self.partial.at(*place)) {
            Some(PartialBlock::Text(received)) if delta["type"] == "text_delta" => {
                let words = text(delta, "text");
                received.push_str(words);
                on_piece(ReplyPiece::Text(words));
            }
            Some(PartialBlock::Call { input, .. }) if delta["type"] == "input_json_delta" => {
                input.push_str(text(delta, "partial_json"));
            }
            Some(PartialBlock::Kept(kept, _)) => {
                for key in ["thinking", "signature"] {
                    if let Some(more) = delta[key].as_str() {
                        kept[key] = format!("{}{more}", text(kept, key)).into();
                    }
                }
            }
            _ => {}
        }
    }

    fn complete(&mut self, event: &Value) {
        let place = event["index"].as_u64().and_then(|index| self.places.get(&index));
        if let Some(PartialBlock::Call { complete, .. } | PartialBlock::Kept(_, complete)) =
            place.and_then(|place| self.partial.at(*place))
        {
            *complete = true;
        }
    }

    /// Figures are of all so far, and only some events have all of them.
    fn count(&mut self, usage: &Value) {
        let figure = |key: &str| usage[key].as_u64();
        let known = &mut self.partial.usage;
        let mut fresh = known.input.saturating_sub(known.cache_read + known.cache_written);
        fresh = figure("input_tokens").unwrap_or(fresh);
        known.cache_read = figure("cache_read_input_tokens").unwrap_or(known.cache_read);
        known.cache_written = figure("cache_creation_input_tokens").unwrap_or(known.cache_written);
        known.output = figure("output_tokens").unwrap_or(known.output);
        known.input = fresh.saturating_add(known.cache_read).saturating_add(known.cache_written);
    }
}

fn stop_of(word: &str) -> StopReason {
    match word {
        "end_turn" | "stop_sequence" => StopReason::End,
        "tool_use" => StopReason::Calls,
        "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
        "refusal" => StopReason::Refused,
        other => StopReason::Other(other.to_owned()),
    }
}

fn told(error: &Value) -> StreamError {
    let message = text(error, "message").to_owned();
    StreamError::Reported { status: status_of(text(error, "type")), message }
}

fn status_of(kind: &str) -> u16 {
    match kind {
        "overloaded_error" => 529,
        "rate_limit_error" => 429,
        "authentication_error" => 401,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "invalid_request_error" => 400,
        _ => 500,
    }
}
