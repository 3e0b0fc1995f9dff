//! One exchange with a server, which can be left at any moment.
//!
//! It runs in a thread of its own, because a name that is looked up and a connection that is made cannot be
//! interrupted. Whoever waits for it looks every now and then whether to go on; if not, the connection is shut
//! down, the server notices, and the thread ends by itself.

use std::io::{ErrorKind, Read};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ureq::http::{HeaderMap, Request};
use ureq::{Agent, Error};

use super::Stop;
use super::web::{self, Web};

/// How often somebody who waits looks whether to go on.
const LOOK: Duration = Duration::from_millis(50);
/// Pieces that may lie between the thread and who reads.
const PIECES: usize = 64;
/// How long the rest of an answer may take that is complete for us. Then the connection can be used again.
const PARTING: Duration = Duration::from_millis(200);

/// Connections to one server. Each agent is used by one exchange at a time, since to leave one means to shut
/// down all connections of its agent.
#[derive(Debug)]
pub(super) struct Connections {
    web: Web,
    idle: Mutex<Vec<Agent>>,
}

/// An exchange on its way.
pub(super) struct Exchange {
    connections: Arc<Connections>,
    arrivals: Receiver<Arrival>,
    agent: Option<Agent>,
    heard: Instant,
}

/// What arrives.
#[derive(Debug)]
pub(super) enum Arrival {
    /// The status and the headers.
    Head(u16, HeaderMap),
    /// Some of the body.
    Bytes(Vec<u8>),
    /// The end of it.
    End,
    /// There is no connection, or no answer.
    Unreachable(String),
    /// It broke off.
    Broken(String),
}

/// Why nothing arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nothing {
    /// Somebody asked to stop.
    Stopped,
    /// Not a byte came for too long.
    Silent,
}

impl Connections {
    pub(super) fn new(web: Web) -> Arc<Self> {
        Arc::new(Self { web, idle: Mutex::default() })
    }

    /// Sends a request.
    pub(super) fn send(self: &Arc<Self>, request: Request<Vec<u8>>) -> Exchange {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let agent = idle.unwrap_or_else(|| self.web.agent());
        let (to, arrivals) = mpsc::sync_channel(PIECES);
        let its = agent.clone();
        thread::spawn(move || run(&its, request, &to));
        Exchange { connections: Arc::clone(self), arrivals, agent: Some(agent), heard: Instant::now() }
    }
}

/// Sends and reads. A reader who has gone has shut the connection down.
fn run(agent: &Agent, request: Request<Vec<u8>>, to: &SyncSender<Arrival>) {
    let response = match agent.run(request) {
        Ok(response) => response,
        Err(error) => return drop(to.send(Arrival::Unreachable(web::why(&error)))),
    };
    let (head, body) = response.into_parts();
    let _ = to.send(Arrival::Head(head.status.as_u16(), head.headers));
    let mut body = body.into_reader();
    let mut piece = vec![0; 16 * 1024];
    loop {
        match body.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => drop(to.send(Arrival::Bytes(piece[..count].to_vec()))),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return drop(to.send(Arrival::Broken(web::why(&Error::from(error))))),
        }
    }
    // Before who waits hears of the end, the connection is idle again.
    drop(body);
    let _ = to.send(Arrival::End);
}

impl Exchange {
    /// Waits for what arrives next.
    pub(super) fn next(&mut self, stop: &Stop, silence: Duration) -> Result<Arrival, Nothing> {
        loop {
            if stop.is_asked() {
                return Err(Nothing::Stopped);
            }
            match self.arrivals.recv_timeout(LOOK) {
                Ok(arrival) => {
                    self.heard = Instant::now();
                    self.keep_after(&arrival);
                    return Ok(arrival);
                }
                Err(RecvTimeoutError::Timeout) if self.heard.elapsed() >= silence => {
                    return Err(Nothing::Silent);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Ok(Arrival::Broken("it was left alone".to_owned()));
                }
            }
        }
    }

    /// Waits a little for the end, so that the connection can be used again.
    pub(super) fn part(mut self) {
        let until = Instant::now() + PARTING;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            let Ok(arrival) = self.arrivals.recv_timeout(left) else { return };
            self.keep_after(&arrival);
        }
    }

    /// After the end, the agent is there for the next exchange.
    fn keep_after(&mut self, arrival: &Arrival) {
        if !matches!(arrival, Arrival::End) {
            return;
        }
        if let Some(agent) = self.agent.take() {
            self.connections.idle.lock().unwrap_or_else(PoisonError::into_inner).push(agent);
        }
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        if let Some(agent) = self.agent.take() {
            agent.shutdown();
        }
    }
}
