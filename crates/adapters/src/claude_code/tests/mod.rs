//! Claude Code's adapter from outside: recorded payloads in, exact answers out.

mod events;
mod answers;

use std::sync::Arc;

use tenter_contract::ports::{AgentAdapter, DecodeError, Decoded, Surroundings};
use tenter_contract::{Event, Timestamp};

use super::ClaudeCode;

/// A recorded payload.
macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../fixtures/", $name, ".json"))
    };
}
use fixture;

fn surroundings() -> Surroundings {
    Surroundings {
        at: Timestamp::from_unix_ms(1_767_225_600_000),
        environment: vec![("CLAUDE_PROJECT_DIR".to_owned(), "/home/user/project".to_owned())],
        ..Surroundings::default()
    }
}

fn decode(payload: &str) -> Result<Event, DecodeError> {
    match ClaudeCode.decode(payload.as_bytes(), &surroundings())? {
        Decoded::Event(event) => Ok(*event),
        Decoded::NotForUs => panic!("every payload of Claude Code is for us"),
    }
}

fn recorded(payload: &str) -> Arc<Event> {
    Arc::new(decode(payload).unwrap())
}
