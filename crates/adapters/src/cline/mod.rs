//! Cline, on the command line. What is written here was measured on version 3.0.65; what is said of its extension for
//! editors is documented and was not.

mod wire;
mod shape;
mod decode;
mod encode;
mod abilities;
mod tools;
mod shapes;
mod install;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::{Map, Value};
use tenter_contract::ports::{AgentAdapter, AgentInstaller, Claim, DecodeError, Decoded, Surroundings};
use tenter_contract::{Abilities, AgentName, Answer, Event, Fitted};

use crate::door;

const NAME: AgentName = AgentName::from_static("cline");

/// The adapter of Cline.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cline;

impl AgentAdapter for Cline {
    fn name(&self) -> AgentName {
        NAME
    }

    /// It sets nothing of its own for its hooks.
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

    /// It reads no exit code, so that only the word stops anything.
    fn refusal(&self, reason: &str) -> Answer {
        encode::refusal(reason)
    }

    fn native_tool_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        tools::native_name(name)
    }

    fn installer(&self) -> Option<&dyn AgentInstaller> {
        Some(self)
    }
}
