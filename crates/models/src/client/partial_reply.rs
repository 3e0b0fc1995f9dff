//! A reply while it is being received.

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use serde_json::{Map, Value};

use super::{Block, Reply, StopReason, ToolUse, Usage};

/// Bytes of an invalid input that an error shows.
const BEGIN: usize = 120;
/// Bytes of text and input in one reply. The longest outputs of today's models are a tenth of this.
const CONTENT_LIMIT: usize = 4 * 1024 * 1024;
const PARTS_LIMIT: usize = 1_000;
/// Bytes of text that are kept of an endless reply.
const KEPT_OF_ENDLESS: usize = 8 * 1024;

/// A reply that is still arriving.
#[derive(Debug, Default)]
pub(super) struct PartialReply {
    parts: Vec<PartialBlock>,
    /// Why it ends, once that was note.
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
    /// Something to be sent back, and whether it is all there.
    Kept(Value, bool),
}

impl PartialReply {
    pub(super) fn begin(&mut self, part: PartialBlock) -> usize {
        self.parts.push(part);
        self.parts.len() - 1
    }

    /// Begins a call; one without an id gets one of ours.
    pub(super) fn begin_call(&mut self, id: &str, name: &str) -> usize {
        let id = if id.is_empty() { new_id() } else { id.to_owned() };
        self.begin(PartialBlock::Call { id, name: name.to_owned(), input: String::new(), complete: false })
    }

    /// Appends text to the last block, or starts a text block.
    pub(super) fn add_text(&mut self, words: &str) {
        match self.parts.last_mut() {
            Some(PartialBlock::Text(text)) => text.push_str(words),
            _ => {
                self.begin(PartialBlock::Text(words.to_owned()));
            }
        }
    }

    pub(super) fn at(&mut self, place: usize) -> Option<&mut PartialBlock> {
        self.parts.get_mut(place)
    }

    /// Where the first part of a kind is.
    pub(super) fn find(&self, is_it: impl Fn(&PartialBlock) -> bool) -> Option<usize> {
        self.parts.iter().position(is_it)
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
                    // It would have gone on.
                    Err(_) if at_its_limit => {}
                    _ if name.is_empty() && at_its_limit => {}
                    _ if name.is_empty() => return Err(input),
                    Ok(input) => blocks.push(Block::Call(ToolUse::new(id, name, input))),
                    Err(why) => {
                        let unread = Some(format!("{why}; it begins with {:?}", begin_of(&input)));
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

    /// Why the reply counts as one without an end, if it does.
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
            text.truncate(text.floor_char_boundary(KEPT_OF_ENDLESS));
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

/// The input of a call. Many servers send nothing for an empty one.
fn parse_input(text: &str) -> Result<Map<String, Value>, String> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(input)) => Ok(input),
        Ok(_) => Err("it is JSON, but no object".to_owned()),
        Err(error) => Err(format!("it is no JSON: {error}")),
    }
}

fn begin_of(input: &str) -> &str {
    &input[..input.floor_char_boundary(BEGIN)]
}

fn new_id() -> String {
    format!("call_{:016x}", random_number())
}

/// Some number: the standard library's only source of them is the keys of its hash maps.
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
    fn half_a_call_is_none() {
        assert_eq!(partial(r#"{"a":1"#, StopReason::Length).finish().unwrap().calls().count(), 0);
        assert_eq!(partial("[]", StopReason::Length).finish().unwrap().calls().count(), 0);
        let received = partial(r#"{"a":1}"#, StopReason::Calls).usable();
        assert_eq!((received.text().as_str(), received.calls().count()), ("so", 0));
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
            let reply = partial(input, StopReason::Calls).finish().unwrap();
            let call = reply.calls().next().unwrap();
            assert_eq!((call.input.len(), call.unread.as_deref()), (0, Some(wrong)));
        }
        let mut nameless = PartialReply::default();
        nameless.begin_call("c1", "");
        assert_eq!(nameless.finish(), Err(String::new()));
    }

    #[test]
    fn a_reply_ends_with_calls_if_it_has_some() {
        assert_eq!(partial("", StopReason::End).finish().unwrap().stop, StopReason::Calls);
        assert_eq!(
            PartialReply { stop: Some(StopReason::Calls), ..PartialReply::default() }.finish().unwrap().stop,
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
            let mut partial = PartialReply { stop: Some(stop), refused, ..PartialReply::default() };
            partial.add_text("I cannot help with that.");
            assert_eq!(partial.finish().unwrap().stop, expected);
        }
    }

    #[test]
    fn calls_with_the_same_id_are_told_apart() {
        let mut partial = PartialReply::default();
        partial.begin_call("c1", "A");
        partial.begin_call("c1", "B");
        let reply = partial.finish().unwrap();
        let ids: Vec<_> = reply.calls().map(|call| call.id.as_str()).collect();
        assert!(ids[0] == "c1" && ids[1] != "c1", "{ids:?}");
    }

    #[test]
    fn a_call_without_an_id_gets_its_own() {
        let mut partial = PartialReply::default();
        partial.begin_call("", "A");
        partial.begin_call("", "B");
        let reply = partial.finish().unwrap();
        let ids: Vec<_> = reply.calls().map(|call| call.id.clone()).collect();
        assert!(ids[0] != ids[1] && ids.iter().all(|id| id.starts_with("call_")), "{ids:?}");
    }
}
