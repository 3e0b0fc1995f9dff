//! One exchange with a web server, bounded in time and size.

use std::ffi::OsString;
use std::io::{ErrorKind, Read};
use std::time::{Duration, Instant};

use tenter_contract::HookFailure;
use tenter_net::http::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};
use tenter_net::http::{Request, StatusCode, Uri, request::Builder};
use tenter_net::{Agent, AsSendBody, BodyReader, Error, Failure, Route, parse_http_url, redacted_url};

use crate::secrets::Secrets;
use crate::supervise::{Head, READ_LIMIT};

/// Headers that frame or route a message. A second one could be read as another message by a server in between.
const RESERVED: [&str; 6] = ["connection", "content-length", "expect", "host", "te", "transfer-encoding"];

/// The end of the time for a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    pub(crate) until: Instant,
    /// As the hook file states it, for the message.
    pub(crate) timeout: Duration,
}

impl Deadline {
    pub(crate) fn after(timeout: Duration) -> Self {
        Self { until: Instant::now() + timeout, timeout }
    }

    /// Never zero, which would mean no limit.
    fn remaining(self) -> Duration {
        self.until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
    }

    fn has_passed(self) -> bool {
        self.until <= Instant::now()
    }

    fn failure(self) -> HookFailure {
        HookFailure::TimedOut { after: self.timeout }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Headers(HeaderMap);

impl Headers {
    /// The headers of a hook file, variables filled in.
    pub(crate) fn new(
        stated: &[(String, String)],
        secrets: &mut Secrets,
        ours: &[(OsString, OsString)],
        notices: &mut Vec<String>,
    ) -> Result<Self, HookFailure> {
        let mut headers = HeaderMap::new();
        let version = concat!("tenter/", env!("CARGO_PKG_VERSION"));
        headers.insert(USER_AGENT, HeaderValue::from_static(version));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/plain;q=0.9, */*;q=0.5"));
        // A compressed body cannot be bounded before it is unpacked.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        for (name, value) in stated {
            if RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
                notices.push(format!("the header `{name}` is not sent: tenter sets it itself"));
                continue;
            }
            let value = secrets.filled(name, value, ours)?;
            let unusable = || HookFailure::Missing { detail: format!("`{name}` cannot be sent as a header") };
            let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| unusable())?;
            let mut value = HeaderValue::from_str(&value).map_err(|_| unusable())?;
            value.set_sensitive(true);
            headers.insert(header, value);
        }
        Ok(Self(headers))
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.0.insert(HeaderName::from_static(name), value);
        }
        self
    }
}

pub(crate) struct Client {
    agent: Agent,
    deadline: Deadline,
}

impl Client {
    pub(crate) fn new(
        url: &Uri,
        ours: &[(OsString, OsString)],
        deadline: Deadline,
    ) -> Result<Self, HookFailure> {
        let route = Route::resolve(url, ours)
            .map_err(|error| HookFailure::Missing { detail: format!("{error}; {}", error.hint()) })?;
        Ok(Self { agent: route.agent(None), deadline })
    }

    pub(crate) fn get(&self, url: &Uri, headers: &Headers) -> Result<HttpResponse, HookFailure> {
        self.send(url, Request::get(url.clone()), headers, ())
    }

    pub(crate) fn post(
        &self,
        url: &Uri,
        headers: &Headers,
        json: Vec<u8>,
    ) -> Result<HttpResponse, HookFailure> {
        let request = Request::post(url.clone()).header(CONTENT_TYPE, "application/json");
        self.send(url, request, headers, json)
    }

    pub(crate) fn delete(&self, url: &Uri, headers: &Headers) -> Result<HttpResponse, HookFailure> {
        self.send(url, Request::delete(url.clone()), headers, ())
    }

    pub(crate) fn with_deadline(self, deadline: Deadline) -> Self {
        Self { deadline, ..self }
    }

    fn send(
        &self,
        url: &Uri,
        mut request: Builder,
        headers: &Headers,
        body: impl AsSendBody,
    ) -> Result<HttpResponse, HookFailure> {
        let deadline = self.deadline;
        if deadline.has_passed() {
            return Err(deadline.failure());
        }
        if let Some(sent) = request.headers_mut() {
            sent.extend(headers.0.clone());
        }
        let detail = || format!("`{}` cannot be asked", redacted_url(url));
        let request = request.body(body).map_err(|_| HookFailure::Missing { detail: detail() })?;
        let request =
            self.agent.configure_request(request).timeout_global(Some(deadline.remaining())).build();
        let response = self.agent.run(request).map_err(|error| failure_of(url, &error, deadline))?;
        let (head, body) = response.into_parts();
        let (status, headers, body) = (head.status, head.headers, body.into_reader());
        Ok(HttpResponse { url: url.clone(), status, headers, body, deadline })
    }
}

/// A response whose body is still to be read.
pub(crate) struct HttpResponse {
    url: Uri,
    status: StatusCode,
    headers: HeaderMap,
    body: BodyReader<'static>,
    deadline: Deadline,
}

impl HttpResponse {
    pub(crate) fn status(&self) -> u16 {
        self.status.as_u16()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    pub(crate) fn location(&self) -> Option<&str> {
        matches!(self.status.as_u16(), 301 | 302 | 303 | 307 | 308).then(|| self.header("location"))?
    }

    /// The text of a status that is not a success.
    pub(crate) fn status_error(&self) -> Option<String> {
        (!self.status.is_success()).then(|| format!("`{}` answered {}", redacted_url(&self.url), self.status))
    }

    /// Refuses a compressed body, which no request of ours accepts.
    pub(crate) fn uncompressed(self) -> Result<Self, HookFailure> {
        match self.header("content-encoding") {
            None | Some("" | "identity") => Ok(self),
            Some(encoding) => Err(HookFailure::Garbled {
                detail: format!(
                    "the body is compressed (`Content-Encoding: {}`) although the request asked for plain text",
                    encoding.escape_debug()
                ),
            }),
        }
    }

    /// Reads the body: `most` bytes to use, the rest up to [`READ_LIMIT`]. Bytes beyond that are counted as far as
    /// the server states the length.
    pub(crate) fn read(mut self, most: usize) -> Result<Head, HookFailure> {
        let length = self.header("content-length").and_then(|length| length.parse::<u64>().ok());
        let mut body = Head::with_limit(most);
        let mut chunk = vec![0; 16 * 1024];
        loop {
            let count = self.read_some(&mut chunk)?;
            if count == 0 {
                return Ok(body);
            }
            body.take(&chunk[..count]);
            if body.rest.len() >= READ_LIMIT {
                let missing = length.map_or(0, |length| length.saturating_sub(body.kept.len() as u64));
                body.cut = body.cut.max(missing).max(body.rest.len() as u64 + 1);
                return Ok(body);
            }
        }
    }

    /// Reads the next bytes; zero at the end.
    pub(crate) fn read_some(&mut self, into: &mut [u8]) -> Result<usize, HookFailure> {
        loop {
            match self.body.read(into) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(failure_of(&self.url, &Error::from(error), self.deadline)),
                Ok(count) if count > 0 && self.deadline.has_passed() => return Err(self.deadline.failure()),
                Ok(count) => return Ok(count),
            }
        }
    }
}

pub(crate) fn parse_url(url: &str) -> Result<Uri, HookFailure> {
    let invalid = || HookFailure::Missing { detail: "its `url` is not an http or https address".to_owned() };
    parse_http_url(url).ok_or_else(invalid)
}

/// The failure without secrets in its text.
pub(crate) fn redact_failure(mut failure: HookFailure, secrets: &Secrets) -> HookFailure {
    if let HookFailure::Failed { detail }
    | HookFailure::Garbled { detail }
    | HookFailure::Missing { detail } = &mut failure
    {
        *detail = secrets.hide(detail);
    }
    failure
}

/// An unreachable server is `Failed` and not `Missing`: its address may be right, and it may be back at the next event.
fn failure_of(url: &Uri, error: &Error, deadline: Deadline) -> HookFailure {
    let place = redacted_url(url);
    let detail = match Failure::from(error) {
        Failure::TimedOut => return deadline.failure(),
        Failure::Closed => format!("`{place}` closed the connection before its answer was complete"),
        Failure::Other(why) => format!("`{place}` cannot be reached: {why}"),
    };
    HookFailure::Failed { detail }
}
