//! OpenCode, and whoever took over its plugins. What is written here was measured on version 1.18.33.
//!
//! It has no hooks that are commands: `plugin.js` runs inside the agent, calls tenter at each event with a payload of
//! our own shape, and carries out what is answered. So the format on the wire is ours, and both sides of it stand in
//! this folder.

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

use crate::door;

/// OpenCode.
pub(crate) static OPENCODE: PluginHost = PluginHost {
    name: AgentName::from_static("opencode"),
    title: "OpenCode",
    package: "opencode-ai",
    user_file: "opencode/plugins/tenter.js",
    project_file: ".opencode/plugins/tenter.js",
};

/// An agent that runs OpenCode's plugins.
#[derive(Debug)]
pub(crate) struct PluginHost {
    pub(crate) name: AgentName,
    /// What people call it.
    pub(crate) title: &'static str,
    /// The npm package that brings it.
    pub(crate) package: &'static str,
    /// Its plugin of ours, below the user's folder of settings.
    pub(crate) user_file: &'static str,
    /// The same below the project.
    pub(crate) project_file: &'static str,
}

impl AgentAdapter for PluginHost {
    fn name(&self) -> AgentName {
        self.name.clone()
    }

    fn environment(&self) -> &'static [&'static str] {
        &[]
    }

    /// The plugin names the project in the payload.
    fn project_variables(&self) -> &'static [&'static str] {
        &[]
    }

    fn recognises(&self, payload: &Map<String, Value>) -> Claim {
        shape::recognises(&self.name, payload)
    }

    fn decode(&self, payload: &[u8], surroundings: &Surroundings) -> Result<Decoded, DecodeError> {
        door::judgeable(decode::decode(&self.name, door::object(payload)?, surroundings)?)
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

    /// The plugin takes another exit code for a failure, which only denies with `--strict`.
    fn refusal(&self, reason: &str) -> Answer {
        encode::deny(reason)
    }

    fn native_tool_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        tools::native_name(name)
    }

    fn installer(&self) -> Option<&dyn AgentInstaller> {
        Some(self)
    }
}
