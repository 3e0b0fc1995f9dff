//! A model behind an address: the same is asked until there is a reply, or until it makes no sense any more.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use ureq::http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, USER_AGENT};
use ureq::http::{Request as HttpRequest, Uri};

use super::draft::random;
use super::error::spoken;
use super::exchange::{Arrival, Connections, Exchange, Nothing};
use super::key::Key;
use super::listening::{Listening, Unheard};
use super::refusal::{Refusal, plain};
use super::retry::{Patience, Wish, pause};
use super::wires::{self, Step};
use super::{Fault, Model, ModelError, Piece, Reply, Request, SpecError, Stop, listed, windows};
use crate::apis::Api;

/// How much of a refusal is read.
const REFUSAL_LIMIT: usize = 64 * 1024;
/// How much of a list of models is read. Some servers have hundreds.
const LIST_LIMIT: usize = 4 * 1024 * 1024;
/// How often a server is asked that cannot be reached, or breaks off without a word.
const TRIES_WITHOUT_AN_ANSWER: u32 = 2;
/// How often somebody who waits looks whether to go on.
const LOOK: Duration = Duration::from_millis(50);

/// A model behind an address.
pub(super) struct Remote {
    /// What the user calls it.
    pub(super) name: String,
    /// What the server calls it.
    pub(super) model: String,
    pub(super) api: Api,
    /// Where the API is, without what differs from request to request.
    pub(super) base: String,
    /// The server, for people.
    pub(super) place: String,
    pub(super) key: Option<Key>,
    /// Where the key is from, or should be.
    pub(super) variable: Option<&'static str>,
    pub(super) connections: Arc<Connections>,
    pub(super) patience: Patience,
}

/// Why a try failed.
struct Failed {
    error: ModelError,
    /// How often the same may be asked, this try included.
    tries: u32,
    /// What the server says about that.
    wish: Wish,
}

impl Model for Remote {
    fn name(&self) -> &str {
        &self.name
    }

    fn window(&self) -> Option<u64> {
        windows::of(&self.model)
    }

    fn ask(
        &self,
        request: &Request<'_>,
        hear: &mut dyn FnMut(Piece<'_>),
        stop: &Stop,
    ) -> Result<Reply, ModelError> {
        if stop.is_asked() {
            return Err(ModelError::Stopped { heard: Box::default() });
        }
        let body = wires::body(self.api, request, &self.model).to_string().into_bytes();
        let mut tried = 0;
        loop {
            tried += 1;
            let mut heard = false;
            let mut ear = |piece: Piece<'_>| {
                heard = true;
                hear(piece);
            };
            let failed = match self.attempt(&body, &mut ear, stop, tried) {
                Ok(reply) => return Ok(reply),
                Err(failed) => failed,
            };
            let wait = pause(self.patience.first_wait, tried, failed.wish, random());
            if tried >= failed.tries || wait > self.patience.longest_wait {
                return Err(failed.error);
            }
            let why = match &failed.error {
                ModelError::Busy { message, .. } => message,
                ModelError::Unreachable { why, .. } | ModelError::Cut { why, .. } => why,
                _ => "no reply",
            };
            hear(Piece::Waiting {
                why,
                seconds: wait.as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX),
                void: heard,
                attempt: tried,
            });
            if !waited(wait, stop) {
                return Err(ModelError::Stopped { heard: Box::default() });
            }
        }
    }
}

impl Remote {
    /// Asks once.
    fn attempt(
        &self,
        body: &[u8],
        hear: &mut wires::Ear<'_>,
        stop: &Stop,
        tried: u32,
    ) -> Result<Reply, Failed> {
        let request = self.request(&wires::path(self.api, &self.model), Some(body))?;
        let mut exchange = self.connections.send(request);
        let mut listening = Listening::new(self.api);
        let began = Instant::now();
        loop {
            if began.elapsed() > self.patience.longest_reply {
                let why = format!("it takes more than {}", spoken(self.patience.longest_reply));
                return Err(self.unheard(listening.endless(why), tried));
            }
            match exchange.next(stop, self.patience.silence) {
                Ok(Arrival::Head(200, _)) => {}
                Ok(Arrival::Head(status, headers)) => {
                    let wish = Wish::of(&headers, SystemTime::now());
                    let body = self.rest(&mut exchange, stop, REFUSAL_LIMIT);
                    return Err(self.refused(Refusal::of(status, &body, wish), tried));
                }
                Ok(Arrival::Bytes(bytes)) => {
                    let step =
                        listening.take(&bytes, hear).map_err(|unheard| self.unheard(unheard, tried))?;
                    if step == Step::Over {
                        exchange.part();
                        return listening.reply().map_err(|unheard| self.unheard(unheard, tried));
                    }
                }
                Ok(Arrival::End) => {
                    return listening.end(hear).map_err(|unheard| self.unheard(unheard, tried));
                }
                Ok(Arrival::Broken(why)) => return Err(self.unheard(listening.cut(why), tried)),
                Ok(Arrival::Unreachable(why)) => {
                    let error = ModelError::Unreachable { place: self.place.clone(), why: self.shown(&why) };
                    return Err(Failed { error, tries: TRIES_WITHOUT_AN_ANSWER, wish: Wish::default() });
                }
                Err(Nothing::Stopped) => {
                    return Err(Failed::once(ModelError::Stopped { heard: Box::new(listening.so_far()) }));
                }
                Err(Nothing::Silent) => {
                    let (place, silence) = (self.place.clone(), self.patience.silence);
                    let heard = Box::new(listening.so_far());
                    return Err(Failed::once(ModelError::Stalled { place, silence, heard }));
                }
            }
        }
    }

    /// The first model of the server that talks.
    pub(super) fn first_model(&self) -> Result<String, SpecError> {
        let hint = format!("name the model behind `#`: {}#NAME", self.name);
        let unusable = |message: String| SpecError { fault: Fault::Server, message, hint: hint.clone() };
        let request = self.request("/models", None).map_err(|failed| unusable(failed.error.to_string()))?;
        let mut exchange = self.connections.send(request);
        let silence = self.patience.silence.min(Duration::from_secs(20));
        let status = match exchange.next(&Stop::new(), silence) {
            Ok(Arrival::Head(status, _)) => status,
            Ok(Arrival::Unreachable(why)) => {
                return Err(SpecError {
                    fault: Fault::Server,
                    message: format!("{} cannot be reached: {}", self.place, self.shown(&why)),
                    hint: "start the server, or check the address".to_owned(),
                });
            }
            _ => return Err(unusable(format!("{} does not say which models it has", self.place))),
        };
        let body = self.rest(&mut exchange, &Stop::new(), LIST_LIMIT);
        if status != 200 {
            let error = Refusal::of(status, &body, Wish::default()).error(&self.place, self.variable, 1);
            return Err(unusable(self.without_key(error).to_string()));
        }
        let names = listed::names(&body);
        match names.iter().find(|name| listed::talks(name)) {
            Some(model) => Ok(model.clone()),
            None if names.is_empty() => Err(unusable(format!("{} has no models", self.place))),
            None => {
                let names = self.shown(&names.join(", "));
                Err(unusable(format!("{} has no model that talks, only {names}", self.place)))
            }
        }
    }

    fn request(&self, path: &str, body: Option<&[u8]>) -> Result<HttpRequest<Vec<u8>>, Failed> {
        let unusable = |why: &str| {
            Failed::once(ModelError::Unreachable {
                place: self.place.clone(),
                why: format!("{why} cannot be sent"),
            })
        };
        let url: Uri = format!("{}{path}", self.base).parse().map_err(|_| unusable("its address"))?;
        let mut request = HttpRequest::builder()
            .method(if body.is_some() { "POST" } else { "GET" })
            .uri(url)
            .header(USER_AGENT, concat!("tenter/", env!("CARGO_PKG_VERSION")))
            .header(ACCEPT, if body.is_some() { "text/event-stream" } else { "application/json" })
            .header(ACCEPT_ENCODING, "identity")
            .header(CONTENT_TYPE, "application/json");
        if self.api == Api::Anthropic {
            request = request.header("anthropic-version", "2023-06-01");
        }
        if let Some(key) = &self.key {
            let (name, before) = match self.api {
                Api::Anthropic => ("x-api-key", ""),
                Api::Gemini => ("x-goog-api-key", ""),
                Api::OpenAiResponses | Api::OpenAiChat => ("authorization", "Bearer "),
            };
            request = request.header(name, key.header(before).ok_or_else(|| unusable("its key"))?);
        }
        request.body(body.unwrap_or_default().to_vec()).map_err(|_| unusable("the request"))
    }

    /// The body of an answer that is no stream, as far as it comes.
    fn rest(&self, exchange: &mut Exchange, stop: &Stop, most: usize) -> Vec<u8> {
        let mut body = Vec::new();
        while let Ok(Arrival::Bytes(bytes)) = exchange.next(stop, self.patience.silence) {
            body.extend(bytes);
            if body.len() > most {
                break;
            }
        }
        body
    }

    /// Why there is no whole reply, as a failure.
    fn unheard(&self, unheard: Unheard, tried: u32) -> Failed {
        let place = self.place.clone();
        match unheard {
            Unheard::Told { status, message } => self.refused(Refusal::told(status, &message), tried),
            Unheard::Garbage { why, begins } => {
                let begins = self.shown(&begins);
                Failed::once(ModelError::Garbage { place, why: self.shown(&why), begins })
            }
            Unheard::Endless { why, heard } => {
                Failed::once(ModelError::Endless { place, why, heard: Box::new(heard) })
            }
            Unheard::Cut { why, heard } => {
                let error = ModelError::Cut { place, why: self.shown(&why), heard: Box::new(heard) };
                Failed { error, tries: TRIES_WITHOUT_AN_ANSWER, wish: Wish::default() }
            }
        }
    }

    /// A refusal as a failure, after so many tries.
    fn refused(&self, refusal: Refusal, tried: u32) -> Failed {
        let wish = refusal.wish;
        let tries = if refusal.may_pass() { self.patience.tries } else { 1 };
        let error = self.without_key(refusal.error(&self.place, self.variable, tried));
        Failed { error, tries, wish }
    }

    fn without_key(&self, mut error: ModelError) -> ModelError {
        if let ModelError::Refused { message, .. }
        | ModelError::Busy { message, .. }
        | ModelError::TooLong { message } = &mut error
        {
            *message = self.shown(message);
        }
        error
    }

    /// A text of the server's, fit to be shown.
    fn shown(&self, text: &str) -> String {
        let text = plain(text);
        self.key.as_ref().map_or(text.clone(), |key| key.hidden_in(&text))
    }
}

impl Failed {
    /// A failure that stays one.
    fn once(error: ModelError) -> Self {
        Self { error, tries: 1, wish: Wish::default() }
    }
}

/// Waits; false if somebody asked to stop.
fn waited(time: Duration, stop: &Stop) -> bool {
    let until = Instant::now() + time;
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        if stop.is_asked() {
            return false;
        }
        std::thread::sleep(left.min(LOOK));
    }
    !stop.is_asked()
}
