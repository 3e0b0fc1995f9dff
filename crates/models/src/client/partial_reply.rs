//! A reply that is being received.

use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, HashSet};
use std::hash::{BuildHasher, Hasher};

use serde_json::{Map, Value};

use super::{Block, Reply, StopReason, ToolUse, Usage};

/// Bytes of an invalid input that an error shows.
const INPUT_START: usize = 120;
/// Bytes of text and input in one reply. The longest outputs of today's models are a tenth of this.
const CONTENT_LIMIT: usize = 4 * 1024 * 1024;
const PARTS_LIMIT: usize = 1_000;
/// Bytes of text that are kept of an endless reply.
const ENDLESS_TEXT_LIMIT: usize = 8 * 1024;

/// A reply that is still arriving.
#[derive(Debug, Default)]
pub(super) struct PartialReply {
    parts: Vec<PartialBlock>,
    /// The place of each block that the API numbers.
    places: BTreeMap<u64, usize>,
    /// Why it ends, once it is known.
    pub(super) stop: Option<StopReason>,
    /// The text is a refusal, which some APIs mark and end like other text.
    pub(super) refused: bool,
    pub(super) usage: Usage,
}

/// A block, perhaps without its end.
#[derive(Debug)]
pub(super) enum PartialBlock {
    Text(String),
    /// A call; its input is JSON once it is complete.
    Call {
        id: String,
        name: String,
        input: String,
        complete: bool,
    },
    /// A value to be sent back, and whether it is complete.
    Kept(Value, bool),
}

impl PartialReply {
    pub(super) fn begin(&mut self, part: PartialBlock) -> usize {
        self.parts.push(part);
        self.parts.len() - 1
    }

    /// Starts a call; one without an id gets a new id.
    pub(super) fn begin_call(&mut self, id: &str, name: &str) -> usize {
        let id = if id.is_empty() { new_id() } else { id.to_owned() };
        self.begin(PartialBlock::Call { id, name: name.to_owned(), input: String::new(), complete: false })
    }

    /// Appends text to the last block, or starts a text block.
    pub(super) fn add_text(&mut self, more: &str) {
        match self.parts.last_mut() {
            Some(PartialBlock::Text(text)) => text.push_str(more),
            _ => {
                self.begin(PartialBlock::Text(more.to_owned()));
            }
        }
    }

    /// Records the number of a block.
    pub(super) fn set_number(&mut self, number: &Value, place: usize) {
        self.places.insert(number.as_u64().unwrap_or(0), place);
    }

    /// The block with this number.
    pub(super) fn numbered(&mut self, number: &Value) -> Option<&mut PartialBlock> {
        self.parts.get_mut(*self.places.get(&number.as_u64()?)?)
    }

    pub(super) fn at(&mut self, place: usize) -> Option<&mut PartialBlock> {
        self.parts.get_mut(place)
    }

    /// The value of an unfinished block that has this key.
    pub(super) fn kept_with(&mut self, key: &str) -> Option<&mut Value> {
        self.parts.iter_mut().find_map(|part| match part {
            PartialBlock::Kept(kept, _) if kept.get(key).is_some() => Some(&mut kept[key]),
            _ => None,
        })
    }

    /// The complete reply. A call with an invalid input is kept with the error, so that the model can call again. The
    /// error is the input of a call without a tool name.
    pub(super) fn finish(self) -> Result<Reply, String> {
        let at_its_limit = self.stop == Some(StopReason::Length);
        let mut blocks = Vec::new();
        let mut ids = HashSet::new();
        for mut part in self.parts {
            // Ids identify results, so they must be unique even if the server repeats one.
            if let PartialBlock::Call { id, .. } = &mut part
                && !ids.insert(id.clone())
            {
                *id = new_id();
            }
            match part {
                PartialBlock::Text(text) if text.is_empty() => {}
                PartialBlock::Text(text) => blocks.push(Block::Text(text)),
                PartialBlock::Kept(value, _) => blocks.push(Block::Kept(value)),
                PartialBlock::Call { id, name, input, .. } => match parse_input(&input) {
                    // Its end was cut off.
                    Err(_) if at_its_limit => {}
                    _ if name.is_empty() && at_its_limit => {}
                    _ if name.is_empty() => return Err(input),
                    Ok(input) => blocks.push(Block::Call(ToolUse::new(id, name, input))),
                    Err(why) => {
                        let start = &input[..input.floor_char_boundary(INPUT_START)];
                        let unread = Some(format!("{why}; it starts with {start:?}"));
                        blocks.push(Block::Call(ToolUse { id, name, unread, ..ToolUse::default() }));
                    }
                },
            }
        }
        let has_calls = blocks.iter().any(|block| matches!(block, Block::Call(_)));
        // Some APIs do not distinguish them, and some servers confuse them.
        let stop = match self.stop.unwrap_or_default() {
            StopReason::End if has_calls => StopReason::Calls,
            StopReason::End if self.refused => StopReason::Refused,
            StopReason::Calls if !has_calls => StopReason::End,
            other => other,
        };
        Ok(Reply { blocks, stop, usage: self.usage })
    }

    /// The limit that the reply exceeds, if it does.
    pub(super) fn excess(&self) -> Option<String> {
        if self.parts.len() > PARTS_LIMIT {
            return Some(format!("it has more than {PARTS_LIMIT} parts"));
        }
        let bytes: usize = self.parts.iter().map(PartialBlock::bytes).sum();
        (bytes > CONTENT_LIMIT).then(|| format!("it has more than {} MiB", CONTENT_LIMIT >> 20))
    }

    /// The first text of an endless reply.
    pub(super) fn first_text(mut self) -> Reply {
        self.parts.truncate(1);
        if let Some(PartialBlock::Text(text)) = self.parts.first_mut() {
            text.truncate(text.floor_char_boundary(ENDLESS_TEXT_LIMIT));
        }
        self.parts.retain(|part| matches!(part, PartialBlock::Text(_)));
        self.usable()
    }

    /// The usable part of an interrupted reply.
    pub(super) fn usable(self) -> Reply {
        let block = |part| match part {
            PartialBlock::Text(text) => (!text.is_empty()).then_some(Block::Text(text)),
            PartialBlock::Kept(value, complete) => complete.then_some(Block::Kept(value)),
            PartialBlock::Call { id, name, input, complete } => {
                let input = parse_input(&input).ok().filter(|_| complete)?;
                Some(Block::Call(ToolUse::new(id, name, input)))
            }
        };
        let stop = self.stop.unwrap_or_else(|| StopReason::Other("cut".to_owned()));
        Reply { blocks: self.parts.into_iter().filter_map(block).collect(), stop, usage: self.usage }
    }
}

impl PartialBlock {
    fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Call { id, name, input, .. } => id.len() + name.len() + input.len(),
            Self::Kept(value, _) => value.to_string().len(),
        }
    }
}

/// The input of a call. Many servers send no bytes for an empty one.
fn parse_input(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(input)) => Ok(input),
        Ok(_) => Err("it is JSON, but not an object".to_owned()),
        Err(error) => Err(format!("it is not JSON: {error}")),
    }
}

fn new_id() -> String {
    format!("call_{:016x}", random_number())
}

/// A random number: the standard library offers none but the keys of its hash maps.
pub(super) fn random_number() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn partial(input: &str, stop: StopReason) -> PartialReply {
        let mut partial = PartialReply { stop: Some(stop), ..PartialReply::default() };
        partial.add_text("so");
        let place = partial.begin_call("c1", "Bash");
        if let Some(PartialBlock::Call { input: received, .. }) = partial.at(place) {
            received.push_str(input);
        }
        partial
    }

    #[test]
    fn incomplete_call_is_dropped() {
        assert_eq!(partial(r#"{"a":1"#, StopReason::Length).finish().unwrap().calls().count(), 0);
        assert_eq!(partial("[]", StopReason::Length).finish().unwrap().calls().count(), 0);
        let received = partial(r#"{"a":1}"#, StopReason::Calls).usable();
        assert_eq!((received.text().as_str(), received.calls().count()), ("so", 0));
    }

    #[test]
    fn invalid_input_is_kept_with_its_error() {
        for (input, wrong) in [
            (
                r#"{"a":1"#,
                r#"it is not JSON: EOF while parsing an object at line 1 column 6; it starts with "{\"a\":1""#,
            ),
            ("ls -l", "it is not JSON: expected value at line 1 column 1; it starts with \"ls -l\""),
            ("[1]", "it is JSON, but not an object; it starts with \"[1]\""),
            ("{} {}", "it is not JSON: trailing characters at line 1 column 4; it starts with \"{} {}\""),
        ] {
            let reply = partial(input, StopReason::Calls).finish().unwrap();
            let call = reply.calls().next().unwrap();
            assert_eq!((call.input.len(), call.unread.as_deref()), (0, Some(wrong)));
        }
        let mut nameless = PartialReply::default();
        nameless.begin_call("c1", "");
        assert_eq!(nameless.finish(), Err(String::new()));
    }

    #[test]
    fn calls_decide_the_stop_reason() {
        assert_eq!(partial("", StopReason::End).finish().unwrap().stop, StopReason::Calls);
        assert_eq!(
            PartialReply { stop: Some(StopReason::Calls), ..PartialReply::default() }.finish().unwrap().stop,
            StopReason::End
        );
    }

    #[test]
    fn refusal_text_ends_as_refused() {
        for (stop, refused, expected) in [
            (StopReason::End, true, StopReason::Refused),
            (StopReason::End, false, StopReason::End),
            (StopReason::Length, true, StopReason::Length),
        ] {
            let mut partial = PartialReply { stop: Some(stop), refused, ..PartialReply::default() };
            partial.add_text("I cannot help with that.");
            assert_eq!(partial.finish().unwrap().stop, expected);
        }
    }

    #[test]
    fn repeated_call_id_becomes_unique() {
        let mut partial = PartialReply::default();
        partial.begin_call("c1", "A");
        partial.begin_call("c1", "B");
        let reply = partial.finish().unwrap();
        let ids: Vec<_> = reply.calls().map(|call| call.id.as_str()).collect();
        assert!(ids[0] == "c1" && ids[1] != "c1", "{ids:?}");
    }

    #[test]
    fn call_without_id_gets_one() {
        let mut partial = PartialReply::default();
        partial.begin_call("", "A");
        partial.begin_call("", "B");
        let reply = partial.finish().unwrap();
        let ids: Vec<_> = reply.calls().map(|call| call.id.clone()).collect();
        assert!(ids[0] != ids[1] && ids.iter().all(|id| id.starts_with("call_")), "{ids:?}");
    }
}
