//! Saved answers of the user.

use crate::{Event, GrantScope, HookId, HookQuestion, Notice, Pattern, Policy, SessionId, Timestamp};

/// "Allow always": the same hook, asking the same about the same, in the same session.
#[derive(Clone, Debug, PartialEq)]
pub struct SessionGrant {
    /// The question that was answered with it.
    pub id: String,
    /// Its session.
    pub session: SessionId,
    /// The hook that asked.
    pub hook: HookId,
    /// The definition of that hook.
    pub definition: String,
    /// Its prompt.
    pub prompt: String,
    /// About which tool; none if it was about none.
    pub tool: Option<String>,
    /// What else must be the same. An answer about `make test` is not one about `make test && rm -rf .`.
    pub covers: GrantScope,
    /// When.
    pub at: Timestamp,
}

impl SessionGrant {
    /// The grant for this hook's question about this event.
    pub fn new(
        id: &str,
        session: &SessionId,
        asked: &HookQuestion,
        event: &Event,
        covers: GrantScope,
        at: Timestamp,
    ) -> Self {
        Self {
            id: id.to_owned(),
            session: session.clone(),
            hook: asked.hook.clone(),
            definition: asked.definition.clone(),
            prompt: asked.query.prompt.clone(),
            tool: event.tool.as_ref().map(|tool| tool.name.clone()),
            covers,
            at,
        }
    }

    /// Whether it answers this hook's question about this event: everything must be the same, and the event covered.
    pub fn answers(&self, asked: &HookQuestion, event: &Event) -> bool {
        let Some(session) = &event.session else { return false };
        *self == Self::new(&self.id, session, asked, event, self.covers.clone(), self.at)
            && self.covers.includes(event)
    }
}

/// An answer that applies until it expires or is revoked, in any session.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The id by which it is revoked.
    pub id: String,
    /// Allow or deny.
    pub policy: Policy,
    /// The hook: its name, or its address `layer/name`.
    pub hook: String,
    /// The pattern for the path, the command, or else the prompt.
    pub pattern: Pattern,
    /// The project; `None` means everywhere.
    pub project: Option<String>,
    /// When it expires; `None` means never.
    pub expires: Option<Timestamp>,
    /// When it was made.
    pub at: Timestamp,
}

/// The saved answers for an event.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedAnswers {
    /// The grants of its session.
    pub grants: Vec<SessionGrant>,
    /// The rules of the user.
    pub rules: Vec<Rule>,
    /// Notices about saved answers that do not count.
    pub notices: Vec<Notice>,
}
