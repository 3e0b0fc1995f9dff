//! Stops 1 and 8: an agent's payload becomes our event, our adapted outcome its answer.

use std::borrow::Cow;
use std::fmt;

use serde_json::{Map, Value};

use super::install::AgentInstaller;
use crate::{AgentName, AgentOutcome, Answer, Capabilities, Event, Timestamp};

/// One agent's side of the wire.
///
/// Duties: `decode` never panics, whatever the bytes; unknown fields are kept in `raw`, unknown events
/// become `<agent>:<TheirName>`; `capabilities` is a pure function of the event; `encode` says everything that
/// is in the [`AgentOutcome`] and nothing else, in the agent's exact form. `adapters/tests/conformance.rs` runs
/// every adapter through these.
pub trait AgentAdapter: Send + Sync {
    /// The short name, as in `tenter hook <name>`.
    fn name(&self) -> AgentName;

    /// The environment variables `decode` wants to be told.
    fn environment(&self) -> &'static [&'static str];

    /// Those of them in which the agent names the project it works on; the first that is set counts.
    fn project_variables(&self) -> &'static [&'static str];

    /// Whether this agent has sent the payload, by its shape alone. `Mine` and `NotMine` are certain, and
    /// what a hand-written payload leaves out is no evidence: it may come through the file of another agent.
    fn recognises(&self, _payload: &Map<String, Value>) -> Claim {
        Claim::CannotTell
    }

    /// The variables that this agent, and no other we know of, sets for its hooks. They are inherited: an agent
    /// that another one has started carries the other's too, so they count only where the shape says nothing.
    fn marks(&self) -> &'static [&'static str] {
        &[]
    }

    /// Reads a payload.
    fn decode(&self, payload: &[u8], surroundings: &Surroundings) -> Result<Decoded, DecodeError>;

    /// What the agent can carry at this event.
    fn capabilities(&self, event: &Event) -> Capabilities;

    /// Writes the answer.
    fn encode(&self, adapted: &AgentOutcome) -> Answer;

    /// The answer that leaves the agent alone.
    fn silence(&self) -> Answer;

    /// The answer that stops whatever could not be understood.
    fn refusal(&self, reason: &str) -> Answer;

    /// The agent's own name of a tool that we call so, for events that are made up. Agents whose names are ours
    /// need not say anything.
    fn native_tool_name<'a>(&self, name: &'a str) -> Cow<'a, str> {
        Cow::Borrowed(name)
    }

    /// How it is known that all this is so.
    fn proof(&self) -> Proof {
        Proof::Measured
    }

    /// How we are put into the agent's settings; `None` as long as nobody has written that.
    fn installer(&self) -> Option<&dyn AgentInstaller> {
        None
    }
}

/// How it is known what an agent sends and what it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The real program was run, and its payloads are recorded.
    Measured,
    /// Its documents or its code were read. People are told "not proven" wherever the agent appears.
    Documented,
}

impl Proof {
    /// What stands beside the agent's name for people; nothing where it was measured.
    pub fn label(self) -> &'static str {
        match self {
            Self::Measured => "",
            Self::Documented => " (not proven)",
        }
    }
}

/// Whether a payload is of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// No other agent sends such a payload.
    Mine,
    /// This agent never sends such a payload.
    NotMine,
    /// It may have, and others may have too.
    CannotTell,
}

/// What a payload turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Decoded {
    /// An event.
    Event(Box<Event>),
    /// Well formed, and not meant for us; the agent is left alone.
    NotForUs,
}

/// What an adapter is told of the world around the payload.
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

/// Why a payload could not be understood.
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
