//! Messages of an API in which two sides take turns and a message has several blocks: Anthropic's and Gemini's.

use serde_json::{Value, json};
use tenter_contract::{Role, Strategy};

use crate::client::layout::LayoutNote;
use crate::client::note_text::{GO_ON, reminder};

/// The user's text before a first message of the model, which the API refuses.
const BEGIN: &str = "The conversation begins.";

pub(super) struct TurnMessages {
    words: MessageNames,
    messages: Vec<Value>,
    /// Whether the last message is ours and may still get a block.
    open: bool,
}

pub(super) struct MessageNames {
    pub(super) model: &'static str,
    pub(super) blocks: &'static str,
    pub(super) text: fn(&str) -> Value,
}

impl TurnMessages {
    pub(super) fn new(words: MessageNames) -> Self {
        Self { words, messages: Vec::new(), open: false }
    }

    pub(super) fn finish(self) -> Vec<Value> {
        self.messages
    }

    pub(super) fn len(&self) -> usize {
        self.messages.len()
    }

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

    /// Adds notes of hooks. With `at_the_end`, the model answers after them.
    pub(super) fn notes<'a>(&mut self, notes: impl Iterator<Item = &'a LayoutNote<'a>>, at_the_end: bool) {
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

    /// Starts a new message with the next text.
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
