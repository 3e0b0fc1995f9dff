//! Messages of an API in which two sides take turns and a message has several blocks: Anthropic's and Gemini's.

use serde_json::{Value, json};
use tenter_contract::{Role, Strategy};

use crate::client::layout::{Layout, LayoutNote, ResultNote, Turn};
use crate::client::note_text::{GO_ON, reminder};
use crate::client::{Conversation, Reply, ToolResult};

/// The user's text before a first message of the model, which the API refuses.
const BEGIN: &str = "The conversation begins.";

/// How an API writes messages and their blocks.
pub(super) struct MessageFormat<'f> {
    /// The role of the model.
    pub(super) model: &'static str,
    /// The key of the blocks.
    pub(super) blocks: &'static str,
    pub(super) text: fn(&str) -> Value,
    pub(super) reply: &'f dyn Fn(&Reply) -> Vec<Value>,
    /// Writes a result with the texts of its notes.
    pub(super) result: fn(&ToolResult, &[&str]) -> Value,
    /// The result that contains a note. The flag says whether there are several results.
    pub(super) within: fn(&ResultNote<'_>, bool) -> Option<usize>,
}

struct Writer<'f> {
    format: &'f MessageFormat<'f>,
    messages: Vec<Value>,
    /// Whether the last message is the user's and more blocks can be added.
    open: bool,
}

impl MessageFormat<'_> {
    /// All messages, and how many of them stay the same in later requests.
    pub(super) fn write(&self, conversation: &Conversation) -> (Vec<Value>, usize) {
        let layout = Layout::new(conversation);
        let mut writer = Writer { format: self, messages: Vec::new(), open: false };
        for turn in &layout.turns {
            match turn {
                Turn::Reply(reply) => {
                    let blocks = (self.reply)(reply);
                    if !blocks.is_empty() {
                        writer.message(self.model, blocks);
                    }
                }
                Turn::Results { results, notes } => {
                    let within = |note: &ResultNote<'_>| (self.within)(note, results.len() > 1);
                    let result = |(index, result)| {
                        let own = notes.iter().filter(|note| within(note) == Some(index));
                        (self.result)(result, &own.map(|note| &*note.note.text).collect::<Vec<_>>())
                    };
                    let blocks: Vec<Value> =
                        results.iter().map(AsRef::as_ref).enumerate().map(result).collect();
                    if !blocks.is_empty() {
                        writer.message("user", blocks);
                        writer.open = true;
                    }
                    let others = notes.iter().filter(|note| within(note).is_none());
                    writer.notes(others.map(|note| &note.note), true);
                    writer.open = false;
                }
                Turn::Prompt { notes, prompt } => {
                    writer.notes(notes.iter(), prompt.is_none());
                    if let Some(prompt) = prompt {
                        writer.add(prompt);
                    }
                    writer.open = false;
                }
            }
        }
        let lasting = writer.messages.len();
        writer.notes(layout.last.iter(), true);
        (writer.messages, lasting)
    }
}

impl Writer<'_> {
    /// Adds text of the user: to the last message if it is open, or as a new message.
    fn add(&mut self, text: &str) {
        let block = (self.format.text)(text);
        match self.messages.last_mut().and_then(|message| message[self.format.blocks].as_array_mut()) {
            Some(blocks) if self.open => blocks.push(block),
            _ => {
                self.message("user", vec![block]);
                self.open = true;
            }
        }
    }

    /// Adds notes of hooks. With `at_the_end`, the model answers after them.
    fn notes<'a>(&mut self, notes: impl Iterator<Item = &'a LayoutNote<'a>>, at_the_end: bool) {
        for note in notes {
            let text = match note.role {
                Role::System => reminder(&note.text),
                Role::User => note.text.to_string(),
                Role::Assistant => {
                    self.model_note(&note.text, at_the_end);
                    continue;
                }
            };
            self.open &= note.strategy != Strategy::UserMessage;
            self.add(&text);
            self.open &= note.strategy != Strategy::UserMessage;
        }
    }

    fn model_note(&mut self, text: &str, at_the_end: bool) {
        if self.messages.is_empty() {
            self.add(BEGIN);
        }
        self.message(self.format.model, vec![(self.format.text)(text)]);
        if at_the_end {
            self.add(GO_ON);
        }
    }

    fn message(&mut self, role: &str, blocks: Vec<Value>) {
        let mut message = json!({"role": role});
        message[self.format.blocks] = blocks.into();
        self.messages.push(message);
        self.open = false;
    }
}
