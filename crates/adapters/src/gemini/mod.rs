//! Gemini CLI. What is written here was measured on version 0.61.0.

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

const NAME: AgentName = AgentName::from_static("gemini");

/// The project. Gemini CLI sets both; the first is its own.
const PROJECT_VARIABLES: [&str; 2] = ["GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"];

/// The session, for a payload that does not name it.
const SESSION_VARIABLE: &str = "GEMINI_SESSION_ID";

/// The adapter of Gemini CLI.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gemini;

impl AgentAdapter for Gemini {
    fn name(&self) -> AgentName {
        NAME
    }

    fn environment(&self) -> &'static [&'static str] {
        const { &[PROJECT_VARIABLES[0], PROJECT_VARIABLES[1], SESSION_VARIABLE] }
    }

    fn project_variables(&self) -> &'static [&'static str] {
        &PROJECT_VARIABLES
    }

    fn recognises(&self, payload: &Map<String, Value>) -> Claim {
        shape::recognises(payload)
    }

    fn marks(&self) -> &'static [&'static str] {
        &["GEMINI_SESSION_ID", "GEMINI_CWD"]
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

    /// Any exit code from 2 on denies, if there is a text beside it.
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
