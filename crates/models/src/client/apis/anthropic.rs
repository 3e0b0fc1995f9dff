//! Anthropic's Messages.

use serde_json::{Value, json};

use super::turn_messages::MessageFormat;
use super::{OnPiece, ReplyReader, StreamError, StreamState, list, parse_event, require, text, tools};
use crate::client::note_text::reminder;
use crate::client::partial_reply::{PartialBlock, PartialReply};
use crate::client::{Block, Reply, ReplyPiece, Request, StopReason, ToolResult, ToolUse};

/// The API requires a limit; current models can write this much.
const MAX_TOKENS: u32 = 32_000;

const MESSAGES: MessageFormat<'_> = MessageFormat {
    model: "assistant",
    blocks: "content",
    text: |it| json!({"type": "text", "text": it}),
    reply: &blocks,
    result,
    // A note is clear after a single result. Among several, each result contains the notes about its call.
    within: |note, several| note.within.filter(|_| several && note.note.call_id.is_some()),
};

pub(super) fn body(request: &Request<'_>, model: &str) -> Value {
    let (mut messages, lasting) = MESSAGES.write(request.conversation);
    mark_for_the_cache(&mut messages[..lasting]);

    let mut body = json!({
        "model": model, "max_tokens": request.max_tokens.unwrap_or(MAX_TOKENS), "stream": true,
    });
    let mut tools = tools(request, "input_schema", &json!({}));
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
        // The API refuses blank text.
        Block::Text(text) if text.trim().is_empty() => None,
        Block::Text(text) => Some(json!({"type": "text", "text": text})),
        Block::Call(ToolUse { id, name, input, .. }) => {
            Some(json!({"type": "tool_use", "id": id, "name": name, "input": input}))
        }
        Block::Kept(value) => {
            matches!(text(value, "type"), "thinking" | "redacted_thinking").then(|| value.clone())
        }
    };
    reply.blocks.iter().filter_map(block).collect()
}

fn result(result: &ToolResult, notes: &[&str]) -> Value {
    let ToolResult { call_id, output, failed, .. } = result;
    let is_empty = output.trim().is_empty();
    // An error without text is refused.
    let output = if *failed && is_empty { "It failed without output." } else { output };
    let mut block = json!({"type": "tool_result", "tool_use_id": call_id, "content": output});
    if *failed {
        block["is_error"] = true.into();
    }
    if !notes.is_empty() {
        let output = (*failed || !is_empty).then(|| output.to_owned());
        let texts = output.into_iter().chain(notes.iter().map(|note| reminder(note)));
        block["content"] = texts.map(|text| json!({"type": "text", "text": text})).collect();
    }
    block
}

#[derive(Debug, Default)]
pub(super) struct Reader {
    partial: PartialReply,
}

impl ReplyReader for Reader {
    fn read_event(&mut self, data: &str, on_piece: &mut OnPiece<'_>) -> Result<StreamState, StreamError> {
        let event = parse_event(data)?;
        match text(&event, "type") {
            "message_start" => self.count(&event["message"]["usage"]),
            "content_block_start" => self.begin(&event, on_piece),
            "content_block_delta" => self.extend(&event, on_piece),
            "content_block_stop" => self.complete(&event),
            "message_delta" => {
                self.count(&event["usage"]);
                self.partial.stop = event["delta"]["stop_reason"].as_str().map(stop_reason);
            }
            "message_stop" => return Ok(StreamState::Complete),
            "error" => return Err(self.reported(&event["error"])),
            "" => return Err(StreamError::Garbage("an event has no type".to_owned())),
            // `ping`, and future events.
            _ => {}
        }
        Ok(StreamState::Open)
    }

    fn read_reply(&mut self, reply: &Value, on_piece: &mut OnPiece<'_>) -> Result<(), StreamError> {
        for (index, block) in list(&reply["content"]).iter().enumerate() {
            let event = json!({"index": index, "content_block": block});
            self.begin(&event, on_piece);
            self.complete(&event);
        }
        self.count(&reply["usage"]);
        self.partial.stop = reply["stop_reason"].as_str().map(stop_reason);
        require(reply["content"].is_array(), "content")
    }

    fn reported(&self, error: &Value) -> StreamError {
        let status = match text(error, "type") {
            "overloaded_error" => 529,
            "rate_limit_error" => 429,
            "authentication_error" => 401,
            "permission_error" => 403,
            "not_found_error" => 404,
            "request_too_large" => 413,
            "invalid_request_error" => 400,
            _ => 500,
        };
        StreamError::Reported { status, message: text(error, "message").to_owned() }
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
                // The input usually follows; some servers send it at once.
                let full = block.get("input").filter(|input| !input.is_null() && **input != json!({}));
                if let (Some(full), Some(PartialBlock::Call { input, .. })) = (full, self.partial.at(place)) {
                    *input = full.to_string();
                }
                place
            }
            "thinking" | "redacted_thinking" => self.partial.begin(PartialBlock::Kept(block.clone(), false)),
            // A tool that the API runs itself; tenter offers none.
            _ => return,
        };
        self.partial.set_number(&event["index"], place);
    }

    fn extend(&mut self, event: &Value, on_piece: &mut OnPiece<'_>) {
        let delta = &event["delta"];
        match self.partial.numbered(&event["index"]) {
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
        let block = self.partial.numbered(&event["index"]);
        if let Some(PartialBlock::Call { complete, .. } | PartialBlock::Kept(_, complete)) = block {
            *complete = true;
        }
    }

    /// The numbers are totals so far, and only some events have all of them.
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

fn stop_reason(word: &str) -> StopReason {
    match word {
        "end_turn" | "stop_sequence" => StopReason::End,
        "tool_use" => StopReason::Calls,
        "max_tokens" | "model_context_window_exceeded" => StopReason::Length,
        "refusal" => StopReason::Refused,
        other => StopReason::Other(other.to_owned()),
    }
}
