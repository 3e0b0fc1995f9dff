//! One call of a web server, from request to report.

use std::ffi::OsString;
use std::time::Instant;

use tenter_contract::{
    Event, Handler, HookFailure, HookOutput, HookReport, HookSpec, Http, Method, NoValue, Transcript,
};
use tenter_net::http::Uri;
use tenter_net::redacted_url;
use tenter_protocol::v1::event::EventV1;

use super::client::{Client, Deadline, Headers, HttpResponse, parse_url, redact_failure};
use super::redirect::follow_redirect;
use crate::command::{interpret, per_path, text};
use crate::secrets::Secrets;
use crate::supervise::Head;
use crate::{deadline_of, missing};

const MOST_REDIRECTS: usize = 5;
/// Bytes that are kept of the body of a failure.
const FAILURE_HEAD: usize = 64 * 1024;

/// Asks a server once, or once per path if its URL names `{tool.path}`. All exchanges share the hook's timeout.
pub(super) fn run(hook: &HookSpec, event: &Event, ours: &[(OsString, OsString)]) -> HookReport {
    let Handler::Http(http) = &hook.handler else {
        return HookReport::new(missing(format!("`{}` is not an `http` hook", hook.handler.kind())));
    };
    let deadline = Deadline { until: deadline_of(hook), timeout: hook.timeout };
    let mut secrets = Secrets::default();
    let mut notices = Vec::new();
    let headers = match Headers::new(&http.headers, &mut secrets, ours, &mut notices) {
        Ok(headers) => headers,
        Err(failure) => return HookReport::new(HookOutput::Failure(failure)),
    };
    let body = match http.method {
        Method::Get => None,
        Method::Post => Some(EventV1::stdin(event)),
    };
    let call = HttpCall { hook, http, event, ours, body, headers, secrets, deadline, notices };
    per_path::run_each(hook, event, |path| call.once(path))
}

/// The values that all exchanges of one call share.
struct HttpCall<'a> {
    hook: &'a HookSpec,
    http: &'a Http,
    event: &'a Event,
    ours: &'a [(OsString, OsString)],
    body: Option<Vec<u8>>,
    headers: Headers,
    secrets: Secrets,
    deadline: Deadline,
    notices: Vec<String>,
}

enum Outcome {
    Body(Head),
    /// The failure, and the beginning of its body.
    Failure(HookFailure, Vec<u8>),
}

impl HttpCall<'_> {
    fn once(&self, path: Option<&str>) -> HookReport {
        let started = Instant::now();
        let url = match self.url(path) {
            Ok(url) => url,
            Err(output) => return HookReport::new(output),
        };
        let method = match self.http.method {
            Method::Get => "GET",
            Method::Post => "POST",
        };
        let shown = self.secrets.hide(&redacted_url(&url));
        let mut transcript = Transcript {
            command: Some(format!("{method} {shown}")),
            sent: self.body.clone().unwrap_or_default(),
            notices: self.notices.clone(),
            ..Transcript::default()
        };
        let output = match self.fetch(url) {
            Outcome::Body(mut body) => {
                body.kept = self.secrets.hide_bytes(body.kept);
                body.rest = self.secrets.hide_bytes(body.rest);
                transcript.stdout = text::lossy(&body.kept);
                transcript.cut = body.cut;
                if body.cut > 0 {
                    let most = self.hook.max_output;
                    transcript
                        .notices
                        .push(format!("the response is longer than {most} bytes (`max_output`)"));
                }
                let interpreted = interpret::interpret_text(body, self.hook, &self.event.kind);
                transcript.notices.extend(interpreted.notices);
                interpreted.output
            }
            Outcome::Failure(failure, body) => {
                let body = self.secrets.hide_bytes(body);
                transcript.stderr = text::lossy(&body);
                match interpret::find_stop_in_text(&body, &self.event.kind) {
                    Some(stop) => {
                        transcript.notices.extend(stop.notices);
                        stop.output
                    }
                    None => HookOutput::Failure(redact_failure(failure, &self.secrets)),
                }
            }
        };
        transcript.took = started.elapsed();
        HookReport { output, transcript }
    }

    /// The address for one path of the event. An event without a value that the address names is skipped.
    fn url(&self, path: Option<&str>) -> Result<Uri, HookOutput> {
        let event = per_path::event_with_path(self.event, path);
        let url =
            self.http.url.url(&event).map_err(|NoValue(value)| crate::without_value(self.hook, value))?;
        parse_url(&url).map_err(HookOutput::Failure)
    }

    fn fetch(&self, mut url: Uri) -> Outcome {
        for _ in 0..=MOST_REDIRECTS {
            let response = match self.exchange(&url) {
                Ok(response) => response,
                Err(failure) => return Outcome::Failure(failure, Vec::new()),
            };
            let Some(location) = response.location() else { return self.outcome(response) };
            match follow_redirect(self.http.method, &url, location) {
                Ok(next) => url = next,
                Err(detail) => {
                    let detail = format!("`{}` {detail}", redacted_url(&url));
                    return Outcome::Failure(HookFailure::Failed { detail }, Vec::new());
                }
            }
        }
        let detail = format!("`{}` redirected more than {MOST_REDIRECTS} times", redacted_url(&url));
        Outcome::Failure(HookFailure::Failed { detail }, Vec::new())
    }

    fn exchange(&self, url: &Uri) -> Result<HttpResponse, HookFailure> {
        let client = Client::new(url, self.ours, self.deadline)?;
        match &self.body {
            None => client.get(url, &self.headers),
            Some(body) => client.post(url, &self.headers, body.clone()),
        }
    }

    fn outcome(&self, response: HttpResponse) -> Outcome {
        if let Some(detail) = response.status_error() {
            // The body explains the status; an error while reading it is not reported as well.
            let head = response.read(FAILURE_HEAD).unwrap_or_default();
            return Outcome::Failure(HookFailure::Failed { detail }, head.kept);
        }
        let most = self.hook.max_output;
        match response.uncompressed().and_then(|response| response.read(most)) {
            Ok(body) => Outcome::Body(body),
            Err(failure) => Outcome::Failure(failure, Vec::new()),
        }
    }
}
