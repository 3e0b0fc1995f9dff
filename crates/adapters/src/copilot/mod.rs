//! GitHub Copilot CLI, under both spellings of its events. What is written here was measured on version 1.0.102.

mod wire;
mod shape;
mod decode;
mod encode;
mod abilities;
mod tools;
pub(crate) mod install;

#[cfg(test)]
mod tests;

use std::borrow::Cow;

use serde_json::{Map, Value};
use tenter_contract::ports::{AgentAdapter, AgentInstaller, Claim, DecodeError, Decoded, Surroundings};
use tenter_contract::{Abilities, AgentName, Answer, Event, Fitted};

use crate::door;

const NAME: AgentName = AgentName::from_static("copilot");

/// The project. Copilot sets both; the first is its own.
const PROJECT_VARIABLES: [&str; 2] = ["COPILOT_PROJECT_DIR", "CLAUDE_PROJECT_DIR"];

/// The adapter of Copilot CLI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Copilot;

impl AgentAdapter for Copilot {
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
        &["COPILOT_CLI", "COPILOT_HOOK_DIR"]
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
