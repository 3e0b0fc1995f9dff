//! One call of a web server, from start to report.

use std::ffi::OsString;
use std::time::Instant;

use tenter_contract::{
    Event, Handler, HookFailure, HookReport, HookSpec, Http, Method, NoValue, Said, Transcript,
};
use tenter_protocol::v1::event::EventV1;
use ureq::http::Uri;

use super::client::{self, Answer, Client, Headers, Patience};
use super::redirect;
use crate::command::{fold, interpret, text};
use crate::deadline_of;
use crate::secrets::Secrets;
use crate::supervise::Head;

/// How often a server may send us on.
const MOST_REDIRECTS: usize = 5;
/// How much of the body of a failure is kept.
const FAILURE_HEAD: usize = 64 * 1024;

/// Asks a server once, or once per path if its URL names one and the event has several. All exchanges share the
/// hook's time.
pub(super) fn run(hook: &HookSpec, event: &Event, ours: &[(OsString, OsString)]) -> HookReport {
    let Handler::Http(http) = &hook.handler else {
        let detail = format!("`{}` is no web server", hook.handler.kind());
        return HookReport::of(Said::Failure(HookFailure::Missing { detail }));
    };
    let patience = Patience { until: deadline_of(hook), timeout: hook.timeout };
    let mut secrets = Secrets::default();
    let mut notices = Vec::new();
    let headers = match Headers::of(&http.headers, &mut secrets, ours, &mut notices) {
        Ok(headers) => headers,
        Err(failure) => return HookReport::of(Said::Failure(failure)),
    };
    let body = match http.method {
        Method::Get => None,
        Method::Post => Some(EventV1::stdin(event)),
    };
    let call = Call { hook, http, event, ours, body, headers, secrets, patience, notices };
    let paths = fold::paths(event, hook.handler.takes_one_path());
    fold::over(paths, hook.on_failure, |path| call.once(path))
}

/// What all exchanges of one call have in common.
struct Call<'a> {
    hook: &'a HookSpec,
    http: &'a Http,
    event: &'a Event,
    ours: &'a [(OsString, OsString)],
    /// What is posted, if anything is.
    body: Option<Vec<u8>>,
    headers: Headers,
    secrets: Secrets,
    patience: Patience,
    notices: Vec<String>,
}

/// The body of an answer, or the words of a failure.
enum Heard {
    /// A body.
    Body(Head),
    /// What went wrong, and the head of the body if there was one.
    Failure(HookFailure, Vec<u8>),
}

impl Call<'_> {
    fn once(&self, path: Option<&str>) -> HookReport {
        let started = Instant::now();
        let url = match self.url(path) {
            Ok(url) => url,
            Err(said) => return HookReport::of(said),
        };
        let method = match self.http.method {
            Method::Get => "GET",
            Method::Post => "POST",
        };
        let shown = self.secrets.hide(&client::shown(&url));
        let mut transcript = Transcript {
            command: Some(format!("{method} {shown}")),
            sent: self.body.clone().unwrap_or_default(),
            notices: self.notices.clone(),
            ..Transcript::default()
        };
        let said = match self.asked(url) {
            Heard::Body(mut body) => {
                body.kept = self.secrets.hide_bytes(body.kept);
                body.rest = self.secrets.hide_bytes(body.rest);
                transcript.stdout = text::lossy(&body.kept);
                transcript.cut = body.cut;
                if body.cut > 0 {
                    let most = self.hook.max_output;
                    transcript.notices.push(format!("the answer is longer than {most} bytes (`max_output`)"));
                }
                let interpreted = interpret::answer(body, self.hook, &self.event.kind);
                transcript.notices.extend(interpreted.notices);
                interpreted.said
            }
            Heard::Failure(failure, body) => {
                let body = self.secrets.hide_bytes(body);
                transcript.stderr = text::lossy(&body);
                match interpret::stop_in_error(&body, &self.event.kind) {
                    Some(stop) => {
                        transcript.notices.extend(stop.notices);
                        stop.said
                    }
                    None => Said::Failure(client::without(failure, &self.secrets)),
                }
            }
        };
        transcript.took = started.elapsed();
        HookReport { said, transcript }
    }

    /// The address, for one path of the event. An event without a value that it names does not concern the hook.
    fn url(&self, path: Option<&str>) -> Result<Uri, Said> {
        let about;
        let event = match (path, &self.event.tool) {
            (Some(path), Some(tool)) => {
                let mut tool = tool.clone();
                tool.paths = vec![path.to_owned()];
                about = Event { tool: Some(tool), ..self.event.clone() };
                &about
            }
            _ => self.event,
        };
        let url =
            self.http.url.url(event).map_err(|NoValue(value)| crate::without_value(self.hook, value))?;
        client::parsed(&url).map_err(Said::Failure)
    }

    fn asked(&self, mut url: Uri) -> Heard {
        for _ in 0..=MOST_REDIRECTS {
            let answer = match self.exchange(&url) {
                Ok(answer) => answer,
                Err(failure) => return Heard::Failure(failure, Vec::new()),
            };
            let Some(location) = answer.redirects_to() else { return self.heard(&url, answer) };
            match redirect::followed(self.http.method, &url, location) {
                Ok(next) => url = next,
                Err(detail) => {
                    let detail = format!("`{}` {detail}", client::shown(&url));
                    return Heard::Failure(HookFailure::Failed { detail }, Vec::new());
                }
            }
        }
        let detail = format!("`{}` sent us on more than {MOST_REDIRECTS} times", client::shown(&url));
        Heard::Failure(HookFailure::Failed { detail }, Vec::new())
    }

    fn exchange(&self, url: &Uri) -> Result<Answer, HookFailure> {
        let client = Client::to(url, self.ours, self.patience)?;
        match &self.body {
            None => client.get(url, &self.headers),
            Some(body) => client.post(url, &self.headers, body.clone()),
        }
    }

    fn heard(&self, url: &Uri, answer: Answer) -> Heard {
        if let Some(detail) = answer.failure(url) {
            // What it says about it is worth having, and not worth a second failure.
            let head = answer.read(FAILURE_HEAD).unwrap_or_default();
            return Heard::Failure(HookFailure::Failed { detail }, head.kept);
        }
        let most = self.hook.max_output;
        match answer.unpacked().and_then(|answer| answer.read(most)) {
            Ok(body) => Heard::Body(body),
            Err(failure) => Heard::Failure(failure, Vec::new()),
        }
    }
}
