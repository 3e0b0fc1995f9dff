//! Google's Gemini.

use serde_json::{Value, json};

use super::turn_messages::{MessageNames, TurnMessages};
use super::{OnPiece, ReplyReader, StreamError, StreamState, list, no_answer, parsed, text, within};
use crate::client::layout::{CallResult, Layout, Turn};
use crate::client::note_text::separated;
use crate::client::partial_reply::{PartialBlock, PartialReply};
use crate::client::{Block, Reply, ReplyPiece, Request, StopReason, ToolUse};

/// The signature for calls of another model; without one, Gemini 3 refuses the conversation.
const NOT_SIGNED: &str = "skip_thought_signature_validator";

pub(super) fn body(request: &Request<'_>, model: &str) -> Value {
    let layout = Layout::of(request.conversation);
    let mut contents =
        TurnMessages::new(MessageNames { model: "model", blocks: "parts", text: |it| json!({"text": it}) });
    for turn in &layout.turns {
        match turn {
            Turn::Reply(reply) => contents.reply(parts(reply, model.starts_with("gemini-3"))),
            Turn::Results { results, notes } => {
                let results = results.iter().enumerate();
                contents.ours(
                    results.map(|(index, call_result)| result(call_result, &within(notes, index))).collect(),
                );
                let beside = notes.iter().filter(|note| note.within.is_none());
                contents.notes(beside.map(|note| &note.note), true);
                contents.close();
            }
            Turn::Prompt { notes, prompt } => {
                contents.notes(notes.iter(), prompt.is_none());
                if let Some(words) = prompt {
                    contents.add(words);
                }
                contents.close();
            }
        }
    }
    contents.notes(layout.last.iter(), true);

    let mut body = json!({});
    let system = &request.conversation.system;
    if !system.trim().is_empty() {
        body["systemInstruction"] = json!({"parts": [{"text": system}]});
    }
    if !request.tools.is_empty() {
        let declared = request.tools.iter().map(|tool| {
            json!({"name": tool.name, "description": tool.description, "parametersJsonSchema": tool.schema})
        });
        body["tools"] = json!([{"functionDeclarations": declared.collect::<Vec<_>>()}]);
    }
    if let Some(most) = request.max_tokens {
        body["generationConfig"] = json!({"maxOutputTokens": most});
    }
    body["contents"] = contents.finish().into();
    body
}

/// The parts of a reply. A signature belongs to the part that follows it.
fn parts(reply: &Reply, must_be_signed: bool) -> Vec<Value> {
    let mut parts = Vec::new();
    let mut signature = None;
    let unsigned =
        !reply.blocks.iter().any(|block| matches!(block, Block::Kept(it) if signature_of(it).is_some()));
    if must_be_signed && unsigned {
        signature = Some(NOT_SIGNED);
    }
    for block in &reply.blocks {
        let mut part = match block {
            Block::Text(text) => json!({"text": text}),
            Block::Call(ToolUse { id, name, input, .. }) => {
                json!({"functionCall": {"id": id, "name": name, "args": input}})
            }
            Block::Kept(value) => {
                // Two in a row: the first had no part.
                parts.extend(signature.take().map(|alone| json!({"text": "", "thoughtSignature": alone})));
                signature = signature_of(value);
                continue;
            }
        };
        let is_call = matches!(block, Block::Call(_));
        if let Some(signature) = signature.take_if(|it| is_call || *it != NOT_SIGNED) {
            part["thoughtSignature"] = signature.into();
        }
        parts.push(part);
    }
    let alone = signature.filter(|it| *it != NOT_SIGNED);
    parts.extend(alone.map(|alone| json!({"text": "", "thoughtSignature": alone})));
    parts
}

fn signature_of(value: &Value) -> Option<&str> {
    value["thoughtSignature"].as_str()
}

fn result(call_result: &CallResult<'_>, notes: &[&str]) -> Value {
    let key = if call_result.failed { "error" } else { "output" };
    let output =
        if notes.is_empty() { call_result.output.to_owned() } else { separated(call_result.output, notes) };
    json!({"functionResponse": {"id": call_result.call_id, "name": call_result.name, "response": {key: output}}})
}

#[derive(Debug, Default)]
pub(super) struct Reader {
    partial: PartialReply,
}

impl ReplyReader for Reader {
    fn take(&mut self, data: &str, on_piece: &mut OnPiece<'_>) -> Result<StreamState, StreamError> {
        self.response(&parsed(data)?, on_piece)?;
        Ok(StreamState::Open)
    }

    fn take_whole(&mut self, answer: &Value, on_piece: &mut OnPiece<'_>) -> Result<(), StreamError> {
        self.response(answer, on_piece)?;
        let is_one = answer["candidates"].is_array() || answer["promptFeedback"].is_object();
        if is_one { Ok(()) } else { Err(no_answer("candidates")) }
    }

    fn partial(&mut self) -> &mut PartialReply {
        &mut self.partial
    }
}

impl Reader {
    /// A piece of the stream, or the whole: they are of one shape.
    fn response(&mut self, response: &Value, on_piece: &mut OnPiece<'_>) -> Result<(), StreamError> {
        if let Some(error) = response.get("error") {
            let status = error["code"].as_u64().and_then(|code| u16::try_from(code).ok()).unwrap_or(500);
            return Err(StreamError::Reported { status, message: text(error, "message").to_owned() });
        }
        if let Some(usage) = response.get("usageMetadata") {
            self.count(usage);
        }
        if response["promptFeedback"]["blockReason"].is_string() {
            self.partial.stop = Some(StopReason::Refused);
        }
        let candidate = &response["candidates"][0];
        for part in list(&candidate["content"]["parts"]) {
            self.part(part, on_piece);
        }
        if let Some(word) = candidate["finishReason"].as_str() {
            self.partial.stop = Some(stop_of(word));
        }
        Ok(())
    }

    fn part(&mut self, part: &Value, on_piece: &mut OnPiece<'_>) {
        if let Some(signature) = part.get("thoughtSignature") {
            self.partial.begin(PartialBlock::Kept(json!({"thoughtSignature": signature}), true));
        }
        if let Some(call) = part.get("functionCall") {
            let name = text(call, "name");
            on_piece(ReplyPiece::Call { name });
            let place = self.partial.begin_call(text(call, "id"), name);
            if let Some(PartialBlock::Call { input, complete, .. }) = self.partial.at(place) {
                *input =
                    call.get("args").filter(|args| !args.is_null()).map(Value::to_string).unwrap_or_default();
                *complete = true;
            }
        }
        // Thoughts are summaries for people, which the API does not want back.
        let words = if part["thought"] == true { "" } else { text(part, "text") };
        if !words.is_empty() {
            self.partial.add_text(words);
            on_piece(ReplyPiece::Text(words));
        }
    }

    fn count(&mut self, usage: &Value) {
        let figure = |key: &str| usage[key].as_u64().unwrap_or(0);
        let known = &mut self.partial.usage;
        known.input = figure("promptTokenCount");
        known.output = figure("candidatesTokenCount").saturating_add(figure("thoughtsTokenCount"));
        known.cache_read = figure("cachedContentTokenCount");
    }
}

fn stop_of(word: &str) -> StopReason {
    match word {
        "STOP" => StopReason::End,
        "MAX_TOKENS" => StopReason::Length,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => StopReason::Refused,
        other => StopReason::Other(other.to_owned()),
    }
}
