//! The scripted model on loopback. `http` reads a request, `apis` translate it into an `AgentRequest`, the
//! `ScriptState` selects the turn that answers, the API writes the reply, and the `Recording` stores both.
//!
//! One thread accepts, one more serves each connection; they share the `ScriptState` alone.

mod agent_request;
mod apis;
mod http;
mod recording;
mod schema_value;
mod script_state;

use std::io::{self, BufReader, BufWriter};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

use crate::Api;
use crate::script::{Script, ScriptFailure};
use agent_request::ReplyFormat;
use apis::{Route, model_list};
use http::{Body, Connection, Ending, Request, RequestError, Response};
use recording::{RecordEntry, Recording};
use script_state::ScriptState;
pub use script_state::{Mismatch, ScriptReport};

const CONNECTIONS_LIMIT: usize = 64;
const IDLE_LIMIT: Duration = Duration::from_mins(2);
/// How often a stalled reply checks whether the client is still there.
const POLL: Duration = Duration::from_millis(50);

/// Options of a scripted model.
#[derive(Clone, Debug, Default)]
pub struct ServerOptions {
    /// The port on 127.0.0.1; 0 selects a free one.
    pub port: u16,
    /// The only API to serve. Without it, all are served.
    pub api: Option<Api>,
    /// The folder for recorded requests.
    pub record: Option<PathBuf>,
}

/// A scripted model that accepts requests.
pub struct ScriptServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

impl ScriptServer {
    /// Starts to accept requests.
    pub fn start(script: Script, options: ServerOptions) -> io::Result<Self> {
        let recording = options.record.map(Recording::create).transpose()?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port))?;
        let address = listener.local_addr()?;
        let shared = Arc::new(Shared {
            api: options.api,
            recording,
            script: Mutex::new(ScriptState::new(script)),
            connections: AtomicUsize::new(0),
            closing: AtomicBool::new(false),
        });
        let for_thread = Arc::clone(&shared);
        let accepting = Some(thread::spawn(move || for_thread.accept(&listener)));
        Ok(Self { address, shared, accepting })
    }

    /// The base address for agents: `http://127.0.0.1:4321`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Stops accepting requests and returns the report.
    pub fn finish(mut self) -> ScriptReport {
        self.close();
        self.shared.script().report.clone()
    }

    fn close(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        // The accepting thread wakes up for a connection only.
        if let Some(accepting) = self.accepting.take()
            && TcpStream::connect(self.address).is_ok()
        {
            let _ = accepting.join();
        }
    }
}

impl Drop for ScriptServer {
    fn drop(&mut self) {
        self.close();
    }
}

struct Shared {
    api: Option<Api>,
    recording: Option<Recording>,
    script: Mutex<ScriptState>,
    connections: AtomicUsize,
    closing: AtomicBool,
}

impl Shared {
    fn script(&self) -> MutexGuard<'_, ScriptState> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn accept(self: Arc<Self>, listener: &TcpListener) {
        for stream in listener.incoming() {
            if self.closing.load(Ordering::SeqCst) {
                return;
            }
            // A client may be gone before it was accepted.
            let Ok(stream) = stream else { continue };
            let shared = Arc::clone(&self);
            thread::spawn(move || shared.serve_bounded(&stream));
        }
    }

    fn serve_bounded(&self, stream: &TcpStream) {
        if self.connections.fetch_add(1, Ordering::SeqCst) < CONNECTIONS_LIMIT {
            // A client that leaves early finds its reply in the recording.
            let _ = self.serve(stream);
        } else {
            let response = self.refuse(503, "too many connections");
            let _ = response.write(&mut BufWriter::new(stream), Connection::Close);
        }
        self.connections.fetch_sub(1, Ordering::SeqCst);
    }

    fn serve(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(IDLE_LIMIT))?;
        stream.set_write_timeout(Some(IDLE_LIMIT))?;
        stream.set_nodelay(true)?;
        let mut from = BufReader::new(stream);
        let mut to = BufWriter::new(stream);
        loop {
            let request = match http::read(&mut from, &mut to) {
                Ok(Some(request)) => request,
                Ok(None) => return Ok(()),
                Err(RequestError { status, why }) => {
                    self.refuse(status, &why).write(&mut to, Connection::Close)?;
                    return http::close_gently(stream, &mut from);
                }
            };
            let mut response = self.answer(&request);
            if request.method == "HEAD" {
                response.body = Body::HeadOnly;
            }
            response.write(&mut to, request.connection)?;
            if let Ending::Stall(_) = response.ending {
                self.stall(stream);
            }
            if request.connection != Connection::Keep || response.ending != Ending::Complete {
                return Ok(());
            }
        }
    }

    /// Sends nothing until the client leaves or the server closes.
    fn stall(&self, stream: &TcpStream) {
        let _ = stream.set_read_timeout(Some(POLL));
        let is_gone = |peeked: io::Result<usize>| match peeked {
            Ok(count) => count == 0,
            Err(error) => !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut),
        };
        while !self.closing.load(Ordering::SeqCst) && !is_gone(stream.peek(&mut [0])) {
            thread::sleep(POLL);
        }
    }

    fn answer(&self, request: &Request) -> Response {
        let mut apis = Api::ALL.into_iter().filter(|api| self.api.is_none_or(|only| only == *api));
        let route = |api: Api| {
            (api.served().route)(&request.method, &request.path, &request.query).map(|route| (api, route))
        };
        let Some((api, route)) = apis.find_map(route) else {
            self.record_other(None, request, &Value::Null, "unknown");
            return self
                .refuse(404, &format!("the scripted model has no {} {}", request.method, request.path));
        };
        if let Route::Probe | Route::ListModels = route {
            self.record_other(Some(api), request, &Value::Null, "probe");
            return Response::json(200, if route == Route::ListModels { model_list() } else { json!({}) });
        }
        let Ok(body @ Value::Object(_)) = serde_json::from_slice::<Value>(&request.body) else {
            return self.refuse(400, "the body is not a JSON object");
        };
        let served = api.served();
        let mut asked = (served.read)(&body);
        let Route::Reply { model, format } = route else {
            self.record_other(Some(api), request, &body, "count");
            return Response::json(200, (served.token_count)(asked.tokens()));
        };
        asked.model = model.unwrap_or(asked.model);
        asked.format = format.unwrap_or(asked.format);
        // One lock over the turn and its recording: files are numbered in the order of the turns.
        let (reply, number) = {
            let mut script = self.script();
            let reply = script.answer(&asked);
            let number = self.record(&mut script, Some(api), request, &body, &RecordEntry::Reply(&reply));
            (reply, number)
        };
        let events = || (served.events)(&reply, &asked, number);
        let response = match asked.format {
            ReplyFormat::Json => Response::json(200, (served.full_reply)(&reply, &asked, number)),
            ReplyFormat::JsonArray => Response::json(200, events().into_iter().map(|it| it.data).collect()),
            ReplyFormat::Events => {
                let body = Body::Events { events: events(), end_mark: served.end_mark };
                Response { body, ..Response::json(200, Value::Null) }
            }
        };
        match reply.fails {
            None => response,
            Some(ScriptFailure::Cut(events)) => Response { ending: Ending::Cut(events), ..response },
            Some(ScriptFailure::Stall(events)) => Response { ending: Ending::Stall(events), ..response },
            Some(ScriptFailure::Garbage(text)) => Response { body: Body::Text(text), ..response },
            Some(ScriptFailure::Status { status, headers, message }) => {
                Response { headers, ..Response::json(status, (served.error)(status, &message)) }
            }
        }
    }

    /// Records a request that is not part of the script.
    fn record_other(&self, api: Option<Api>, request: &Request, body: &Value, part: &'static str) {
        self.record(&mut self.script(), api, request, body, &RecordEntry::Other(part));
    }

    fn record(
        &self,
        script: &mut ScriptState,
        api: Option<Api>,
        request: &Request,
        body: &Value,
        entry: &RecordEntry<'_>,
    ) -> usize {
        script.requests += 1;
        let number = script.requests;
        let written = self.recording.as_ref().map(|it| it.write(number, api, request, body, entry));
        if let Some(Err(problem)) = written {
            script.report.unrecorded.push(problem);
        }
        number
    }

    fn refuse(&self, status: u16, why: &str) -> Response {
        self.script().report.refused += 1;
        let api = self.api.unwrap_or(Api::Anthropic);
        Response::json(status, (api.served().error)(status, why))
    }
}
