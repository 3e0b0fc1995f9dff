//! A model on a server: a request is repeated until there is a reply, or until another try is useless.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use tenter_net::http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, USER_AGENT};
use tenter_net::http::{Request as HttpRequest, Uri};

use super::api_key::ApiKey;
use super::apis::{self, StreamState};
use super::error::format_duration;
use super::error_response::{ErrorResponse, one_line};
use super::exchange::{Arrival, Connections, Exchange, WaitError};
use super::partial_reply::random_number;
use super::reply_stream::{ReplyError, ReplyStream};
use super::retry::{RetryAdvice, RetryPolicy, pause};
use super::{
    FailureCause, Fault, Model, ModelError, Reply, ReplyPiece, Request, SpecError, StopFlag, context_window,
    model_list,
};
use crate::Api;

const REFUSAL_LIMIT: usize = 64 * 1024;
/// Most bytes of a list of models. Some servers have hundreds.
const LIST_LIMIT: usize = 4 * 1024 * 1024;
/// Tries for a server that is unreachable, or breaks off without a status.
const TRIES_WITHOUT_STATUS: u32 = 2;
/// How often the stop flag is polled.
const POLL: Duration = Duration::from_millis(50);

pub(super) struct RemoteModel {
    pub(super) name: String,
    pub(super) model: String,
    pub(super) api: Api,
    /// The address of the API, without the path of a request.
    pub(super) base: String,
    pub(super) place: String,
    pub(super) key: Option<ApiKey>,
    /// The variable of the key.
    pub(super) variable: Option<&'static str>,
    pub(super) connections: Arc<Connections>,
    pub(super) patience: RetryPolicy,
}

struct Failed {
    error: ModelError,
    /// Most tries, this one included.
    tries: u32,
    advice: RetryAdvice,
}

impl Model for RemoteModel {
    fn name(&self) -> &str {
        &self.name
    }

    fn window(&self) -> Option<u64> {
        context_window::context_window(&self.model)
    }

    fn ask(
        &self,
        request: &Request<'_>,
        on_piece: &mut dyn FnMut(ReplyPiece<'_>),
        stop: &StopFlag,
    ) -> Result<Reply, ModelError> {
        if stop.is_set() {
            return Err(ModelError::stopped(Reply::default()));
        }
        let body = apis::body(self.api, request, &self.model).to_string().into_bytes();
        let mut tried = 0;
        loop {
            tried += 1;
            let mut received = false;
            let mut forward = |piece: ReplyPiece<'_>| {
                received = true;
                on_piece(piece);
            };
            let Failed { error, tries, advice } = match self.attempt(&body, &mut forward, stop, tried) {
                Ok(reply) => return Ok(reply),
                Err(failed) => failed,
            };
            let wait = pause(self.patience.first_wait, tried, advice, random_number());
            if tried >= tries || wait > self.patience.longest_wait {
                return Err(error);
            }
            on_piece(ReplyPiece::Waiting {
                why: &error.message,
                seconds: wait.as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX),
                void: received,
                attempt: tried,
            });
            if !wait_for(wait, stop) {
                return Err(ModelError::stopped(Reply::default()));
            }
        }
    }
}

impl RemoteModel {
    /// Sends the request once.
    fn attempt(
        &self,
        body: &[u8],
        on_piece: &mut apis::OnPiece<'_>,
        stop: &StopFlag,
        tried: u32,
    ) -> Result<Reply, Failed> {
        let request = self.request(&apis::path(self.api, &self.model), Some(body))?;
        let mut exchange = self.connections.send(request);
        let mut stream = ReplyStream::new(self.api);
        let began = Instant::now();
        loop {
            if began.elapsed() > self.patience.longest_reply {
                let why = format!("it takes more than {}", format_duration(self.patience.longest_reply));
                return Err(self.reply_error(stream.endless(why), tried));
            }
            let read = match exchange.next(stop, self.patience.silence) {
                Ok(Arrival::Head(200, _)) => continue,
                Ok(Arrival::Head(status, headers)) => {
                    let advice = RetryAdvice::from_headers(&headers, SystemTime::now());
                    let body = self.rest(&mut exchange, stop, REFUSAL_LIMIT);
                    return Err(self.refused(ErrorResponse::parse(status, &body, advice), tried));
                }
                Ok(Arrival::Bytes(bytes)) => match stream.read(&bytes, on_piece) {
                    Ok(StreamState::Open) => continue,
                    Ok(StreamState::Complete) => {
                        exchange.drain();
                        stream.finish()
                    }
                    Err(error) => Err(error),
                },
                Ok(Arrival::End) => stream.end(on_piece),
                Ok(Arrival::Broken(why)) => Err(stream.cut(why)),
                Ok(Arrival::Unreachable(why)) => {
                    return Err(self.failed(FailureCause::Unreachable, &why, Box::default()));
                }
                Err(WaitError::Stopped) => {
                    return Err(Failed::once(ModelError::stopped(stream.into_usable())));
                }
                Err(WaitError::Silent) => {
                    let cause = FailureCause::Stalled(self.patience.silence);
                    return Err(self.failed(cause, "", Box::new(stream.into_usable())));
                }
            };
            return read.map_err(|error| self.reply_error(error, tried));
        }
    }

    /// The first model of the server that can chat.
    pub(super) fn first_model(&self) -> Result<String, SpecError> {
        let hint = format!("name the model behind `#`: {}#NAME", self.name);
        let unusable = |message: String| SpecError { fault: Fault::Server, message, hint: hint.clone() };
        let request = self.request("/models", None).map_err(|failed| unusable(failed.error.to_string()))?;
        let mut exchange = self.connections.send(request);
        let silence = self.patience.silence.min(Duration::from_secs(20));
        let status = match exchange.next(&StopFlag::new(), silence) {
            Ok(Arrival::Head(status, _)) => status,
            Ok(Arrival::Unreachable(why)) => {
                return Err(SpecError {
                    fault: Fault::Server,
                    message: format!("{} cannot be reached: {}", self.place, self.shown(&why)),
                    hint: "start the server, or check the address".to_owned(),
                });
            }
            _ => return Err(unusable(format!("{} does not list its models", self.place))),
        };
        let body = self.rest(&mut exchange, &StopFlag::new(), LIST_LIMIT);
        if status != 200 {
            let error = ErrorResponse::parse(status, &body, RetryAdvice::default()).error(
                &self.place,
                self.variable,
                1,
            );
            return Err(unusable(self.without_key(error).to_string()));
        }
        let names = model_list::names(&body);
        match names.iter().find(|name| model_list::can_chat(name)) {
            Some(model) => Ok(model.clone()),
            None if names.is_empty() => Err(unusable(format!("{} has no models", self.place))),
            None => {
                let names = self.shown(&names.join(", "));
                Err(unusable(format!("{} has no chat model, only {names}", self.place)))
            }
        }
    }

    fn request(&self, path: &str, body: Option<&[u8]>) -> Result<HttpRequest<Vec<u8>>, Failed> {
        let unusable = |what: &str| {
            let why = format!("{what} cannot be sent");
            Failed::once(ModelError::new(FailureCause::Unreachable, &self.place, why))
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

    /// The rest of a body that is not a stream.
    fn rest(&self, exchange: &mut Exchange, stop: &StopFlag, most: usize) -> Vec<u8> {
        let mut body = Vec::new();
        while let Ok(Arrival::Bytes(bytes)) = exchange.next(stop, self.patience.silence) {
            body.extend(bytes);
            if body.len() > most {
                break;
            }
        }
        body
    }

    fn reply_error(&self, error: ReplyError, tried: u32) -> Failed {
        match error {
            ReplyError::Reported(status, message) => {
                self.refused(ErrorResponse::from_stream(status, &message), tried)
            }
            ReplyError::Failed(cause, why, received) => self.failed(cause, &why, received),
        }
    }

    fn failed(&self, mut cause: FailureCause, why: &str, received: Box<Reply>) -> Failed {
        if let FailureCause::Garbage(start) = &mut cause {
            *start = self.shown(start);
        }
        let again = matches!(cause, FailureCause::Cut | FailureCause::Unreachable);
        let error = ModelError::new(cause, &self.place, self.shown(why));
        let failed = Failed::once(ModelError { received, ..error });
        Failed { tries: if again { TRIES_WITHOUT_STATUS } else { 1 }, ..failed }
    }

    fn refused(&self, response: ErrorResponse, tried: u32) -> Failed {
        let advice = response.advice;
        let tries = if response.is_temporary() { self.patience.tries } else { 1 };
        let error = self.without_key(response.error(&self.place, self.variable, tried));
        Failed { error, tries, advice }
    }

    fn without_key(&self, error: ModelError) -> ModelError {
        ModelError { message: self.shown(&error.message), ..error }
    }

    /// A text of the server on one line, without the key.
    fn shown(&self, text: &str) -> String {
        let text = one_line(text);
        self.key.as_ref().map_or(text.clone(), |key| key.redact(&text))
    }
}

impl Failed {
    fn once(error: ModelError) -> Self {
        Self { error, tries: 1, advice: RetryAdvice::default() }
    }
}

fn wait_for(time: Duration, stop: &StopFlag) -> bool {
    let until = Instant::now() + time;
    while let Some(left) = until.checked_duration_since(Instant::now()) {
        if stop.is_set() {
            return false;
        }
        std::thread::sleep(left.min(POLL));
    }
    !stop.is_set()
}
