//! Whoever calls. The command names an agent, but agents read each other's settings files: Copilot CLI runs the
//! hooks of a repository's `.claude/settings.json`, Cursor and VS Code those of the user too. And one agent may call us
//! by two of its own files.

use std::sync::OnceLock;

use tenter_adapters::{other_sender, other_sender_of_bytes};
use tenter_contract::ports::{AgentAdapter, AgentInstaller, DecodeError, Decoded, Scope, Surroundings};
use tenter_contract::{Abilities, AgentName, Answer, Event, Fitted};

use crate::inline::environment_of;
use crate::other_entries::Run;

/// The adapter of the agent that calls: the one that the command names until a payload is certainly of another.
pub(crate) struct Caller<'a> {
    named: &'a dyn AgentAdapter,
    /// Whose settings the command stands in, if it says so.
    scope: Option<Scope>,
    other: OnceLock<&'static dyn AgentAdapter>,
}

impl<'a> Caller<'a> {
    /// The agent that the command names, and where it says that it stands.
    pub(crate) fn named(named: &'a dyn AgentAdapter, scope: Option<Scope>) -> Self {
        Self { named, scope, other: OnceLock::new() }
    }

    fn agent(&self) -> &dyn AgentAdapter {
        match self.other.get() {
            Some(other) => *other,
            None => self.named,
        }
    }
}

impl AgentAdapter for Caller<'_> {
    fn name(&self) -> AgentName {
        self.agent().name()
    }

    fn environment(&self) -> &'static [&'static str] {
        self.agent().environment()
    }

    fn project_variables(&self) -> &'static [&'static str] {
        self.agent().project_variables()
    }

    /// Reads the payload as one of the named agent, which it nearly always is; what that took apart is looked
    /// at, so that nothing is parsed twice. Another agent's payload is read by its own adapter. What the same agent
    /// tells us by another entry too may be left to that one (`other_entries`).
    fn decode(&self, payload: &[u8], surroundings: &Surroundings) -> Result<Decoded, DecodeError> {
        let decoded = self.named.decode(payload, surroundings);
        let other = match &decoded {
            Ok(Decoded::Event(event)) => {
                event.raw.as_object().and_then(|raw| other_sender(self.named, raw, is_set))
            }
            Ok(Decoded::NotForUs) => None,
            Err(_) => other_sender_of_bytes(self.named, payload, is_set),
        };
        let (sender, decoded) = match other {
            None => (self.named, decoded?),
            Some(other) => {
                let other = *self.other.get_or_init(|| other);
                let surroundings =
                    Surroundings { environment: environment_of(other), ..surroundings.clone() };
                (other, other.decode(payload, &surroundings)?)
            }
        };
        match &decoded {
            Decoded::Event(event) => {
                let run = Run { sender, named: self.named, scope: self.scope, event };
                let left = (other.is_some() && run.has_better_entry()) || run.has_entry_at_home();
                Ok(if left { Decoded::NotForUs } else { decoded })
            }
            Decoded::NotForUs => Ok(decoded),
        }
    }

    fn abilities(&self, event: &Event) -> Abilities {
        self.agent().abilities(event)
    }

    fn encode(&self, fitted: &Fitted) -> Answer {
        self.agent().encode(fitted)
    }

    fn silence(&self) -> Answer {
        self.agent().silence()
    }

    fn refusal(&self, reason: &str) -> Answer {
        self.agent().refusal(reason)
    }

    fn installer(&self) -> Option<&dyn AgentInstaller> {
        self.agent().installer()
    }
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty())
}
