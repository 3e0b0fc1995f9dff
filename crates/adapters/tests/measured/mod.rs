//! Agents that were run and recorded: their events and answers as rows of tables.

mod answers;
mod cases;
mod event_names;
mod events;
mod specials;

use std::sync::Arc;

use serde_json::Value;
use tenter_adapters::by_name;
use tenter_contract::ports::{AgentAdapter, DecodeError, Decoded, Surroundings};
use tenter_contract::{Event, Timestamp};

use crate::support::recorded_file;

fn adapter(agent: &str) -> &'static dyn AgentAdapter {
    by_name(agent).unwrap()
}

/// A recorded payload, by the name of its file.
fn fixture(agent: &str, name: &str) -> String {
    String::from_utf8(recorded_file(adapter(agent), name).payload).unwrap()
}

fn surroundings(environment: &[(&str, &str)]) -> Surroundings {
    Surroundings {
        at: Timestamp::from_unix_ms(1_767_225_600_000),
        environment: environment
            .iter()
            .map(|(key, value)| ((*key).to_owned(), (*value).to_owned()))
            .collect(),
    }
}

fn decode_in(agent: &str, payload: &str, environment: &[(&str, &str)]) -> Result<Event, DecodeError> {
    match adapter(agent).decode(payload.as_bytes(), &surroundings(environment))? {
        Decoded::Event(event) => Ok(*event),
        Decoded::NotForUs => panic!("{agent}: the payload is an event"),
    }
}

/// Decodes in a project that the agent's own variable names.
fn decode(agent: &str, payload: &str) -> Result<Event, DecodeError> {
    let variable = adapter(agent).project_variables().first().copied();
    let environment: Vec<(&str, &str)> =
        variable.map(|name| (name, "/home/user/project")).into_iter().collect();
    decode_in(agent, payload, &environment)
}

fn decode_json(agent: &str, payload: &Value) -> Result<Event, DecodeError> {
    decode(agent, &payload.to_string())
}

/// The event of a recorded payload.
fn event(agent: &str, name: &str) -> Arc<Event> {
    Arc::new(decode(agent, &fixture(agent, name)).unwrap())
}
