//! An agent's adapter: decodes its payloads and encodes its responses.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value};

use super::install::AgentInstaller;
use crate::{AgentName, AgentOutcome, Answer, Capabilities, Event, Timestamp};

/// One agent's side of the wire.
///
/// Duties: `decode` never panics, whatever the bytes; unknown fields are kept in `raw`, unknown events become
/// `<agent>:<TheirName>`; `capabilities` is a pure function of the event; `encode` writes everything that is in the
/// [`AgentOutcome`] and nothing else, in the agent's exact form. `adapters/tests/conformance.rs` runs every adapter
/// through these.
pub trait AgentAdapter: Send + Sync {
    /// The short name, as in `tenter hook <name>`.
    fn name(&self) -> AgentName;

    /// The environment variables that `decode` reads.
    fn environment(&self) -> &'static [&'static str];

    /// Those of them in which the agent names the project it works on; the first that is set counts.
    fn project_variables(&self) -> &'static [&'static str];

    /// Whether this agent has sent the payload, by its shape alone. `Mine` and `NotMine` are certain, and a missing
    /// field proves nothing, because people write payloads by hand.
    fn recognises(&self, _payload: &Map<String, Value>) -> Claim {
        Claim::CannotTell
    }

    /// The variables that only this agent sets for its hooks. An agent that another one has started inherits them,
    /// so they count only if the shape decides nothing.
    fn marks(&self) -> &'static [&'static str] {
        &[]
    }

    /// Reads a payload.
    fn decode(&self, payload: &[u8], surroundings: &Surroundings) -> Result<Decoded, DecodeError>;

    /// The capabilities of the agent at this event.
    fn capabilities(&self, event: &Event) -> Capabilities;

    /// Writes the response.
    fn encode(&self, adapted: &AgentOutcome) -> Answer;

    /// The empty response.
    fn silence(&self) -> Answer;

    /// The response that denies a payload that cannot be decoded.
    fn refusal(&self, reason: &str) -> Answer;

    /// The agent's own name of a tool, for sample events. The default is the canonical name.
    fn native_tool_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(name)
    }

    /// Whether the adapter was tested with the real agent.
    fn proof(&self) -> Proof {
        Proof::Measured
    }

    /// Installs tenter into the agent's settings; `None` if that is not supported.
    fn installer(&self) -> Option<&dyn AgentInstaller> {
        None
    }
}

/// The evidence for an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The real program was run, and its payloads are recorded.
    Measured,
    /// Its documents or its code were read. tenter shows "not proven" after the agent's name.
    Documented,
}

impl Proof {
    /// The text after the agent's name; empty if it was measured.
    pub fn label(self) -> &'static str {
        match self {
            Self::Measured => "",
            Self::Documented => " (not proven)",
        }
    }
}

/// Whether an agent has sent a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No other agent sends such a payload.
    Mine,
    /// This agent never sends such a payload.
    NotMine,
    /// It may have, and others may have too.
    CannotTell,
}

/// A decoded payload.
#[derive(Clone, Debug, PartialEq)]
pub enum Decoded {
    /// An event.
    Event(Box<Event>),
    /// Well formed, and not meant for tenter.
    NotForUs,
}

/// The time and the environment variables for an adapter.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// When the payload arrived.
    pub at: Timestamp,
    /// The variables the adapter asked for, as far as they are set and not empty.
    pub environment: Vec<(String, String)>,
}

impl Surroundings {
    /// The value of a variable.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.environment.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The value of the first of these that is set.
    pub fn first_of(&self, names: &[&str]) -> Option<&str> {
        names.iter().find_map(|name| self.variable(name))
    }
}

/// Why a payload cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the message of each variant shows its fields")]
pub enum DecodeError {
    /// Nothing arrived.
    Empty,
    /// It is not JSON.
    NotJson { detail: String },
    /// It is JSON, but not an object.
    NotAnObject,
    /// Its event is one of another agent.
    OtherAgent { event: String },
    /// A field that every payload of this agent has is missing or of another type.
    BadField { field: &'static str },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the payload is empty"),
            Self::NotJson { detail } => write!(f, "the payload is not JSON: {detail}"),
            Self::NotAnObject => f.write_str("the payload is JSON, but not an object"),
            Self::OtherAgent { event } => write!(
                f,
                "its event `{event}` is one of another agent; is the right agent named after `tenter hook`?"
            ),
            Self::BadField { field } => write!(f, "the payload has no usable `{field}`"),
        }
    }
}

impl std::error::Error for DecodeError {}
