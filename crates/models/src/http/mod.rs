//! As much of HTTP/1.1 as agents' clients use: connections that are kept, bodies with a length or in chunks,
//! and a limit on everything that is read.

mod request;
mod body;
mod response;

use std::io::{self, Read};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

pub(crate) use request::{After, Refusal, Request, read};
pub(crate) use response::{Body, Ends, Response};

/// What is still taken from a client that is refused.
const PARTING_LIMIT: u64 = 64 * 1024 * 1024;
/// How long it may be silent by then.
const PARTING_SILENCE: Duration = Duration::from_secs(1);

/// Parts from a client that may still be sending. Were the connection simply dropped, the reset could
/// overtake the answer, and the client would never read why it was refused.
pub(crate) fn part(stream: &TcpStream, from: &mut impl Read) -> io::Result<()> {
    stream.shutdown(Shutdown::Write)?;
    stream.set_read_timeout(Some(PARTING_SILENCE))?;
    io::copy(&mut from.take(PARTING_LIMIT), &mut io::sink()).map(drop)
}
