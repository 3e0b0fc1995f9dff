//! OpenAI's Responses.

use serde_json::{Value, json};
use tenter_contract::Role;

use super::openai::{ItemWriter, arguments, reported, system};
use super::{
    OnPiece, ReplyReader, StreamError, StreamState, list, number, parse_event, require, text, tools,
};
use crate::client::partial_reply::{PartialBlock, PartialReply};
use crate::client::{Block, Reply, ReplyPiece, Request, StopReason, Usage};

/// Models without reasoning, which refuse the option.
const WITHOUT_REASONING: [&str; 3] = ["gpt-3", "gpt-4", "chatgpt-4"];

const ITEMS: ItemWriter = ItemWriter {
    reply: items,
    result: |call_id, output| json!({"type": "function_call_output", "call_id": call_id, "output": output}),
    prompt: |text| message("user", text),
    note: |note, _| {
        let role = match note.role {
            Role::System => "developer",
            Role::User | Role::Assistant => note.role.as_str(),
        };
        vec![message(role, &note.text)]
    },
};

pub(super) fn body(request: &Request<'_>, model: &str) -> Value {
    // Nothing is stored at the provider; its encrypted reasoning is sent back.
    let mut body = json!({"model": model, "stream": true, "store": false});
    if !WITHOUT_REASONING.iter().any(|family| model.starts_with(family)) {
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
        body["tools"] = tools(request, "parameters", &json!({"type": "function", "strict": false})).into();
    }
    body["input"] = ITEMS.write(request).into();
    body
}

fn message(role: &str, text: &str) -> Value {
    let kind = if role == "assistant" { "output_text" } else { "input_text" };
    json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]})
}

fn items(reply: &Reply) -> Vec<Value> {
    let item = |block: &Block| match block {
        Block::Text(text) => Some(message("assistant", text)),
        Block::Call(call) => {
            let mut item = json!({"type": "function_call", "call_id": call.id, "name": call.name});
            item["arguments"] = arguments(call).into();
            Some(item)
        }
        Block::Kept(value) => (text(value, "type") == "reasoning").then(|| value.clone()),
    };
    reply.blocks.iter().filter_map(item).collect()
}

#[derive(Debug, Default)]
pub(super) struct Reader {
    partial: PartialReply,
}

impl ReplyReader for Reader {
    fn read_event(&mut self, data: &str, on_piece: &mut OnPiece<'_>) -> Result<StreamState, StreamError> {
        if data.trim() == "[DONE]" {
            return Ok(if self.may_end() { StreamState::Complete } else { StreamState::Open });
        }
        let event = parse_event(data)?;
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
            "response.failed" => return Err(reported(&event["response"]["error"])),
            "error" => return Err(reported(event.get("error").unwrap_or(&event))),
            "" => return Err(StreamError::Garbage("an event has no type".to_owned())),
            _ => {}
        }
        Ok(StreamState::Open)
    }

    fn read_reply(&mut self, reply: &Value, on_piece: &mut OnPiece<'_>) -> Result<(), StreamError> {
        for (index, item) in list(&reply["output"]).iter().enumerate() {
            self.complete(&json!({"output_index": index, "item": item}), on_piece);
        }
        self.end(reply);
        require(reply["output"].is_array(), "output")
    }

    fn reported(&self, error: &Value) -> StreamError {
        reported(error)
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
        self.partial.set_number(&event["output_index"], place);
    }

    fn part(&mut self, event: &Value) -> Option<&mut PartialBlock> {
        self.partial.numbered(&event["output_index"])
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
                let text_of = |part| [text(part, "text"), text(part, "refusal")].concat();
                let words: String = content.iter().map(text_of).collect();
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
        let usage = &response["usage"];
        let details = &usage["input_tokens_details"];
        self.partial.usage = Usage {
            input: number(usage, "input_tokens"),
            output: number(usage, "output_tokens"),
            cache_read: number(details, "cached_tokens"),
            cache_written: number(details, "cache_write_tokens"),
        };
        self.partial.stop = Some(match response["incomplete_details"]["reason"].as_str() {
            None => StopReason::End,
            Some("max_output_tokens") => StopReason::Length,
            Some("content_filter") => StopReason::Refused,
            Some(other) => StopReason::Other(other.to_owned()),
        });
    }
}
