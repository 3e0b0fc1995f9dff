//! OpenAI's Chat Completions, as most servers speak it.

use serde_json::{Value, json};
use tenter_contract::Role;

use super::openai::{output, system, told};
use super::{Ear, Listener, Step, Trouble, list, no_answer, parsed, text};
use crate::talk::draft::{Draft, Part};
use crate::talk::layout::{Layout, Said, Turn};
use crate::talk::notes::{GO_ON, reminder};
use crate::talk::{Block, Call, Piece, Reply, Request, StopReason};

/// What some servers call the thoughts that they want back.
const THOUGHTS: [&str; 2] = ["reasoning_content", "reasoning_details"];

/// A request.
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
                messages.extend(results.iter().enumerate().map(|(index, given)| {
                    let output = output(given, index, notes);
                    json!({"role": "tool", "tool_call_id": given.call_id, "content": output})
                }));
                let beside = notes.iter().filter(|note| note.within.is_none());
                messages.extend(beside.flat_map(|placed| answered(&placed.said)));
            }
            Turn::Prompt { notes, prompt } => match prompt {
                None => messages.extend(notes.iter().flat_map(answered)),
                Some(words) => {
                    messages.extend(notes.iter().map(note));
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
fn note(said: &Said<'_>) -> Value {
    match said.role {
        Role::System => json!({"role": "user", "content": reminder(&said.text)}),
        Role::User => json!({"role": "user", "content": said.text}),
        Role::Assistant => json!({"role": "assistant", "content": said.text}),
    }
}

/// A note behind which the model is to answer.
fn answered(said: &Said<'_>) -> impl Iterator<Item = Value> {
    let go_on = (said.role == Role::Assistant).then(|| json!({"role": "user", "content": GO_ON}));
    std::iter::once(note(said)).chain(go_on)
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

fn call(call: &Call) -> Value {
    let arguments = Value::Object(call.input.clone()).to_string();
    json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": arguments}})
}

/// A reply being heard.
#[derive(Debug, Default)]
pub(super) struct Heard {
    draft: Draft,
    /// The calls so far: the number each has in the stream, the id it came with, and its place.
    calls: Vec<(Option<u64>, String, usize)>,
}

impl Listener for Heard {
    fn take(&mut self, data: &str, hear: &mut Ear<'_>) -> Result<Step, Trouble> {
        if data.trim() == "[DONE]" {
            // A server that ends so has nothing more to say, whether it gave a reason or not.
            return Ok(Step::Over);
        }
        self.chunk(&parsed(data)?, "delta", hear)?;
        Ok(Step::More)
    }

    fn take_whole(&mut self, answer: &Value, hear: &mut Ear<'_>) -> Result<(), Trouble> {
        self.chunk(answer, "message", hear)?;
        if answer["choices"][0].is_object() { Ok(()) } else { Err(no_answer("choices")) }
    }

    fn draft(&mut self) -> &mut Draft {
        &mut self.draft
    }
}

impl Heard {
    /// A chunk of the stream, or the whole: they differ in what the message is called.
    fn chunk(&mut self, chunk: &Value, message: &str, hear: &mut Ear<'_>) -> Result<(), Trouble> {
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
                self.draft.refused |= key == "refusal";
                self.draft.say(words);
                hear(Piece::Text(words));
            }
        }
        for call in list(&message["tool_calls"]) {
            self.call(call, hear);
        }
        if let Some(word) = choice["finish_reason"].as_str() {
            self.draft.stop = Some(stop_of(word));
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
            let place =
                self.draft.find(|part| matches!(part, Part::Kept(kept, _) if kept.get(key).is_some()));
            let Some(Part::Kept(kept, _)) = place.and_then(|place| self.draft.at(place)) else {
                self.draft.begin(Part::Kept(json!({key: more}), true));
                continue;
            };
            match (&mut kept[key], more) {
                (Value::String(known), Value::String(more)) => known.push_str(more),
                (Value::Array(known), Value::Array(more)) => known.extend(more.iter().cloned()),
                _ => {}
            }
        }
    }

    fn call(&mut self, delta: &Value, hear: &mut Ear<'_>) {
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
                let place = self.draft.begin_call(id, name);
                self.calls.push((number, id.to_owned(), place));
                hear(Piece::Call { name });
                place
            }
        };
        if let Some(Part::Call { name: heard, input, .. }) = self.draft.at(place) {
            if heard.is_empty() {
                name.clone_into(heard);
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
        let known = &mut self.draft.usage;
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
