//! One exchange with a server, which the caller can leave at any moment. It runs in its own thread, because a name lookup
//! and a connection cannot be interrupted. Leaving shuts the connection down, and the thread ends.

use std::io::{ErrorKind, Read};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tenter_net::http::{HeaderMap, Request};
use tenter_net::{Agent, Error, Failure, Route};

use super::StopFlag;

/// Time for the name lookup, and again for the connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// How often the stop flag is polled.
const POLL: Duration = Duration::from_millis(50);
/// Pieces that may wait for the reader.
const PIECES: usize = 64;
/// How long to wait for the end of a complete response, so that the connection can be used again.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(200);

/// Connections to one server. Each agent serves one exchange at a time, because leaving an exchange shuts down all
/// connections of its agent.
#[derive(Debug)]
pub(super) struct Connections {
    route: Route,
    idle: Mutex<Vec<Agent>>,
}

pub(super) struct Exchange {
    connections: Arc<Connections>,
    arrivals: Receiver<Arrival>,
    agent: Option<Agent>,
    received: Instant,
}

#[derive(Debug)]
pub(super) enum Arrival {
    Head(u16, HeaderMap),
    Bytes(Vec<u8>),
    End,
    Unreachable(String),
    Broken(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitError {
    Stopped,
    Silent,
}

impl Connections {
    pub(super) fn new(route: Route) -> Arc<Self> {
        Arc::new(Self { route, idle: Mutex::default() })
    }

    pub(super) fn send(self: &Arc<Self>, request: Request<Vec<u8>>) -> Exchange {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let agent = idle.unwrap_or_else(|| self.route.agent(Some(CONNECT_TIMEOUT)));
        let (to, arrivals) = mpsc::sync_channel(PIECES);
        let sender = agent.clone();
        thread::spawn(move || run(&sender, request, &to));
        Exchange { connections: Arc::clone(self), arrivals, agent: Some(agent), received: Instant::now() }
    }
}

/// Sends the request and reads the response. A caller that left has shut the connection down.
fn run(agent: &Agent, request: Request<Vec<u8>>, to: &SyncSender<Arrival>) {
    let response = match agent.run(request) {
        Ok(response) => response,
        Err(error) => return drop(to.send(Arrival::Unreachable(reason(&error)))),
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
            Err(error) => return drop(to.send(Arrival::Broken(reason(&Error::from(error))))),
        }
    }
    // The connection is idle again before the reader receives the end.
    drop(body);
    let _ = to.send(Arrival::End);
}

fn reason(error: &Error) -> String {
    match Failure::from(error) {
        Failure::TimedOut => "the connection timed out".to_owned(),
        Failure::Closed => error.to_string(),
        Failure::Other(why) => why,
    }
}

impl Exchange {
    pub(super) fn next(&mut self, stop: &StopFlag, silence: Duration) -> Result<Arrival, WaitError> {
        loop {
            if stop.is_set() {
                return Err(WaitError::Stopped);
            }
            match self.arrivals.recv_timeout(POLL) {
                Ok(arrival) => {
                    self.received = Instant::now();
                    self.reuse_after_end(&arrival);
                    return Ok(arrival);
                }
                Err(RecvTimeoutError::Timeout) if self.received.elapsed() >= silence => {
                    return Err(WaitError::Silent);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Ok(Arrival::Broken("its thread ended".to_owned()));
                }
            }
        }
    }

    /// Waits briefly for the end, so that the connection can be used again.
    pub(super) fn drain(mut self) {
        let until = Instant::now() + DRAIN_TIMEOUT;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            let Ok(arrival) = self.arrivals.recv_timeout(left) else { return };
            self.reuse_after_end(&arrival);
        }
    }

    /// After the end, the agent is free for the next exchange.
    fn reuse_after_end(&mut self, arrival: &Arrival) {
        if matches!(arrival, Arrival::End)
            && let Some(agent) = self.agent.take()
        {
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
