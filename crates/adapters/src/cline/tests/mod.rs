//! Cline's adapter from outside: recorded payloads in, exact answers out.

mod events;
mod answers;

use std::sync::Arc;

use tenter_contract::ports::{AgentAdapter, DecodeError, Decoded, Surroundings};
use tenter_contract::{Event, Timestamp};

use super::Cline;

/// A recorded payload.
macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../fixtures/", $name, ".json"))
    };
}
use fixture;

fn surroundings() -> Surroundings {
    Surroundings { at: Timestamp::from_unix_ms(1_767_225_600_000), ..Surroundings::default() }
}

fn decode(payload: &str) -> Result<Event, DecodeError> {
    match Cline.decode(payload.as_bytes(), &surroundings())? {
        Decoded::Event(event) => Ok(*event),
        Decoded::NotForUs => panic!("this payload is for us"),
    }
}

fn recorded(payload: &str) -> Arc<Event> {
    Arc::new(decode(payload).unwrap())
}
