//! Compaction: a long conversation is replaced by a summary.

use tenter_contract::EventKind;
use tenter_models::client::{Conversation, FailureCause, Item, ModelError, Reply, Request, StopFlag, Usage};

use crate::agent::Agent;
use crate::observer::AgentEvent;
use crate::shared_conversation::task_note;
use crate::shorten::shortened;
use crate::turn::TurnError;

const ASK: &str = "Before we go on, write down everything that is needed to continue without this conversation: what \
was asked for and why, what was done and found out, which files and names matter, what was decided, what is still \
to be done, and anything hooks or the user insisted on. Write it for a reader who has seen none of it. Call no tools.";

/// How often a conversation that is too long is halved.
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
            let cause = FailureCause::Garbage(String::new());
            let error = ModelError::new(cause, self.parts.model.name(), "the summary is empty");
            return Err(TurnError::Model(error));
        }
        let prompt = |item: &Item| if let Item::Prompt(text) = item { Some(text.clone()) } else { None };
        let last_prompt = conversation.items.iter().rev().find_map(prompt);
        let asked = last_prompt.map(|text| format!("\n\nThe last prompt of the user:\n{text}"));
        let asked = asked.unwrap_or_default();
        self.talk.replace_with_summary(format!("What happened so far:\n{summary}{asked}"), self.now())?;
        self.usage = Usage::default();
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
            conversation.add(task_note(ASK.to_owned()));
            let request = Request { conversation: &conversation, tools: &[], max_tokens: None };
            match self.parts.model.ask(&request, &mut |piece| self.report_retry(piece), stop) {
                Err(error) if error.cause == FailureCause::TooLong && halved < HALVINGS => halved += 1,
                Err(error) if error.cause == FailureCause::TooLong => {
                    return Err(TurnError::TooLong(error.message));
                }
                result => return result.map_err(TurnError::Model),
            }
        }
    }
}
