//! Google's Gemini.

use serde_json::{Value, json};

use super::turn_messages::MessageFormat;
use super::{
    OnPiece, ReplyReader, StreamError, StreamState, list, number, parse_event, require, text, tools,
};
use crate::client::note_text::separated;
use crate::client::partial_reply::{PartialBlock, PartialReply};
use crate::client::{Block, Reply, ReplyPiece, Request, StopReason, ToolResult, ToolUse};

/// The signature for calls of another model; without one, Gemini 3 refuses the conversation.
const NOT_SIGNED: &str = "skip_thought_signature_validator";

pub(super) fn body(request: &Request<'_>, model: &str) -> Value {
    let contents = MessageFormat {
        model: "model",
        blocks: "parts",
        text: |it| json!({"text": it}),
        reply: &|reply| parts(reply, model.starts_with("gemini-3")),
        result,
        within: |note, _| note.within,
    };
    let mut body = json!({});
    let system = &request.conversation.system;
    if !system.trim().is_empty() {
        body["systemInstruction"] = json!({"parts": [{"text": system}]});
    }
    if !request.tools.is_empty() {
        let tools = tools(request, "parametersJsonSchema", &json!({}));
        body["tools"] = json!([{"functionDeclarations": tools}]);
    }
    if let Some(most) = request.max_tokens {
        body["generationConfig"] = json!({"maxOutputTokens": most});
    }
    body["contents"] = contents.write(request.conversation).0.into();
    body
}

/// The parts of a reply. A signature belongs to the part that follows it.
fn parts(reply: &Reply, must_be_signed: bool) -> Vec<Value> {
    let mut parts = Vec::new();
    let is_signed =
        |block: &Block| matches!(block, Block::Kept(kept) if kept["thoughtSignature"].is_string());
    let mut signature = (must_be_signed && !reply.blocks.iter().any(is_signed)).then_some(NOT_SIGNED);
    for block in &reply.blocks {
        let mut part = match block {
            Block::Text(text) => json!({"text": text}),
            Block::Call(ToolUse { id, name, input, .. }) => {
                json!({"functionCall": {"id": id, "name": name, "args": input}})
            }
            Block::Kept(value) => {
                // Of two signatures in a row, the first has no part.
                parts.extend(signature.take().map(|alone| json!({"text": "", "thoughtSignature": alone})));
                signature = value["thoughtSignature"].as_str();
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

fn result(result: &ToolResult, notes: &[&str]) -> Value {
    let ToolResult { call_id, name, output, failed } = result;
    let key = if *failed { "error" } else { "output" };
    let output = if notes.is_empty() { output.clone() } else { separated(output, notes) };
    json!({"functionResponse": {"id": call_id, "name": name, "response": {key: output}}})
}

#[derive(Debug, Default)]
pub(super) struct Reader {
    partial: PartialReply,
}

impl ReplyReader for Reader {
    fn read_event(&mut self, data: &str, on_piece: &mut OnPiece<'_>) -> Result<StreamState, StreamError> {
        self.response(&parse_event(data)?, on_piece)?;
        Ok(StreamState::Open)
    }

    fn read_reply(&mut self, reply: &Value, on_piece: &mut OnPiece<'_>) -> Result<(), StreamError> {
        self.response(reply, on_piece)?;
        require(reply["candidates"].is_array() || reply["promptFeedback"].is_object(), "candidates")
    }

    fn reported(&self, error: &Value) -> StreamError {
        let status = error["code"].as_u64().and_then(|code| u16::try_from(code).ok()).unwrap_or(500);
        StreamError::Reported { status, message: text(error, "message").to_owned() }
    }

    fn partial(&mut self) -> &mut PartialReply {
        &mut self.partial
    }
}

impl Reader {
    /// An event of the stream, or a complete reply: they have the same format.
    fn response(&mut self, response: &Value, on_piece: &mut OnPiece<'_>) -> Result<(), StreamError> {
        if let Some(error) = response.get("error") {
            return Err(self.reported(error));
        }
        if let Some(usage) = response.get("usageMetadata") {
            let known = &mut self.partial.usage;
            known.input = number(usage, "promptTokenCount");
            known.output =
                number(usage, "candidatesTokenCount").saturating_add(number(usage, "thoughtsTokenCount"));
            known.cache_read = number(usage, "cachedContentTokenCount");
        }
        if response["promptFeedback"]["blockReason"].is_string() {
            self.partial.stop = Some(StopReason::Refused);
        }
        let candidate = &response["candidates"][0];
        for part in list(&candidate["content"]["parts"]) {
            self.part(part, on_piece);
        }
        if let Some(word) = candidate["finishReason"].as_str() {
            self.partial.stop = Some(stop_reason(word));
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
}

fn stop_reason(word: &str) -> StopReason {
    match word {
        "STOP" => StopReason::End,
        "MAX_TOKENS" => StopReason::Length,
        "SAFETY" | "RECITATION" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII" => StopReason::Refused,
        other => StopReason::Other(other.to_owned()),
    }
}
