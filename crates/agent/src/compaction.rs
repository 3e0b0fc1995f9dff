//! Compaction: a long conversation is replaced by a summary.

use tenter_contract::EventKind;
use tenter_models::client::{Conversation, Item, ModelError, Reply, Request, StopFlag};

use crate::agent::Agent;
use crate::observer::AgentEvent;
use crate::shared_conversation::task;
use crate::shorten::shortened;
use crate::turn::TurnError;

const ASK: &str = "Before we go on, write down everything that is needed to continue without this conversation: what \
was asked for and why, what was done and found out, which files and names matter, what was decided, what is still \
to be done, and anything hooks or the user insisted on. Write it for a reader who has seen none of it. Call no tools.";

/// A conversation that does not fit is halved until it does, so often.
const HALVINGS: u32 = 5;

impl Agent {
    /// Compacts if the last request came close to the context window. A fifth of it stays free for the next request.
    pub(crate) fn compact_if_long(&mut self, stop: &StopFlag) -> Result<(), TurnError> {
        let most = self.parts.model.window().map_or(self.parts.window, |window| window - window / 5);
        if self.usage.input + self.usage.output > most {
            self.compact("auto", stop)?;
        }
        Ok(())
    }

    /// Replaces the conversation by a summary: `auto` or `manual`. A hook may deny it.
    pub fn compact(&mut self, trigger: &str, stop: &StopFlag) -> Result<bool, TurnError> {
        let fill = |event: &mut tenter_contract::Event| event.source = Some(trigger.to_owned());
        if self.emit(EventKind::ContextPreCompact, fill).is_err() {
            return Ok(false);
        }
        self.parts.observer.on_event(AgentEvent::Compacting);
        let conversation = self.talk.now();
        let summary = self.summary(&conversation, stop)?.text();
        if summary.trim().is_empty() {
            let why = "it wrote nothing when asked for a summary".to_owned();
            let place = self.parts.model.name().to_owned();
            return Err(TurnError::Model(ModelError::Garbage { place, why, begins: String::new() }));
        }
        let last_prompt = conversation.items.iter().rev().find_map(|item| match item {
            Item::Prompt(text) => Some(text.clone()),
            Item::Reply(_) | Item::Result(_) | Item::Note(_) => None,
        });
        let asked =
            last_prompt.map(|text| format!("\n\nThe user's last words were:\n{text}")).unwrap_or_default();
        self.talk.replace_with_summary(format!("What happened so far:\n{summary}{asked}"), self.now())?;
        self.usage = tenter_models::client::Usage::default();
        let _ = self.emit(EventKind::ContextPostCompact, fill);
        self.parts.observer.on_event(AgentEvent::Compacted);
        Ok(true)
    }

    /// Asks the model for a summary. A conversation that is too long for the model is too long for this request as
    /// well, so it is shortened first.
    fn summary(&self, whole: &Conversation, stop: &StopFlag) -> Result<Reply, TurnError> {
        let mut halved = 0;
        loop {
            let items = shortened(&whole.items, halved);
            let mut conversation = Conversation { items, ..whole.frame() };
            conversation.add(task(ASK.to_owned()));
            let request = Request { conversation: &conversation, tools: &[], max_tokens: None };
            match self.parts.model.ask(&request, &mut |piece| self.wait(piece), stop) {
                Err(ModelError::TooLong { .. }) if halved < HALVINGS => halved += 1,
                Err(ModelError::TooLong { message }) => return Err(TurnError::TooLong { message }),
                asked => return asked.map_err(TurnError::Model),
            }
        }
    }
}
