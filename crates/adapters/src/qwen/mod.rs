//! Qwen Code. What is written here was measured on version 0.15.10.

mod wire;
mod shape;
mod decode;
mod encode;
mod abilities;
mod tools;
mod install;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::{Map, Value};
use tenter_contract::ports::{AgentAdapter, AgentInstaller, Claim, DecodeError, Decoded, Surroundings};
use tenter_contract::{Abilities, AgentName, Answer, Event, Fitted};

use crate::{answer, door};

const NAME: AgentName = AgentName::from_static("qwen");

/// The project. Qwen Code sets both, and a third under Gemini CLI's name; the first is its own.
const PROJECT_VARIABLES: [&str; 2] = ["QWEN_PROJECT_DIR", "CLAUDE_PROJECT_DIR"];

/// The adapter of Qwen Code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Qwen;

impl AgentAdapter for Qwen {
    fn name(&self) -> AgentName {
        NAME
    }

    fn environment(&self) -> &'static [&'static str] {
        &PROJECT_VARIABLES
    }

    fn project_variables(&self) -> &'static [&'static str] {
        &PROJECT_VARIABLES
    }

    fn recognises(&self, payload: &Map<String, Value>) -> Claim {
        shape::recognises(payload)
    }

    fn marks(&self) -> &'static [&'static str] {
        &["QWEN_PROJECT_DIR"]
    }

    fn decode(&self, payload: &[u8], surroundings: &Surroundings) -> Result<Decoded, DecodeError> {
        match decode::decode(door::object(payload)?, surroundings)? {
            Decoded::Event(event) => door::judgeable(*event),
            Decoded::NotForUs => Ok(Decoded::NotForUs),
        }
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

    /// With exit code 2 it reads standard error alone, and takes a text there for the reason of a deny.
    fn refusal(&self, reason: &str) -> Answer {
        answer::exit_2(reason)
    }

    fn native_tool_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        tools::native_name(name)
    }

    fn installer(&self) -> Option<&dyn AgentInstaller> {
        Some(self)
    }
}
