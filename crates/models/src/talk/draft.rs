//! A reply while it is being heard.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use serde_json::{Map, Value};

use super::{Block, Call, Reply, StopReason, Usage};

/// How much of an input that is none is told.
const BEGIN: usize = 120;
/// Bytes of text and input in one reply. The longest outputs of today's models are a tenth of this.
const CONTENT_LIMIT: usize = 4 * 1024 * 1024;
/// Blocks in one reply.
const PARTS_LIMIT: usize = 1_000;
/// Bytes that are kept of a text in a reply without an end: enough to see what went wrong.
const KEPT_OF_ENDLESS: usize = 8 * 1024;

/// What was heard of a reply so far.
#[derive(Debug, Default)]
pub(super) struct Draft {
    parts: Vec<Part>,
    /// Why it ends, once that was said.
    pub(super) stop: Option<StopReason>,
    /// It has words in which the model refuses, which some APIs tell apart and end like any other.
    pub(super) refused: bool,
    /// What it costs, as far as that was said.
    pub(super) usage: Usage,
}

/// A block, perhaps without its end.
#[derive(Debug)]
pub(super) enum Part {
    /// Words.
    Text(String),
    /// A call; its input is JSON once it is complete.
    Call { id: String, name: String, input: String, complete: bool },
    /// Something to be sent back, and whether it is all there.
    Kept(Value, bool),
}

impl Draft {
    /// Adds a part; returns its place.
    pub(super) fn begin(&mut self, part: Part) -> usize {
        self.parts.push(part);
        self.parts.len() - 1
    }

    /// Begins a call; one without an id gets one of ours.
    pub(super) fn begin_call(&mut self, id: &str, name: &str) -> usize {
        let id = if id.is_empty() { fresh_id() } else { id.to_owned() };
        self.begin(Part::Call { id, name: name.to_owned(), input: String::new(), complete: false })
    }

    /// Adds words to the part that is being heard.
    pub(super) fn say(&mut self, words: &str) {
        match self.parts.last_mut() {
            Some(Part::Text(text)) => text.push_str(words),
            _ => {
                self.begin(Part::Text(words.to_owned()));
            }
        }
    }

    /// The part at a place.
    pub(super) fn at(&mut self, place: usize) -> Option<&mut Part> {
        self.parts.get_mut(place)
    }

    /// Where the first part of a kind is.
    pub(super) fn find(&self, is_it: impl Fn(&Part) -> bool) -> Option<usize> {
        self.parts.iter().position(is_it)
    }

    /// The reply, when it is complete. A call whose input is none is one all the same: whoever runs it tells the
    /// model, which can call again. The error is how the input of a call begins that names no tool.
    pub(super) fn finish(self) -> Result<Reply, String> {
        let at_its_limit = self.stop == Some(StopReason::Length);
        let mut blocks = Vec::new();
        let mut ids = HashSet::new();
        for mut part in self.parts {
            // Results are told apart by their ids, whatever the server says.
            if let Part::Call { id, .. } = &mut part
                && !ids.insert(id.clone())
            {
                *id = fresh_id();
            }
            match part {
                Part::Text(text) if text.is_empty() => {}
                Part::Text(text) => blocks.push(Block::Text(text)),
                Part::Kept(value, _) => blocks.push(Block::Kept(value)),
                Part::Call { id, name, input, .. } => match input_of(&input) {
                    // It would have gone on.
                    Err(_) if at_its_limit => {}
                    _ if name.is_empty() && at_its_limit => {}
                    _ if name.is_empty() => return Err(input),
                    Ok(input) => blocks.push(Block::Call(Call::new(id, name, input))),
                    Err(why) => {
                        let unread = Some(format!("{why}; it begins with {:?}", begin_of(&input)));
                        blocks.push(Block::Call(Call { id, name, unread, ..Call::default() }));
                    }
                },
            }
        }
        let has_calls = blocks.iter().any(|block| matches!(block, Block::Call(_)));
        // Some APIs have one word for both, and some servers mix them up.
        let stop = match self.stop.unwrap_or_default() {
            StopReason::End if has_calls => StopReason::Calls,
            StopReason::End if self.refused => StopReason::Refused,
            StopReason::Calls if !has_calls => StopReason::End,
            other => other,
        };
        Ok(Reply { blocks, stop, usage: self.usage })
    }

    /// Why the reply counts as one without an end, if it does.
    pub(super) fn excess(&self) -> Option<String> {
        if self.parts.len() > PARTS_LIMIT {
            return Some(format!("it has more than {PARTS_LIMIT} parts"));
        }
        let bytes: usize = self.parts.iter().map(Part::bytes).sum();
        (bytes > CONTENT_LIMIT).then(|| format!("it has more than {} MiB", CONTENT_LIMIT >> 20))
    }

    /// The first words of a reply without an end.
    pub(super) fn first_words(mut self) -> Reply {
        self.parts.truncate(1);
        if let Some(Part::Text(text)) = self.parts.first_mut() {
            text.truncate(text.floor_char_boundary(KEPT_OF_ENDLESS));
        }
        self.parts.retain(|part| matches!(part, Part::Text(_)));
        self.so_far()
    }

    /// What can be used of it although it breaks off.
    pub(super) fn so_far(self) -> Reply {
        let block = |part| match part {
            Part::Text(text) => (!text.is_empty()).then_some(Block::Text(text)),
            Part::Kept(value, complete) => complete.then_some(Block::Kept(value)),
            Part::Call { id, name, input, complete } => {
                let input = input_of(&input).ok().filter(|_| complete)?;
                Some(Block::Call(Call::new(id, name, input)))
            }
        };
        let stop = self.stop.unwrap_or_else(|| StopReason::Other("cut".to_owned()));
        Reply { blocks: self.parts.into_iter().filter_map(block).collect(), stop, usage: self.usage }
    }
}

impl Part {
    fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Call { id, name, input, .. } => id.len() + name.len() + input.len(),
            Self::Kept(value, _) => bytes_of(value),
        }
    }
}

fn bytes_of(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(bytes_of).sum::<usize>() + 8,
        Value::Object(values) => values.iter().map(|(key, value)| key.len() + bytes_of(value)).sum(),
    }
}

/// The input of a call, or what is wrong with it. Many servers send nothing at all for an empty one.
fn input_of(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(input)) => Ok(input),
        Ok(_) => Err("it is JSON, but no object".to_owned()),
        Err(error) => Err(format!("it is no JSON: {error}")),
    }
}

/// So much of an input as is needed to know it again.
fn begin_of(input: &str) -> &str {
    &input[..input.floor_char_boundary(BEGIN)]
}

/// An id that no other call has.
fn fresh_id() -> String {
    format!("call_{:016x}", random())
}

/// Some number: the standard library's only source of them is the keys of its hash maps.
pub(super) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft(input: &str, stop: StopReason) -> Draft {
        let mut draft = Draft { stop: Some(stop), ..Draft::default() };
        draft.say("so");
        let place = draft.begin_call("c1", "Bash");
        if let Some(Part::Call { input: heard, .. }) = draft.at(place) {
            heard.push_str(input);
        }
        draft
    }

    #[test]
    fn half_a_call_is_none() {
        assert_eq!(draft(r#"{"a":1"#, StopReason::Length).finish().unwrap().calls().count(), 0);
        assert_eq!(draft("[]", StopReason::Length).finish().unwrap().calls().count(), 0);
        let heard = draft(r#"{"a":1}"#, StopReason::Calls).so_far();
        assert_eq!((heard.text().as_str(), heard.calls().count()), ("so", 0));
    }

    #[test]
    fn a_call_whose_input_is_none_is_kept_with_what_is_wrong_with_it() {
        for (input, wrong) in [
            (
                r#"{"a":1"#,
                r#"it is no JSON: EOF while parsing an object at line 1 column 6; it begins with "{\"a\":1""#,
            ),
            ("ls -l", "it is no JSON: expected value at line 1 column 1; it begins with \"ls -l\""),
            ("[1]", "it is JSON, but no object; it begins with \"[1]\""),
            ("{} {}", "it is no JSON: trailing characters at line 1 column 4; it begins with \"{} {}\""),
        ] {
            let reply = draft(input, StopReason::Calls).finish().unwrap();
            let call = reply.calls().next().unwrap();
            assert_eq!((call.input.len(), call.unread.as_deref()), (0, Some(wrong)));
        }
        let mut nameless = Draft::default();
        nameless.begin_call("c1", "");
        assert_eq!(nameless.finish(), Err(String::new()));
    }

    #[test]
    fn a_reply_ends_with_calls_if_it_has_some() {
        assert_eq!(draft("", StopReason::End).finish().unwrap().stop, StopReason::Calls);
        assert_eq!(
            Draft { stop: Some(StopReason::Calls), ..Draft::default() }.finish().unwrap().stop,
            StopReason::End
        );
    }

    #[test]
    fn words_in_which_a_model_refuses_end_as_a_refusal() {
        for (stop, refused, expected) in [
            (StopReason::End, true, StopReason::Refused),
            (StopReason::End, false, StopReason::End),
            (StopReason::Length, true, StopReason::Length),
        ] {
            let mut draft = Draft { stop: Some(stop), refused, ..Draft::default() };
            draft.say("I cannot help with that.");
            assert_eq!(draft.finish().unwrap().stop, expected);
        }
    }

    #[test]
    fn calls_with_the_same_id_are_told_apart() {
        let mut draft = Draft::default();
        draft.begin_call("c1", "A");
        draft.begin_call("c1", "B");
        let reply = draft.finish().unwrap();
        let ids: Vec<_> = reply.calls().map(|call| call.id.as_str()).collect();
        assert!(ids[0] == "c1" && ids[1] != "c1", "{ids:?}");
    }

    #[test]
    fn a_call_without_an_id_gets_its_own() {
        let mut draft = Draft::default();
        draft.begin_call("", "A");
        draft.begin_call("", "B");
        let reply = draft.finish().unwrap();
        let ids: Vec<_> = reply.calls().map(|call| call.id.clone()).collect();
        assert!(ids[0] != ids[1] && ids.iter().all(|id| id.starts_with("call_")), "{ids:?}");
    }
}
