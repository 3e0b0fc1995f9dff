//! One exchange with a web server: bounded in time and size, and careful about what it gives away.

use std::ffi::OsString;
use std::io::{self, ErrorKind, Read};
use std::time::{Duration, Instant};

use tenter_contract::HookFailure;
use ureq::http::header::{
    ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};
use ureq::http::uri::Authority;
use ureq::http::{Request, Response, Uri};
use ureq::{Agent, Body, BodyReader, Error};

use super::{proxy, roots};
use crate::secrets::Secrets;
use crate::supervise::{Head, READ_LIMIT};

/// Headers that say where a message ends or where it goes. Ours alone: a second one would be read as another
/// message by somebody on the way.
const OURS: [&str; 6] = ["connection", "content-length", "expect", "host", "te", "transfer-encoding"];

/// How long we wait.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// When all must be over: names looked up, connected, sent and heard.
    pub(crate) until: Instant,
    /// As the hook's file has it, for the message.
    pub(crate) timeout: Duration,
}

impl Patience {
    /// What is left. Never nothing at all, which would mean no limit.
    fn left(self) -> Duration {
        self.until.saturating_duration_since(Instant::now()).max(Duration::from_millis(1))
    }

    fn is_over(self) -> bool {
        self.until <= Instant::now()
    }

    fn failure(self) -> HookFailure {
        HookFailure::TimedOut { after: self.timeout }
    }
}

/// What is sent along with a request.
#[derive(Clone, Debug)]
pub(crate) struct Headers(HeaderMap);

impl Headers {
    /// The headers of a hook file, variables filled in.
    pub(crate) fn of(
        stated: &[(String, String)],
        secrets: &mut Secrets,
        ours: &[(OsString, OsString)],
        notices: &mut Vec<String>,
    ) -> Result<Self, HookFailure> {
        let mut headers = HeaderMap::new();
        let version = concat!("tenter/", env!("CARGO_PKG_VERSION"));
        headers.insert(USER_AGENT, HeaderValue::from_static(version));
        headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/plain;q=0.9, */*;q=0.5"));
        // What is packed cannot be bounded before it is unpacked.
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        for (name, value) in stated {
            if OURS.contains(&name.to_ascii_lowercase().as_str()) {
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

    /// With one more, in place of another of that name.
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        if let Ok(value) = HeaderValue::from_str(value) {
            self.0.insert(HeaderName::from_static(name), value);
        }
        self
    }
}

/// Who asks one server.
pub(crate) struct Client {
    agent: Agent,
    patience: Patience,
}

impl Client {
    /// For requests to that place. Redirects are not followed and statuses are no errors: both are judged here.
    pub(crate) fn to(
        url: &Uri,
        ours: &[(OsString, OsString)],
        patience: Patience,
    ) -> Result<Self, HookFailure> {
        let mut config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(proxy::to(url, ours)?);
        if url.scheme_str() == Some("https") {
            config = config.tls_config(roots::trusted(ours)?);
        }
        Ok(Self { agent: config.build().into(), patience })
    }

    /// Asks for a text.
    pub(crate) fn get(&self, url: &Uri, headers: &Headers) -> Result<Answer, HookFailure> {
        self.run(url, Request::get(url.clone()), headers, ())
    }

    /// Sends JSON.
    pub(crate) fn post(&self, url: &Uri, headers: &Headers, json: Vec<u8>) -> Result<Answer, HookFailure> {
        let request = Request::post(url.clone()).header(CONTENT_TYPE, "application/json");
        self.run(url, request, headers, json)
    }

    /// Says that something is no longer needed.
    pub(crate) fn delete(&self, url: &Uri, headers: &Headers) -> Result<Answer, HookFailure> {
        self.run(url, Request::delete(url.clone()), headers, ())
    }

    /// The same connections, another time.
    pub(crate) fn within(self, patience: Patience) -> Self {
        Self { patience, ..self }
    }

    fn run(
        &self,
        url: &Uri,
        mut request: ureq::http::request::Builder,
        headers: &Headers,
        body: impl ureq::AsSendBody,
    ) -> Result<Answer, HookFailure> {
        if self.patience.is_over() {
            return Err(self.patience.failure());
        }
        if let Some(sent) = request.headers_mut() {
            sent.extend(headers.0.clone());
        }
        let request = request.body(body).map_err(|_| no_address(url))?;
        let request =
            self.agent.configure_request(request).timeout_global(Some(self.patience.left())).build();
        let response = self.agent.run(request).map_err(|error| trouble(url, &error, self.patience))?;
        Ok(Answer::of(url, response, self.patience))
    }
}

/// What a server answered; its body is still to be read.
pub(crate) struct Answer {
    place: Uri,
    status: ureq::http::StatusCode,
    headers: HeaderMap,
    body: BodyReader<'static>,
    patience: Patience,
}

impl Answer {
    fn of(place: &Uri, response: Response<Body>, patience: Patience) -> Self {
        let (head, body) = response.into_parts();
        Self {
            place: place.clone(),
            status: head.status,
            headers: head.headers,
            body: body.into_reader(),
            patience,
        }
    }

    /// The status.
    #[cfg(feature = "otel")]
    pub(crate) fn status(&self) -> u16 {
        self.status.as_u16()
    }

    /// A header, if it is there and plain text.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Where it sends us, if it does.
    pub(crate) fn redirects_to(&self) -> Option<&str> {
        matches!(self.status.as_u16(), 301 | 302 | 303 | 307 | 308).then(|| self.header("location"))?
    }

    /// Why it is no answer, if its status says so.
    pub(crate) fn failure(&self, url: &Uri) -> Option<String> {
        (!self.status.is_success()).then(|| format!("`{}` answered {}", shown(url), self.status))
    }

    /// Refuses a body that is packed although nobody asked for that.
    pub(crate) fn unpacked(self) -> Result<Self, HookFailure> {
        match self.header("content-encoding") {
            None | Some("" | "identity") => Ok(self),
            Some(encoding) => {
                let detail = format!(
                    "it is packed (`Content-Encoding: {}`), which was not asked for",
                    encoding.escape_debug()
                );
                Err(HookFailure::Garbled { detail })
            }
        }
    }

    /// Reads the body. Of a long one `most` bytes are used; what follows is kept up to [`READ_LIMIT`], and what is beyond
    /// that is counted as far as the server says how much it is.
    pub(crate) fn read(mut self, most: usize) -> Result<Head, HookFailure> {
        let length = self.header("content-length").and_then(|length| length.parse::<u64>().ok());
        let mut body = Head::of_at_most(most);
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

    /// Reads what comes next; nothing at the end.
    pub(crate) fn read_some(&mut self, into: &mut [u8]) -> Result<usize, HookFailure> {
        loop {
            match self.body.read(into) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(trouble(&self.place, &Error::from(error), self.patience)),
                Ok(count) if count > 0 && self.patience.is_over() => return Err(self.patience.failure()),
                Ok(count) => return Ok(count),
            }
        }
    }
}

/// An address that can be asked.
pub(crate) fn parsed(url: &str) -> Result<Uri, HookFailure> {
    let unusable = || HookFailure::Missing { detail: "its `url` is no address".to_owned() };
    let uri: Uri = url.split('#').next().unwrap_or_default().parse().map_err(|_| unusable())?;
    let known = matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some();
    if known { Ok(uri) } else { Err(unusable()) }
}

/// An address for people: without what stands behind `?`, where keys are sometimes put.
pub(crate) fn shown(url: &Uri) -> String {
    let scheme = url.scheme_str().unwrap_or_default();
    let authority = url.authority().map(Authority::as_str).unwrap_or_default();
    let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
    let more = if url.query().is_some() { "?…" } else { "" };
    format!("{scheme}://{place}{}{more}", url.path())
}

/// The failure, without the secrets.
pub(crate) fn without(failure: HookFailure, secrets: &Secrets) -> HookFailure {
    match failure {
        HookFailure::Failed { detail } => HookFailure::Failed { detail: secrets.hide(&detail) },
        HookFailure::Garbled { detail } => HookFailure::Garbled { detail: secrets.hide(&detail) },
        HookFailure::Missing { detail } => HookFailure::Missing { detail: secrets.hide(&detail) },
        other => other,
    }
}

fn no_address(url: &Uri) -> HookFailure {
    HookFailure::Missing { detail: format!("`{}` cannot be asked", shown(url)) }
}

/// Why there was no answer. A server that cannot be reached is an error and not missing: its address is right as
/// far as anybody knows, and it may be back at the next event.
fn trouble(url: &Uri, error: &Error, patience: Patience) -> HookFailure {
    let place = shown(url);
    let detail = match error {
        Error::Timeout(_) => return patience.failure(),
        Error::Io(error) if error.kind() == ErrorKind::TimedOut => return patience.failure(),
        Error::Io(error) => match certificate_of(error) {
            Some(why) => why_not_trusted(&place, why),
            None if error.kind() == ErrorKind::UnexpectedEof => {
                format!("`{place}` closed the connection before its answer was complete")
            }
            None => format!("`{place}` cannot be reached: {error}"),
        },
        Error::Rustls(why) => why_not_trusted(&place, why),
        Error::HostNotFound => format!("`{place}` cannot be reached: its name is not known"),
        Error::ConnectProxyFailed(_) => format!("the proxy does not let us through to `{place}`"),
        Error::Protocol(why) => format!("what `{place}` answers is not HTTP: {why}"),
        other => format!("`{place}` cannot be asked: {other}"),
    };
    HookFailure::Failed { detail }
}

fn certificate_of(error: &io::Error) -> Option<&rustls::Error> {
    let inner = error.get_ref()?;
    inner.downcast_ref().or_else(|| inner.source()?.downcast_ref())
}

fn why_not_trusted(place: &str, why: &rustls::Error) -> String {
    match why {
        rustls::Error::InvalidCertificate(_) => format!(
            "the certificate of `{place}` is not accepted ({why}); \
             if it is from an authority of your own, name its file in SSL_CERT_FILE"
        ),
        _ => format!("no secure connection to `{place}`: {why}"),
    }
}
