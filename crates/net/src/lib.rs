//! The network rules of tenter, in one place: hooks, the chat and the exporter use the same proxies, the same trusted
//! certificates and the same reader of server-sent events.
//!
//! [`Route`] resolves the way to a server from the environment and builds an agent for it, [`SseReader`] reads event
//! streams, and [`Failure`] explains why an exchange failed. `tenter-hook` links none of it.

mod failure;
mod proxy;
mod roots;
mod route;
mod sse;
mod url;

pub use failure::Failure;
pub use route::{Route, RouteError};
pub use sse::{EventTooLong, SseReader};
pub use ureq::{Agent, AsSendBody, Body, BodyReader, Error, http};
pub use url::{parse_http_url, redacted_url, server_address};

use std::ffi::OsString;

/// Environment variables, as a process receives them.
pub type Environment = [(OsString, OsString)];

/// The value of a variable, trimmed. `None` if it is not set, empty, or not UTF-8.
pub fn variable<'a>(name: &str, environment: &'a Environment) -> Option<&'a str> {
    let (_, value) = environment.iter().find(|(known, _)| known == name)?;
    Some(value.to_str()?.trim()).filter(|value| !value.is_empty())
}
