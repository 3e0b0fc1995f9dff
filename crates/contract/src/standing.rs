//! Answers that stand: what a person said once and need not be asked again.

use serde_json::{Map, Value};

use crate::{Asker, Event, HookId, Pattern, Policy, SessionId, Timestamp, ToolCall, ToolKind};

/// "Allow always": the same hook, asking the same about the same tool, in the same session.
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
    /// For commands, exactly this input but for the words that describe it: whoever allows `make test` has not allowed what follows it next time.
    pub input: Option<Map<String, Value>>,
    /// When.
    pub at: Timestamp,
}

impl SessionGrant {
    /// The grant that answers this asker about this event from now on.
    pub fn of(id: &str, asker: &Asker, event: &Event, at: Timestamp) -> Self {
        let tool = event.tool.as_ref();
        let shell = tool.filter(|tool| tool.kind == ToolKind::Shell);
        Self {
            id: id.to_owned(),
            session: event.session.clone(),
            hook: asker.hook.clone(),
            definition: asker.definition.clone(),
            prompt: asker.query.prompt.clone(),
            tool: tool.map(|tool| tool.name.clone()),
            input: shell.map(what_runs),
            at,
        }
    }
}

/// The input without the model's words about it, which it chooses anew each time and nobody runs.
fn what_runs(tool: &ToolCall) -> Map<String, Value> {
    tool.input
        .iter()
        .filter(|(key, _)| *key != "description")
        .map(|(key, it)| (key.clone(), it.clone()))
        .collect()
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
pub struct Standing {
    /// Of its session.
    pub grants: Vec<SessionGrant>,
    /// Of the user.
    pub rules: Vec<Rule>,
}
