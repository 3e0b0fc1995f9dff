//! A conversation that grows too long is put into fewer words.

use tenter_contract::EventKind;
use tenter_models::talk::{Conversation, Item, ModelError, Reply, Request, Stop};

use crate::agent::Agent;
use crate::listener::Heard;
use crate::shortened::shortened;
use crate::talk::task;
use crate::turn::Trouble;

const ASK: &str = "Before we go on, write down everything that is needed to continue without this conversation: what \
was asked for and why, what was done and found out, which files and names matter, what was decided, what is still \
to be done, and anything hooks or the user insisted on. Write it for somebody who has seen none of it. Call no tools.";

/// A conversation that does not fit is halved until it does, so often.
const HALVINGS: u32 = 5;

impl Agent {
    /// Makes room if the last request came close to the window: a fifth of it is left for what comes next.
    pub(crate) fn compact_if_long(&mut self, stop: &Stop) -> Result<(), Trouble> {
        let most = self.parts.model.window().map_or(self.parts.window, |window| window - window / 5);
        if self.usage.input + self.usage.output > most {
            self.compact("auto", stop)?;
        }
        Ok(())
    }

    /// Puts the conversation into fewer words: `auto` or `manual`. A hook may deny it, and then it stays as it is.
    pub fn compact(&mut self, trigger: &str, stop: &Stop) -> Result<bool, Trouble> {
        let fill = |event: &mut tenter_contract::Event| event.source = Some(trigger.to_owned());
        if self.emit(EventKind::ContextPreCompact, fill).is_err() {
            return Ok(false);
        }
        self.parts.listener.hear(Heard::Compacting);
        let conversation = self.talk.now();
        let summary = self.summary(&conversation, stop)?.text();
        if summary.trim().is_empty() {
            let why = "it wrote nothing when asked for a summary".to_owned();
            let place = self.parts.model.name().to_owned();
            return Err(Trouble::Model(ModelError::Garbage { place, why, begins: String::new() }));
        }
        let last_prompt = conversation.items.iter().rev().find_map(|item| match item {
            Item::Prompt(text) => Some(text.clone()),
            Item::Reply(_) | Item::Result(_) | Item::Note(_) => None,
        });
        let asked =
            last_prompt.map(|text| format!("\n\nThe user's last words were:\n{text}")).unwrap_or_default();
        self.talk.becomes(format!("What happened so far:\n{summary}{asked}"), self.now())?;
        self.usage = tenter_models::talk::Usage::default();
        let _ = self.emit(EventKind::ContextPostCompact, fill);
        self.parts.listener.hear(Heard::Compacted);
        Ok(true)
    }

    /// Has the model write down what a conversation was about. What is too long for the model is too long for this
    /// question as well, so less of it is shown then.
    fn summary(&self, whole: &Conversation, stop: &Stop) -> Result<Reply, Trouble> {
        let mut halved = 0;
        loop {
            let items = shortened(&whole.items, halved);
            let mut conversation = Conversation { items, ..whole.frame() };
            conversation.add(task(ASK.to_owned()));
            let request = Request { conversation: &conversation, tools: &[], max_tokens: None };
            match self.parts.model.ask(&request, &mut |piece| self.wait(piece), stop) {
                Err(ModelError::TooLong { .. }) if halved < HALVINGS => halved += 1,
                Err(ModelError::TooLong { message }) => return Err(Trouble::TooLong { message }),
                asked => return asked.map_err(Trouble::Model),
            }
        }
    }
}
