//! Answers that stand: what a person said once and need not be asked again.

use crate::{Event, GrantScope, HookId, HookQuestion, Notice, Pattern, Policy, SessionId, Timestamp};

/// "Allow always": the same hook, asking the same about the same, in the same session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionGrant {
    /// The question that was answered with it.
    pub id: String,
    /// In which session.
    pub session: SessionId,
    /// Who asked.
    pub hook: HookId,
    /// What that hook was.
    pub definition: String,
    /// What it asked.
    pub prompt: String,
    /// About which tool; none if it was about none.
    pub tool: Option<String>,
    /// What else must be the same: whoever allows `make test` has not allowed what follows it next time.
    pub covers: GrantScope,
    /// When.
    pub at: Timestamp,
}

impl SessionGrant {
    /// The grant that answers this asker from now on about this event and what else is covered.
    pub fn new(
        id: &str,
        session: &SessionId,
        asker: &HookQuestion,
        event: &Event,
        covers: GrantScope,
        at: Timestamp,
    ) -> Self {
        Self {
            id: id.to_owned(),
            session: session.clone(),
            hook: asker.hook.clone(),
            definition: asker.definition.clone(),
            prompt: asker.query.prompt.clone(),
            tool: event.tool.as_ref().map(|tool| tool.name.clone()),
            covers,
            at,
        }
    }

    /// Whether it answers this asker about this event: everything must be as it was, and the event covered.
    pub fn answers(&self, asker: &HookQuestion, event: &Event) -> bool {
        let Some(session) = &event.session else { return false };
        *self == Self::new(&self.id, session, asker, event, self.covers.clone(), self.at)
            && self.covers.includes(event)
    }
}

/// An answer that stands until it expires or is revoked, whatever the session.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// By which it is revoked.
    pub id: String,
    /// What it says.
    pub policy: Policy,
    /// To whom: a hook's name, or its address `layer/name`.
    pub hook: String,
    /// About what: the path, the command, or else the prompt.
    pub pattern: Pattern,
    /// Where; everywhere if no project is named.
    pub project: Option<String>,
    /// Until when; for good if nothing is said.
    pub expires: Option<Timestamp>,
    /// When it was made.
    pub at: Timestamp,
}

/// All that stands where an event happened.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedAnswers {
    /// Of its session.
    pub grants: Vec<SessionGrant>,
    /// Of the user.
    pub rules: Vec<Rule>,
    /// What does not count, and why.
    pub notices: Vec<Notice>,
}
