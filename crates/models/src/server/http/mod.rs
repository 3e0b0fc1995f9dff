//! The part of HTTP/1.1 that agents' clients use: persistent connections, bodies with a length or in chunks, and a limit
//! on everything that is read.

mod body;
mod request;
mod response;

use std::io::{self, Read};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

pub(crate) use request::{Connection, Request, RequestError, read};
pub(crate) use response::{Body, Ending, Response};

/// Most bytes that are still read from a refused client.
const DRAIN_LIMIT: u64 = 64 * 1024 * 1024;
const DRAIN_IDLE: Duration = Duration::from_secs(1);

/// Closes a connection whose client may still be sending. A reset could overtake the response, and the client would not
/// see why it was refused.
pub(crate) fn close_gently(stream: &TcpStream, from: &mut impl Read) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(DRAIN_IDLE))?;
    io::copy(&mut from.take(DRAIN_LIMIT), &mut io::sink()).map(drop)
}
