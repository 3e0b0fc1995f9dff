//! A conversation in turns: replies, results, prompts. Each file in `apis` writes them in the format of its API. The
//! results of one reply are together, and notes follow them or precede the prompt. Later items do not change a turn, so
//! sent text is sent again unchanged.

use std::borrow::Cow;

use tenter_contract::{Role, Strategy};

use super::{Conversation, Item, Note, Reply, ToolResult, ToolUse};

/// The result of a call that was interrupted.
const INTERRUPTED: &str = "The call was interrupted before it gave a result.";

#[derive(Debug, Default)]
pub(super) struct Layout<'a> {
    pub(super) turns: Vec<Turn<'a>>,
    /// Notes for this request alone. They come last, so that the prompt cache stays valid.
    pub(super) last: Vec<LayoutNote<'a>>,
}

#[derive(Debug, PartialEq)]
pub(super) enum Turn<'a> {
    Reply(&'a Reply),
    Results { results: Vec<Cow<'a, ToolResult>>, notes: Vec<ResultNote<'a>> },
    Prompt { notes: Vec<LayoutNote<'a>>, prompt: Option<&'a str> },
}

#[derive(Debug, PartialEq)]
pub(super) struct ResultNote<'a> {
    pub(super) note: LayoutNote<'a>,
    /// The result that contains it: because of its strategy, or because it is about one of several calls. Only text with
    /// the system role goes into a result.
    pub(super) within: Option<usize>,
}

/// A note or a late result, with its role.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LayoutNote<'a> {
    pub(super) role: Role,
    pub(super) strategy: Strategy,
    pub(super) text: Cow<'a, str>,
    pub(super) call_id: Option<&'a str>,
}

impl<'a> Layout<'a> {
    pub(super) fn new(conversation: &'a Conversation) -> Self {
        let answered = conversation.items.iter().rposition(|item| matches!(item, Item::Reply(_)));
        let mut layout = Self::default();
        if !conversation.instructions.trim().is_empty() {
            let (role, strategy) = (Role::User, Strategy::Auto);
            let text = Cow::Borrowed(conversation.instructions.as_str());
            layout.note(LayoutNote { role, strategy, text, call_id: None }, false, false);
        }
        // The calls of the last reply that have no result yet.
        let mut open: Vec<&ToolUse> = Vec::new();
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
                        layout.with_results(|results, _| results.push(Cow::Borrowed(result)));
                    }
                    None => layout.note(LayoutNote::from_late_result(result), !open.is_empty(), several),
                },
                Item::Note(note) if note.text.trim().is_empty() => {}
                Item::Note(note) if !note.ephemeral => {
                    layout.note(LayoutNote::from_note(note), !open.is_empty(), several);
                }
                Item::Note(note) if answered.is_none_or(|last| last < index) => {
                    layout.last.push(LayoutNote::from_note(note));
                }
                // It was for an earlier request.
                Item::Note(_) => {}
            }
        }
        layout.close(&mut open);
        layout
    }

    /// Adds a result for every open call: APIs refuse a conversation without one.
    fn close(&mut self, open: &mut Vec<&'a ToolUse>) {
        for call in open.drain(..) {
            let [call_id, name, output] = [&call.id, &call.name, INTERRUPTED].map(str::to_owned);
            let result = ToolResult { call_id, name, output, failed: true };
            self.with_results(|results, _| results.push(Cow::Owned(result)));
        }
    }

    /// Changes the current turn of results, or a new one.
    fn with_results(&mut self, change: impl FnOnce(&mut Vec<Cow<'a, ToolResult>>, &mut Vec<ResultNote<'a>>)) {
        if !matches!(self.turns.last(), Some(Turn::Results { .. })) {
            self.turns.push(Turn::Results { results: Vec::new(), notes: Vec::new() });
        }
        if let Some(Turn::Results { results, notes }) = self.turns.last_mut() {
            change(results, notes);
        }
    }

    fn note(&mut self, note: LayoutNote<'a>, calls_are_open: bool, several: bool) {
        if calls_are_open || matches!(self.turns.last(), Some(Turn::Results { .. })) {
            return self.with_results(|results, notes| {
                let own = note.call_id.and_then(|id| results.iter().rposition(|it| it.call_id == id));
                let last = results.len().saturating_sub(1);
                let within = match (note.role, note.strategy) {
                    (Role::System, Strategy::ToolResult) => Some(own.unwrap_or(last)),
                    // After several results the model could not assign it.
                    (Role::System, Strategy::Auto) if several => own,
                    _ => None,
                };
                notes.push(ResultNote { note, within });
            });
        }
        match self.turns.last_mut() {
            Some(Turn::Prompt { notes, prompt: None }) => notes.push(note),
            _ => self.turns.push(Turn::Prompt { notes: vec![note], prompt: None }),
        }
    }

    fn prompt(&mut self, text: &'a str) {
        match self.turns.last_mut() {
            Some(Turn::Prompt { prompt: prompt @ None, .. }) => *prompt = Some(text),
            _ => self.turns.push(Turn::Prompt { notes: Vec::new(), prompt: Some(text) }),
        }
    }
}

impl<'a> LayoutNote<'a> {
    fn from_note(note: &'a Note) -> Self {
        let call_id = note.call_id.as_deref();
        Self { role: note.role, strategy: note.strategy, text: Cow::Borrowed(&note.text), call_id }
    }

    /// A result without an open call, which no API accepts as a result.
    fn from_late_result(result: &ToolResult) -> Self {
        let text = format!("A late result of {}:\n{}", result.name, result.output);
        Self { role: Role::System, strategy: Strategy::Auto, text: Cow::Owned(text), call_id: None }
    }
}

#[cfg(test)]
mod tests;
