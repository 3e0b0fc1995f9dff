//! Claude Code. What is written here was measured on version 2.1.197.

mod wire;
mod shape;
mod decode;
mod encode;
mod abilities;
mod install;
mod tools;

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};
use tenter_contract::ports::{AgentAdapter, AgentInstaller, Claim, DecodeError, Decoded, Surroundings};
use tenter_contract::{Abilities, AgentName, Answer, Event, Fitted};

use crate::door;

const NAME: AgentName = AgentName::from_static("claude");

/// The project. The payload's `cwd` is no substitute: it follows the model's `cd`.
const PROJECT_VARIABLES: [&str; 1] = ["CLAUDE_PROJECT_DIR"];

/// Whether somebody sits there: `-p` and the SDKs have nobody.
const ATTENDED: &str = "CLAUDE_CODE_SESSION_ATTENDED";
const ENTRYPOINT: &str = "CLAUDE_CODE_ENTRYPOINT";

/// The adapter of Claude Code.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClaudeCode;

impl AgentAdapter for ClaudeCode {
    fn name(&self) -> AgentName {
        NAME
    }

    fn environment(&self) -> &'static [&'static str] {
        const { &[PROJECT_VARIABLES[0], ATTENDED, ENTRYPOINT] }
    }

    fn project_variables(&self) -> &'static [&'static str] {
        &PROJECT_VARIABLES
    }

    fn recognises(&self, payload: &Map<String, Value>) -> Claim {
        shape::recognises(payload)
    }

    fn marks(&self) -> &'static [&'static str] {
        &["CLAUDE_CODE_SESSION_ID", "CLAUDECODE"]
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

    fn installer(&self) -> Option<&dyn AgentInstaller> {
        Some(self)
    }
}
