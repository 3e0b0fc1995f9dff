//! Failures of a request to a model, with the next step.

use std::fmt;
use std::time::Duration;

use super::Reply;

/// Why there is no reply. The text ends with the next step and never contains a key.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelError {
    /// The server does not want to answer this.
    Refused {
        /// Which server.
        place: String,
        /// The status it gave.
        status: u16,
        /// The server's message.
        message: String,
        /// The variable of the key, if the key is the problem.
        variable: Option<&'static str>,
    },
    /// The server has too much to do, and had at every try.
    Busy {
        /// Which server.
        place: String,
        /// The server's message.
        message: String,
        /// How often it was asked.
        tries: u32,
        /// How long it wants to be left alone.
        wait: Option<Duration>,
    },
    /// There is no connection.
    Unreachable {
        /// Which server.
        place: String,
        /// Why.
        why: String,
    },
    /// Not a byte came for too long.
    Stalled {
        /// Which server.
        place: String,
        /// How long.
        silence: Duration,
        /// The part of the reply that was received.
        received: Box<Reply>,
    },
    /// The reply broke off.
    Cut {
        /// Which server.
        place: String,
        /// How.
        why: String,
        /// The part of the reply that was received, without incomplete calls.
        received: Box<Reply>,
    },
    /// The reply has no end, so it was left.
    Endless {
        /// Which server.
        place: String,
        /// Which limit it has passed.
        why: String,
        /// The beginning of the reply.
        received: Box<Reply>,
    },
    /// The response is not a reply.
    Garbage {
        /// Which server.
        place: String,
        /// The problem.
        why: String,
        /// How it begins.
        begins: String,
    },
    /// The conversation does not fit into the model.
    TooLong {
        /// The server's message.
        message: String,
    },
    /// The user asked to stop.
    Stopped {
        /// The part of the reply that was received, without incomplete calls.
        received: Box<Reply>,
    },
}

impl ModelError {
    /// The part of the reply that was received before the failure.
    pub fn received(&self) -> Option<&Reply> {
        match self {
            Self::Stalled { received, .. }
            | Self::Cut { received, .. }
            | Self::Endless { received, .. }
            | Self::Stopped { received } => (!received.blocks.is_empty()).then_some(received),
            Self::Refused { .. }
            | Self::Busy { .. }
            | Self::Unreachable { .. }
            | Self::Garbage { .. }
            | Self::TooLong { .. } => None,
        }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused { place, status, message, variable: Some(variable) } => {
                write!(
                    f,
                    "{place} does not take the key ({status}: {message}); set {variable} to one that is valid"
                )
            }
            Self::Refused { place, status: 404, message, .. } => {
                write!(
                    f,
                    "{place} does not have that (404: {message}); check the name of the model and the address"
                )
            }
            Self::Refused { place, status: 300..400, .. } => write!(
                f,
                "{place} sends us on to another address, where nobody follows with a key; give that address itself"
            ),
            Self::Refused { place, status, message, .. } => {
                write!(
                    f,
                    "{place} refuses the request ({status}: {message}); change it, or take another model"
                )
            }
            Self::Busy { place, message, tries, wait } => {
                let tried = if *tries == 1 { "once".to_owned() } else { format!("{tries} times") };
                write!(f, "{place} is busy ({message}), asked {tried}; try again ")?;
                match wait {
                    Some(wait) => write!(f, "in {}", format_duration(*wait)),
                    None => write!(f, "in a while, or take another model"),
                }
            }
            Self::Unreachable { place, why } => {
                write!(
                    f,
                    "{place} cannot be reached: {why}; check the address, the network and the proxy settings"
                )
            }
            Self::Stalled { place, silence, .. } => {
                write!(
                    f,
                    "nothing came from {place} for {}; try again, or take another model",
                    format_duration(*silence)
                )
            }
            Self::Cut { place, why, .. } => {
                write!(f, "the reply of {place} broke off ({why}); ask again")
            }
            Self::Endless { place, why, .. } => {
                write!(f, "the reply of {place} does not end ({why}); ask again, or take another model")
            }
            Self::Garbage { place, why, begins } => {
                write!(
                    f,
                    "what {place} answers is no reply: {why}; it begins with {begins:?}. \
                    Check that the address is the one of this API, or ask again"
                )
            }
            Self::TooLong { message } => {
                write!(
                    f,
                    "the conversation is too long for this model ({message}); \
                    shorten it, or take a model that reads more"
                )
            }
            Self::Stopped { .. } => write!(f, "stopped; ask again to go on"),
        }
    }
}

impl std::error::Error for ModelError {}

pub(super) fn format_duration(time: Duration) -> String {
    let seconds = time.as_secs() + u64::from(time.subsec_millis() >= 500);
    match seconds {
        0 => format!("{} ms", time.as_millis()),
        1..120 => format!("{seconds} s"),
        _ => format!("{} min", seconds.div_ceil(60)),
    }
}
