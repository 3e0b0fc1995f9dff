//! A conversation in turns, as all APIs have them: replies, results, prompts. Each file in `apis` writes them in its
//! own form. The results of one reply are together, and notes follow them or precede the prompt. A turn does not change
//! by what follows it, so sent text is sent again unchanged.

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
    Results { results: Vec<CallResult<'a>>, notes: Vec<ResultNote<'a>> },
    Prompt { notes: Vec<LayoutNote<'a>>, prompt: Option<&'a str> },
}

#[derive(Debug, PartialEq)]
pub(super) struct CallResult<'a> {
    pub(super) call_id: &'a str,
    pub(super) name: &'a str,
    pub(super) output: &'a str,
    pub(super) failed: bool,
}

#[derive(Debug, PartialEq)]
pub(super) struct ResultNote<'a> {
    pub(super) note: LayoutNote<'a>,
    /// The result that carries it: by its strategy, and where a reply has several calls, because it is about one of
    /// them. Only text with the system role goes into a result.
    pub(super) within: Option<usize>,
}

/// A text and in whose name it is note.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LayoutNote<'a> {
    pub(super) role: Role,
    pub(super) strategy: Strategy,
    pub(super) text: Cow<'a, str>,
    pub(super) call_id: Option<&'a str>,
}

impl<'a> Layout<'a> {
    pub(super) fn of(conversation: &'a Conversation) -> Self {
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
                        layout.give(|results, _| results.push(CallResult::of(result)));
                    }
                    None => layout.note(LayoutNote::late(result), !open.is_empty(), several),
                },
                Item::Note(note) if note.text.trim().is_empty() => {}
                Item::Note(note) if !note.ephemeral => {
                    layout.note(LayoutNote::of(note), !open.is_empty(), several);
                }
                Item::Note(note) if answered.is_none_or(|last| last < index) => {
                    layout.last.push(LayoutNote::of(note));
                }
                // It was for a request that has been answered.
                Item::Note(_) => {}
            }
        }
        layout.close(&mut open);
        layout
    }

    /// Adds a result for every open call: APIs refuse a conversation without one.
    fn close(&mut self, open: &mut Vec<&'a ToolUse>) {
        for call in open.drain(..) {
            let call_result =
                CallResult { call_id: &call.id, name: &call.name, output: INTERRUPTED, failed: true };
            self.give(|results, _| results.push(call_result));
        }
    }

    /// Adds to the current turn of results.
    fn give(&mut self, add: impl FnOnce(&mut Vec<CallResult<'a>>, &mut Vec<ResultNote<'a>>)) {
        if let Some(Turn::Results { results, notes }) = self.turns.last_mut() {
            return add(results, notes);
        }
        let (mut results, mut notes) = (Vec::new(), Vec::new());
        add(&mut results, &mut notes);
        self.turns.push(Turn::Results { results, notes });
    }

    fn note(&mut self, note: LayoutNote<'a>, calls_are_open: bool, several: bool) {
        if calls_are_open || matches!(self.turns.last(), Some(Turn::Results { .. })) {
            return self.give(|results, notes| {
                let own = note
                    .call_id
                    .and_then(|call_id| results.iter().rposition(|result| result.call_id == call_id));
                let within = match (note.role, note.strategy) {
                    (Role::System, Strategy::ToolResult) => {
                        Some(own.unwrap_or(results.len().saturating_sub(1)))
                    }
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

    fn prompt(&mut self, words: &'a str) {
        match self.turns.last_mut() {
            Some(Turn::Prompt { prompt: prompt @ None, .. }) => *prompt = Some(words),
            _ => self.turns.push(Turn::Prompt { notes: Vec::new(), prompt: Some(words) }),
        }
    }
}

impl<'a> CallResult<'a> {
    fn of(result: &'a ToolResult) -> Self {
        let ToolResult { call_id, name, output, failed } = result;
        Self { call_id, name, output, failed: *failed }
    }
}

impl<'a> LayoutNote<'a> {
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
