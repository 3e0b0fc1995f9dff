//! The plugin's side of the wire from outside: recorded payloads in, exact answers out.

mod events;
mod answers;
mod installing;

use std::sync::Arc;

use tenter_contract::ports::{AgentAdapter, DecodeError, Decoded, Surroundings};
use tenter_contract::{Event, Timestamp};

use super::OPENCODE;

/// A recorded payload.
macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../fixtures/", $name, ".json"))
    };
}
use fixture;

fn decode(payload: &str) -> Result<Event, DecodeError> {
    let surroundings =
        Surroundings { at: Timestamp::from_unix_ms(1_767_225_600_000), ..Surroundings::default() };
    match OPENCODE.decode(payload.as_bytes(), &surroundings)? {
        Decoded::Event(event) => Ok(*event),
        Decoded::NotForUs => panic!("every payload of the plugin is for us"),
    }
}

fn recorded(payload: &str) -> Arc<Event> {
    Arc::new(decode(payload).unwrap())
}
