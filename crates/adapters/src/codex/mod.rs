//! Codex CLI. What is written here was measured on version 0.166.0.

mod wire;
mod shape;
mod decode;
mod encode;
mod abilities;
mod tools;
mod install;
mod trust;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::{Map, Value};
use tenter_contract::ports::{AgentAdapter, AgentInstaller, Claim, DecodeError, Decoded, Surroundings};
use tenter_contract::{Abilities, AgentName, Answer, Event, Fitted};

use crate::{answer, door};

const NAME: AgentName = AgentName::from_static("codex");

/// The adapter of Codex CLI. It sets no variables for its hooks, so there are none to ask for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Codex;

impl AgentAdapter for Codex {
    fn name(&self) -> AgentName {
        NAME
    }

    fn environment(&self) -> &'static [&'static str] {
        &[]
    }

    fn project_variables(&self) -> &'static [&'static str] {
        &[]
    }

    fn recognises(&self, payload: &Map<String, Value>) -> Claim {
        shape::recognises(payload)
    }

    fn decode(&self, payload: &[u8], surroundings: &Surroundings) -> Result<Decoded, DecodeError> {
        door::judgeable(decode::decode(door::object(payload)?, surroundings)?)
    }

    fn abilities(&self, event: &Event) -> Abilities {
        abilities::abilities(event)
    }

    fn encode(&self, fitted: &Fitted) -> Answer {
        encode::encode(fitted)
    }

    fn silence(&self) -> Answer {
        Answer::default()
    }

    /// Exit code 2 denies if something stands on standard error, and only then.
    fn refusal(&self, reason: &str) -> Answer {
        answer::exit_2(answer::never_blank(reason))
    }

    fn native_tool_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        tools::native_name(name)
    }

    fn installer(&self) -> Option<&dyn AgentInstaller> {
        Some(self)
    }
}
