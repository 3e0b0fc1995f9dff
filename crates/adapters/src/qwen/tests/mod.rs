//! Qwen Code's adapter from outside: recorded payloads in, exact answers out.

mod events;
mod answers;

use std::sync::Arc;

use tenter_contract::ports::{AgentAdapter, DecodeError, Decoded, Surroundings};
use tenter_contract::{Event, Timestamp};

use super::Qwen;

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
        environment: vec![("QWEN_PROJECT_DIR".to_owned(), "/home/user/project".to_owned())],
        ..Surroundings::default()
    }
}

fn decode_in(payload: &str, surroundings: &Surroundings) -> Result<Event, DecodeError> {
    match Qwen.decode(payload.as_bytes(), surroundings)? {
        Decoded::Event(event) => Ok(*event),
        Decoded::NotForUs => panic!("this payload is for us"),
    }
}

fn decode(payload: &str) -> Result<Event, DecodeError> {
    decode_in(payload, &surroundings())
}

fn recorded(payload: &str) -> Arc<Event> {
    Arc::new(decode(payload).unwrap())
}
