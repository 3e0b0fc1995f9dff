//! Messages of an API in which two sides take turns and a message has several blocks: Anthropic's and Gemini's.

use serde_json::{Value, json};
use tenter_contract::{Role, Strategy};

use crate::talk::layout::Said;
use crate::talk::notes::{GO_ON, reminder};

/// Said by the user where the API does not take the model's own words as the first.
const BEGIN: &str = "The conversation begins.";

/// Messages in the making.
pub(super) struct Turned {
    /// What the two sides, and the blocks of a message, are called.
    words: Words,
    messages: Vec<Value>,
    /// Whether the last message is ours and may still get a block.
    open: bool,
}

/// What an API calls things.
pub(super) struct Words {
    /// The model.
    pub(super) model: &'static str,
    /// The blocks of a message.
    pub(super) blocks: &'static str,
    /// A text as a block.
    pub(super) text: fn(&str) -> Value,
}

impl Turned {
    pub(super) fn new(words: Words) -> Self {
        Self { words, messages: Vec::new(), open: false }
    }

    /// The messages.
    pub(super) fn finish(self) -> Vec<Value> {
        self.messages
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.messages.len()
    }

    /// What the model said; nothing if it is empty.
    pub(super) fn reply(&mut self, blocks: Vec<Value>) {
        if !blocks.is_empty() {
            self.message(self.words.model, blocks);
        }
    }

    /// A message of the user, to which more may be added.
    pub(super) fn ours(&mut self, blocks: Vec<Value>) {
        if !blocks.is_empty() {
            self.message("user", blocks);
            self.open = true;
        }
    }

    /// A text in a message of the user: in the last one, if that may still get some.
    pub(super) fn add(&mut self, words: &str) {
        let block = (self.words.text)(words);
        let key = self.words.blocks;
        match self.messages.last_mut().and_then(|message| message[key].as_array_mut()) {
            Some(blocks) if self.open => blocks.push(block),
            _ => self.ours(vec![block]),
        }
    }

    /// What hooks add. With `at_the_end`, the model is to answer right behind it.
    pub(super) fn notes<'a>(&mut self, notes: impl Iterator<Item = &'a Said<'a>>, at_the_end: bool) {
        for note in notes {
            let words = match note.role {
                Role::System => reminder(&note.text),
                Role::User => note.text.to_string(),
                Role::Assistant => {
                    self.in_the_models_name(&note.text, at_the_end);
                    continue;
                }
            };
            if note.strategy == Strategy::UserMessage {
                self.open = false;
            }
            self.add(&words);
            if note.strategy == Strategy::UserMessage {
                self.open = false;
            }
        }
    }

    /// What was added so far gets nothing more.
    pub(super) fn close(&mut self) {
        self.open = false;
    }

    fn in_the_models_name(&mut self, words: &str, at_the_end: bool) {
        if self.messages.is_empty() {
            self.add(BEGIN);
        }
        let block = (self.words.text)(words);
        self.message(self.words.model, vec![block]);
        if at_the_end {
            self.add(GO_ON);
        }
    }

    fn message(&mut self, role: &str, blocks: Vec<Value>) {
        let mut message = json!({"role": role});
        message[self.words.blocks] = blocks.into();
        self.messages.push(message);
        self.open = false;
    }
}
