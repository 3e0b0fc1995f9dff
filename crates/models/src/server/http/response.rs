//! Writing a response.

use std::io::{self, Write};

use serde_json::Value;

use super::request::Connection;
use crate::server::apis::ServerEvent;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// Headers in addition to those that frame the body.
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Body,
    /// Where it ends before its end, if it does.
    pub(crate) ending: Ending,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Complete,
    /// The connection is closed after this number of events, or in the middle of a JSON body.
    Cut(usize),
    Stall(usize),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Body {
    HeadOnly,
    Json(Value),
    /// Invalid text in place of a stream.
    Text(String),
    Events {
        events: Vec<ServerEvent>,
        /// Data of a last event that is not JSON.
        end_mark: Option<&'static str>,
    },
}

impl Response {
    pub(crate) fn json(status: u16, value: Value) -> Self {
        Self { status, headers: Vec::new(), body: Body::Json(value), ending: Ending::Complete }
    }

    pub(crate) fn write(&self, to: &mut impl Write, connection: Connection) -> io::Result<()> {
        let reason = match self.status {
            200 => "OK",
            404 => "Not Found",
            413 => "Content Too Large",
            429 => "Too Many Requests",
            431 => "Request Header Fields Too Large",
            503 => "Service Unavailable",
            _ => "Error",
        };
        let keep_alive = if connection == Connection::Keep { "keep-alive" } else { "close" };
        write!(to, "HTTP/1.1 {} {reason}\r\nConnection: {keep_alive}\r\n", self.status)?;
        for (name, value) in &self.headers {
            write!(to, "{name}: {value}\r\n")?;
        }
        match &self.body {
            Body::HeadOnly => to.write_all(b"Content-Type: application/json\r\nContent-Length: 2\r\n\r\n")?,
            Body::Json(value) => {
                let text = value.to_string();
                let length = text.len();
                let part = match self.ending {
                    Ending::Complete => &text,
                    Ending::Cut(_) | Ending::Stall(_) => &text[..text.floor_char_boundary(length / 2)],
                };
                write!(to, "Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{part}")?;
            }
            Body::Text(text) => {
                let length = text.len();
                write!(to, "Content-Type: text/event-stream\r\nContent-Length: {length}\r\n\r\n{text}")?;
            }
            Body::Events { events, end_mark } => {
                to.write_all(b"Content-Type: text/event-stream\r\nCache-Control: no-cache\r\n")?;
                let end = end_mark.map(|mark| format!("data: {mark}\n\n"));
                let all = events.iter().map(text_of).chain(end);
                match self.ending {
                    Ending::Complete => write_events(all, to, connection, true)?,
                    Ending::Cut(count) | Ending::Stall(count) => {
                        write_events(all.take(count), to, connection, false)?;
                    }
                }
            }
        }
        to.flush()
    }
}

fn text_of(event: &ServerEvent) -> String {
    let name = event.name.map(|name| format!("event: {name}\n")).unwrap_or_default();
    format!("{name}data: {}\n\n", event.data)
}

/// One chunk per event; to HTTP/1.0 the end of the connection is the end of the body.
fn write_events(
    events: impl Iterator<Item = String>,
    to: &mut impl Write,
    connection: Connection,
    to_the_end: bool,
) -> io::Result<()> {
    let chunked = connection != Connection::CloseUnchunked;
    to.write_all(if chunked { b"Transfer-Encoding: chunked\r\n\r\n" } else { b"\r\n" })?;
    for text in events {
        if chunked {
            write!(to, "{:x}\r\n{text}\r\n", text.len())?;
        } else {
            to.write_all(text.as_bytes())?;
        }
        to.flush()?;
    }
    to.write_all(if chunked && to_the_end { b"0\r\n\r\n" } else { b"" })
}
