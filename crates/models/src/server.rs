//! The scripted model on loopback. One thread listens, one serves each connection; nothing else is shared
//! than the play.

use std::io::{self, BufReader, BufWriter};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};

use crate::apis::{Api, Route, models, tokens};
use crate::asked::Delivery;
use crate::http::{self, After, Body, Ends, Refusal, Request, Response};
use crate::record::{Got, Recording};
use crate::script::{Failing, Script};
use crate::stage::{Report, Stage};

/// Connections at one time.
const CONNECTIONS_LIMIT: usize = 64;
/// How long a connection may be silent.
const SILENCE: Duration = Duration::from_mins(2);

/// How often a server that says nothing looks whether somebody still listens.
const LOOK: Duration = Duration::from_millis(50);

/// How a script is served.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The port on 127.0.0.1; 0 for any that is free.
    pub port: u16,
    /// The only API that is spoken; without it, each.
    pub api: Option<Api>,
    /// Where requests are recorded.
    pub record: Option<PathBuf>,
}

/// A scripted model that listens.
pub struct Server {
    address: SocketAddr,
    house: Arc<House>,
    listening: JoinHandle<()>,
}

impl Server {
    /// Begins to listen.
    pub fn start(script: Script, options: Options) -> io::Result<Self> {
        let recording = options.record.map(Recording::to).transpose()?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, options.port))?;
        let address = listener.local_addr()?;
        let play = Play { stage: Stage::new(script), requests: 0, refused: 0, unrecorded: Vec::new() };
        let house = Arc::new(House {
            api: options.api,
            recording,
            play: Mutex::new(play),
            connections: AtomicUsize::new(0),
            closing: AtomicBool::new(false),
        });
        let listening = {
            let house = Arc::clone(&house);
            thread::spawn(move || house.listen(&listener))
        };
        Ok(Self { address, house, listening })
    }

    /// Where it listens, as agents want it: `http://127.0.0.1:4321`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Stops listening and tells how it went.
    pub fn finish(self) -> Report {
        self.house.closing.store(true, Ordering::SeqCst);
        // The listener sleeps until somebody comes.
        if TcpStream::connect(self.address).is_ok() {
            let _ = self.listening.join();
        }
        self.house.play().report()
    }
}

/// What all connections share.
struct House {
    api: Option<Api>,
    recording: Option<Recording>,
    play: Mutex<Play>,
    connections: AtomicUsize,
    closing: AtomicBool,
}

/// The play, and what is counted beside it.
struct Play {
    stage: Stage,
    requests: usize,
    refused: usize,
    unrecorded: Vec<String>,
}

impl Play {
    fn report(&self) -> Report {
        Report { refused: self.refused, unrecorded: self.unrecorded.clone(), ..self.stage.report() }
    }
}

impl House {
    fn play(&self) -> MutexGuard<'_, Play> {
        self.play.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn listen(self: Arc<Self>, listener: &TcpListener) {
        for stream in listener.incoming() {
            if self.closing.load(Ordering::SeqCst) {
                return;
            }
            // A client that is gone before it was heard is no matter.
            let Ok(stream) = stream else { continue };
            let house = Arc::clone(&self);
            thread::spawn(move || house.welcome(&stream));
        }
    }

    fn welcome(&self, stream: &TcpStream) {
        if self.connections.fetch_add(1, Ordering::SeqCst) < CONNECTIONS_LIMIT {
            // A client that goes away in the middle has its answer in the record.
            let _ = self.serve(stream);
        } else {
            let refusal = Refusal { status: 503, why: "too many connections".to_owned() };
            let _ = self.refuse(&refusal).write(&mut BufWriter::new(stream), After::Close);
        }
        self.connections.fetch_sub(1, Ordering::SeqCst);
    }

    fn serve(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(SILENCE))?;
        stream.set_write_timeout(Some(SILENCE))?;
        stream.set_nodelay(true)?;
        let mut from = BufReader::new(stream);
        let mut to = BufWriter::new(stream);
        loop {
            let request = match http::read(&mut from, &mut to) {
                Ok(Some(request)) => request,
                Ok(None) => return Ok(()),
                Err(refusal) => {
                    self.refuse(&refusal).write(&mut to, After::Close)?;
                    return http::part(stream, &mut from);
                }
            };
            let mut response = self.answer(&request);
            if request.method == "HEAD" {
                response.body = Body::HeadOnly;
            }
            response.write(&mut to, request.after)?;
            if let Ends::Stall(_) = response.ends {
                self.say_nothing(stream);
            }
            if request.after != After::Keep || response.ends != Ends::Whole {
                return Ok(());
            }
        }
    }

    /// Says nothing until the client goes or the play ends.
    fn say_nothing(&self, stream: &TcpStream) {
        let _ = stream.set_read_timeout(Some(LOOK));
        let gone = |peeked: io::Result<usize>| match peeked {
            Ok(count) => count == 0,
            Err(error) => !matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut),
        };
        while !self.closing.load(Ordering::SeqCst) && !gone(stream.peek(&mut [0])) {
            thread::sleep(LOOK);
        }
    }

    fn answer(&self, request: &Request) -> Response {
        let spoken = Api::ALL.into_iter().filter(|api| self.api.is_none_or(|only| only == *api));
        let mut found =
            spoken.filter_map(|api| Some((api, api.route(&request.method, &request.path, &request.query)?)));
        let Some((api, route)) = found.next() else {
            self.note(None, request, &Value::Null, "unknown");
            return self.refuse(&Refusal {
                status: 404,
                why: format!("the scripted model has no {} {}", request.method, request.path),
            });
        };
        if let Route::Probe | Route::Models = route {
            self.note(Some(api), request, &Value::Null, "probe");
            return Response::json(200, if route == Route::Models { models() } else { json!({}) });
        }
        let Ok(body) = serde_json::from_slice::<Value>(&request.body) else {
            return self.refuse(&Refusal { status: 400, why: "the body is no JSON".to_owned() });
        };
        if !body.is_object() {
            return self.refuse(&Refusal { status: 400, why: "the body is no JSON object".to_owned() });
        }
        let mut asked = api.read(&body);
        let Route::Reply { model, delivery } = route else {
            self.note(Some(api), request, &body, "count");
            return Response::json(200, api.counted(tokens(&asked)));
        };
        asked.model = model.unwrap_or(asked.model);
        asked.delivery = delivery.unwrap_or(asked.delivery);
        // One lock over the turn and its record: files are numbered in the order of the turns.
        let (line, number) = {
            let mut play = self.play();
            let line = play.stage.answer(&asked);
            let number = self.write(&mut play, Some(api), request, &body, &Got::Line(&line));
            (line, number)
        };
        let whole = match asked.delivery {
            Delivery::Whole => Response::json(200, api.whole(&line, &asked, number)),
            Delivery::Events => {
                let events = api.events(&line, &asked, number);
                let body = Body::Events { events, end_mark: api.end_mark() };
                Response { body, ..Response::json(200, Value::Null) }
            }
            Delivery::Array => {
                let responses = api.events(&line, &asked, number).into_iter().map(|event| event.data);
                Response::json(200, responses.collect())
            }
        };
        match line.fails {
            None => whole,
            Some(Failing::Cut(events)) => Response { ends: Ends::Cut(events), ..whole },
            Some(Failing::Stall(events)) => Response { ends: Ends::Stall(events), ..whole },
            Some(Failing::Garbage(text)) => Response { body: Body::Text(text), ..whole },
            Some(Failing::Status { status, headers, message }) => {
                Response { headers, ..Response::json(status, api.error(status, &message)) }
            }
        }
    }

    /// Records a request that has no part in the play.
    fn note(&self, api: Option<Api>, request: &Request, body: &Value, part: &'static str) {
        self.write(&mut self.play(), api, request, body, &Got::Aside(part));
    }

    /// Records a request; returns its number.
    fn write(
        &self,
        play: &mut Play,
        api: Option<Api>,
        request: &Request,
        body: &Value,
        got: &Got<'_>,
    ) -> usize {
        play.requests += 1;
        let number = play.requests;
        let written = self.recording.as_ref().map(|it| it.write(number, api, request, body, got));
        if let Some(Err(problem)) = written {
            play.unrecorded.push(problem);
        }
        number
    }

    fn refuse(&self, refusal: &Refusal) -> Response {
        self.play().refused += 1;
        let api = self.api.unwrap_or(Api::Anthropic);
        Response::json(refusal.status, api.error(refusal.status, &refusal.why))
    }
}
