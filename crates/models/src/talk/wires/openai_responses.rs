//! OpenAI's Responses.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tenter_contract::Role;

use super::openai::{output, system, told};
use super::{Ear, Listener, Step, Trouble, list, no_answer, parsed, text};
use crate::talk::draft::{Draft, Part};
use crate::talk::layout::{Layout, Said, Turn};
use crate::talk::{Block, Piece, Reply, Request, StopReason};

/// What the models are called that do not reason, and refuse to be asked for it.
const PLAIN: [&str; 3] = ["gpt-3", "gpt-4", "chatgpt-4"];

/// A request.
pub(super) fn body(request: &Request<'_>, model: &str) -> Value {
    let layout = Layout::of(request.conversation);
    let mut input = Vec::new();
    for turn in &layout.turns {
        match turn {
            Turn::Reply(reply) => input.extend(items(reply)),
            Turn::Results { results, notes } => {
                input.extend(results.iter().enumerate().map(|(index, given)| {
                    let output = output(given, index, notes);
                    json!({"type": "function_call_output", "call_id": given.call_id, "output": output})
                }));
                let beside = notes.iter().filter(|note| note.within.is_none());
                input.extend(beside.map(|placed| note(&placed.said)));
            }
            Turn::Prompt { notes, prompt } => {
                input.extend(notes.iter().map(note));
                input.extend(prompt.iter().map(|words| message("user", words)));
            }
        }
    }
    input.extend(layout.last.iter().map(note));

    // Nothing is left with the provider; what it must know of its thoughts goes back and forth, sealed.
    let mut body = json!({"model": model, "stream": true, "store": false});
    if !PLAIN.iter().any(|plain| model.starts_with(plain)) {
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

fn note(said: &Said<'_>) -> Value {
    match said.role {
        Role::System => message("developer", &said.text),
        Role::User => message("user", &said.text),
        Role::Assistant => message("assistant", &said.text),
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

/// A reply being heard.
#[derive(Debug, Default)]
pub(super) struct Heard {
    draft: Draft,
    /// Which item of the output is which part of ours.
    places: BTreeMap<u64, usize>,
}

impl Listener for Heard {
    fn take(&mut self, data: &str, hear: &mut Ear<'_>) -> Result<Step, Trouble> {
        if data.trim() == "[DONE]" {
            return Ok(if self.may_end() { Step::Over } else { Step::More });
        }
        let event = parsed(data)?;
        match text(&event, "type") {
            "response.output_item.added" => self.begin(&event, hear),
            "response.output_text.delta" | "response.refusal.delta" => self.say(&event, hear),
            "response.function_call_arguments.delta" => {
                if let Some(Part::Call { input, .. }) = self.part(&event) {
                    input.push_str(text(&event, "delta"));
                }
            }
            "response.output_item.done" => self.complete(&event, hear),
            "response.completed" | "response.incomplete" => {
                self.end(&event["response"]);
                return Ok(Step::Over);
            }
            "response.failed" => return Err(told(&event["response"]["error"])),
            "error" => return Err(told(event.get("error").unwrap_or(&event))),
            "" => return Err(Trouble::Garbage("an event has no type".to_owned())),
            _ => {}
        }
        Ok(Step::More)
    }

    fn take_whole(&mut self, answer: &Value, hear: &mut Ear<'_>) -> Result<(), Trouble> {
        if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
            return Err(told(error));
        }
        if !answer["output"].is_array() {
            return Err(no_answer("output"));
        }
        for (index, item) in list(&answer["output"]).iter().enumerate() {
            self.complete(&json!({"output_index": index, "item": item}), hear);
        }
        self.end(answer);
        Ok(())
    }

    fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }
}

impl Heard {
    fn begin(&mut self, event: &Value, hear: &mut Ear<'_>) {
        let item = &event["item"];
        let place = match text(item, "type") {
            "function_call" => {
                let name = text(item, "name");
                hear(Piece::Call { name });
                self.draft.begin_call(text(item, "call_id"), name)
            }
            "message" => self.draft.begin(Part::Text(String::new())),
            _ => return,
        };
        self.places.insert(event["output_index"].as_u64().unwrap_or(0), place);
    }

    fn part(&mut self, event: &Value) -> Option<&mut Part> {
        let place = self.places.get(&event["output_index"].as_u64()?)?;
        self.draft.at(*place)
    }

    fn say(&mut self, event: &Value, hear: &mut Ear<'_>) {
        let words = text(event, "delta");
        if words.is_empty() {
            return;
        }
        match self.part(event) {
            Some(Part::Text(heard)) => heard.push_str(words),
            _ => self.draft.say(words),
        }
        hear(Piece::Text(words));
    }

    /// The item as a whole; what was heard of it in pieces may lack something.
    fn complete(&mut self, event: &Value, hear: &mut Ear<'_>) {
        let item = &event["item"];
        match text(item, "type") {
            // Without its seal nobody can read it, since it was not stored.
            "reasoning" if item["encrypted_content"].is_string() => {
                let mut kept = json!({"type": "reasoning"});
                for key in ["id", "summary", "encrypted_content"] {
                    kept[key] = item[key].clone();
                }
                self.draft.begin(Part::Kept(kept, true));
            }
            "function_call" => {
                if self.part(event).is_none() {
                    self.begin(event, hear);
                }
                if let Some(Part::Call { input, complete, .. }) = self.part(event) {
                    text(item, "arguments").clone_into(input);
                    *complete = true;
                }
            }
            "message" => {
                let content = list(&item["content"]);
                self.draft.refused |= content.iter().any(|part| !text(part, "refusal").is_empty());
                let said = |part| [text(part, "text"), text(part, "refusal")].concat();
                let words: String = content.iter().map(said).collect();
                match self.part(event) {
                    Some(Part::Text(heard)) if !heard.is_empty() => {}
                    _ if words.is_empty() => {}
                    _ => {
                        self.draft.say(&words);
                        hear(Piece::Text(&words));
                    }
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, response: &Value) {
        let figure = |value: &Value| value.as_u64().unwrap_or(0);
        let usage = &response["usage"];
        let known = &mut self.draft.usage;
        known.input = figure(&usage["input_tokens"]);
        known.output = figure(&usage["output_tokens"]);
        known.cache_read = figure(&usage["input_tokens_details"]["cached_tokens"]);
        known.cache_written = figure(&usage["input_tokens_details"]["cache_write_tokens"]);
        self.draft.stop = Some(match response["incomplete_details"]["reason"].as_str() {
            None => StopReason::End,
            Some("max_output_tokens") => StopReason::Length,
            Some("content_filter") => StopReason::Refused,
            Some(other) => StopReason::Other(other.to_owned()),
        });
    }
}
