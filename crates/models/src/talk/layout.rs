//! A conversation in turns, as all APIs have them: what the model said, what came of its calls, what the user
//! says. Each file in `wires` writes these down in its own way.
//!
//! Two rules hold for all of them. The results of one reply stand together, and what hooks add stands after
//! them, or before the prompt. And a turn does not change by what follows it, so what was sent once is sent
//! again unchanged.

use std::borrow::Cow;

use tenter_contract::{Role, Strategy};

use super::{Call, Conversation, Item, Note, Reply, ToolResult};

/// What the model is told of a call whose result never came.
const INTERRUPTED: &str = "The call was interrupted before it gave a result.";

/// A conversation in turns.
#[derive(Debug, Default)]
pub(super) struct Layout<'a> {
    /// What stays.
    pub(super) turns: Vec<Turn<'a>>,
    /// What is for this request alone. It comes last, where nothing that is kept in a cache follows it.
    pub(super) last: Vec<Said<'a>>,
}

/// A turn.
#[derive(Debug, PartialEq)]
pub(super) enum Turn<'a> {
    /// What the model said.
    Reply(&'a Reply),
    /// What came of its calls.
    Results {
        /// One for each call.
        results: Vec<Given<'a>>,
        /// What was added.
        notes: Vec<Placed<'a>>,
    },
    /// What the user says.
    Prompt {
        /// What was added before.
        notes: Vec<Said<'a>>,
        /// Their words.
        prompt: Option<&'a str>,
    },
}

/// The result of a call.
#[derive(Debug, PartialEq)]
pub(super) struct Given<'a> {
    pub(super) call_id: &'a str,
    pub(super) name: &'a str,
    pub(super) output: &'a str,
    pub(super) failed: bool,
}

/// What was added after a call.
#[derive(Debug, PartialEq)]
pub(super) struct Placed<'a> {
    pub(super) said: Said<'a>,
    /// The result that carries it: by its strategy, and where a reply has several calls, because it is about one of
    /// them. Only text with the system role goes into a result.
    pub(super) within: Option<usize>,
}

/// A text and in whose name it is said.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Said<'a> {
    pub(super) role: Role,
    pub(super) strategy: Strategy,
    pub(super) text: Cow<'a, str>,
    /// The call it is about.
    pub(super) call_id: Option<&'a str>,
}

impl<'a> Layout<'a> {
    /// Lays out a conversation.
    pub(super) fn of(conversation: &'a Conversation) -> Self {
        let answered = conversation.items.iter().rposition(|item| matches!(item, Item::Reply(_)));
        let mut layout = Self::default();
        if !conversation.instructions.trim().is_empty() {
            let (role, strategy) = (Role::User, Strategy::Auto);
            let text = Cow::Borrowed(conversation.instructions.as_str());
            layout.note(Said { role, strategy, text, call_id: None }, false, false);
        }
        // The calls of the last reply that have no result yet.
        let mut open: Vec<&Call> = Vec::new();
        let mut several = false;
        for (index, item) in conversation.items.iter().enumerate() {
            match item {
                Item::Reply(reply) => {
                    layout.close(&mut open);
                    layout.turns.push(Turn::Reply(reply));
                    open = reply.calls().collect();
                    several = open.len() > 1;
                }
                Item::Prompt(prompt) => {
                    layout.close(&mut open);
                    layout.prompt(prompt);
                }
                Item::Result(result) => match open.iter().position(|call| call.id == result.call_id) {
                    Some(at) => {
                        open.remove(at);
                        layout.give(|results, _| results.push(Given::of(result)));
                    }
                    None => layout.note(Said::late(result), !open.is_empty(), several),
                },
                Item::Note(note) if note.text.trim().is_empty() => {}
                Item::Note(note) if !note.ephemeral => layout.note(Said::of(note), !open.is_empty(), several),
                Item::Note(note) if answered.is_none_or(|last| last < index) => {
                    layout.last.push(Said::of(note));
                }
                // It was for a request that has been answered.
                Item::Note(_) => {}
            }
        }
        layout.close(&mut open);
        layout
    }

    /// Gives every call a result: without one, no API takes the conversation any more.
    fn close(&mut self, open: &mut Vec<&'a Call>) {
        for call in open.drain(..) {
            let given = Given { call_id: &call.id, name: &call.name, output: INTERRUPTED, failed: true };
            self.give(|results, _| results.push(given));
        }
    }

    /// Adds to the turn of results that is being given.
    fn give(&mut self, add: impl FnOnce(&mut Vec<Given<'a>>, &mut Vec<Placed<'a>>)) {
        if let Some(Turn::Results { results, notes }) = self.turns.last_mut() {
            return add(results, notes);
        }
        let (mut results, mut notes) = (Vec::new(), Vec::new());
        add(&mut results, &mut notes);
        self.turns.push(Turn::Results { results, notes });
    }

    fn note(&mut self, said: Said<'a>, calls_are_open: bool, several: bool) {
        if calls_are_open || matches!(self.turns.last(), Some(Turn::Results { .. })) {
            return self.give(|results, notes| {
                let own = said
                    .call_id
                    .and_then(|call_id| results.iter().rposition(|result| result.call_id == call_id));
                let within = match (said.role, said.strategy) {
                    (Role::System, Strategy::ToolResult) => {
                        Some(own.unwrap_or(results.len().saturating_sub(1)))
                    }
                    // Behind several results nobody could tell which of them it is about.
                    (Role::System, Strategy::Auto) if several => own,
                    _ => None,
                };
                notes.push(Placed { said, within });
            });
        }
        match self.turns.last_mut() {
            Some(Turn::Prompt { notes, prompt: None }) => notes.push(said),
            _ => self.turns.push(Turn::Prompt { notes: vec![said], prompt: None }),
        }
    }

    fn prompt(&mut self, words: &'a str) {
        match self.turns.last_mut() {
            Some(Turn::Prompt { prompt: prompt @ None, .. }) => *prompt = Some(words),
            _ => self.turns.push(Turn::Prompt { notes: Vec::new(), prompt: Some(words) }),
        }
    }
}

impl<'a> Given<'a> {
    fn of(result: &'a ToolResult) -> Self {
        let ToolResult { call_id, name, output, failed } = result;
        Self { call_id, name, output, failed: *failed }
    }
}

impl<'a> Said<'a> {
    fn of(note: &'a Note) -> Self {
        let call_id = note.call_id.as_deref();
        Self { role: note.role, strategy: note.strategy, text: Cow::Borrowed(&note.text), call_id }
    }

    /// A result to which no call is open: no API takes it as one.
    fn late(result: &ToolResult) -> Self {
        let text = format!("A late result of {}:\n{}", result.name, result.output);
        Self { role: Role::System, strategy: Strategy::Auto, text: Cow::Owned(text), call_id: None }
    }
}

#[cfg(test)]
mod tests;
