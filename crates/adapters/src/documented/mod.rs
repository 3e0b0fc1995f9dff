//! Agents that are known from documents: what they send and take stands in a table of each, and one reader, two
//! writers and one installer work from those tables.
//!
//! They differ in words far more than in shape: most took over Claude Code's events and answers. What an agent has of
//! its own lies in its folder.

mod decode;
mod envelope;
mod install;
mod tools;

use std::borrow::Cow;

use serde_json::{Map, Value};
use tenter_contract::ports::{
    AgentAdapter, AgentInstaller, Claim, DecodeError, Decoded, Proof, Surroundings,
};
use tenter_contract::{Abilities, AgentName, Answer, Carry, Event, Fitted};

pub(crate) use decode::{Dialect, EVENT_VARIABLE, Told, named_call, native_event};
pub(crate) use envelope::{ContextAt, Deny, Envelope};
pub(crate) use install::Installer;
use tools::NO_TOOLS;
pub(crate) use tools::{Mcp, Tools};

use crate::{answer, door};

/// What can be said where nothing that is said reaches anybody, and nothing waits for a better moment: the end of a
/// session, and everywhere in agents that take context nowhere.
pub(crate) const NOTHING_EVER: Abilities = Abilities { later: Carry::No, ..Abilities::NOTHING };

/// One agent.
pub(crate) struct Documented {
    /// What it sends.
    pub(crate) dialect: Dialect,
    /// The variables that it alone sets for its hooks.
    pub(crate) marks: &'static [&'static str],
    /// Whether a payload is its own.
    pub(crate) recognises: fn(&Map<String, Value>) -> Claim,
    /// What it takes.
    pub(crate) abilities: fn(&Event) -> Abilities,
    pub(crate) encode: fn(&Fitted) -> Answer,
    /// What leaves it alone; nothing for most.
    pub(crate) silence: &'static str,
    /// What stops whatever could not be understood.
    pub(crate) refusal: fn(&str) -> Answer,
    /// How we are put into its settings.
    pub(crate) installer: &'static dyn AgentInstaller,
}

impl AgentAdapter for Documented {
    fn name(&self) -> AgentName {
        AgentName::from_static(self.dialect.name)
    }

    fn environment(&self) -> &'static [&'static str] {
        self.dialect.variables
    }

    fn project_variables(&self) -> &'static [&'static str] {
        self.dialect.project_variables
    }

    fn recognises(&self, payload: &Map<String, Value>) -> Claim {
        (self.recognises)(payload)
    }

    fn marks(&self) -> &'static [&'static str] {
        self.marks
    }

    fn decode(&self, payload: &[u8], surroundings: &Surroundings) -> Result<Decoded, DecodeError> {
        door::judgeable(self.dialect.decode(door::object(payload)?, surroundings)?)
    }

    fn abilities(&self, event: &Event) -> Abilities {
        (self.abilities)(event)
    }

    fn encode(&self, fitted: &Fitted) -> Answer {
        (self.encode)(fitted)
    }

    fn silence(&self) -> Answer {
        if self.silence.is_empty() { Answer::default() } else { answer::text(self.silence.to_owned()) }
    }

    fn refusal(&self, reason: &str) -> Answer {
        (self.refusal)(reason)
    }

    fn native_tool_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        self.dialect.tools.native_name(name)
    }

    fn proof(&self) -> Proof {
        Proof::Documented
    }

    fn installer(&self) -> Option<&dyn AgentInstaller> {
        Some(self.installer)
    }
}
