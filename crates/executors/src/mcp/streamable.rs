//! An MCP server with streamable HTTP: every message is a POST, and its response is JSON or a stream of events.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use serde_json::Value;
use tenter_contract::{HookFailure, HookOutput, Transcript};
use tenter_net::http::Uri;
use tenter_net::{SseReader, redacted_url};

use super::call::Answered;
use super::talk::{self, Question, Talk, message_of};
use crate::http::client::{Client, Deadline, Headers, HttpResponse, parse_url};
use crate::secrets::Secrets;

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";
/// How long the goodbye may take, also when the hook's time is up.
const FAREWELL: Duration = Duration::from_millis(200);
/// Bytes that are kept of a failure's body.
const FAILURE_HEAD: usize = 4 * 1024;
/// So often it may ask us something while we wait.
const MOST_QUESTIONS: usize = 64;

/// The address of the server, and the environment.
pub(super) struct Setting<'a> {
    pub(super) url: &'a str,
    pub(super) headers: &'a [(String, String)],
    pub(super) ours: &'a [(OsString, OsString)],
    pub(super) deadline: Deadline,
    pub(super) most: usize,
}

/// Greets the server, asks it and takes leave.
pub(super) fn ask(
    setting: &Setting<'_>,
    question: Question,
    secrets: &mut Secrets,
    transcript: &mut Transcript,
) -> Result<Answered, HookOutput> {
    let started = Instant::now();
    let mut session = Session::of(setting, secrets, &mut transcript.notices).map_err(HookOutput::Failure)?;
    transcript.command = Some(format!("POST {} ({})", redacted_url(&session.url), question.method));
    let mut talk = Talk::about(question);
    let result = session.converse(&mut talk);
    transcript.stderr = String::from_utf8_lossy(&session.body).into_owned();
    session.leave();
    transcript.took = started.elapsed();
    talk.error_text().clone_into(&mut transcript.stdout);
    if talk.error_text().is_empty() && result.is_err() {
        transcript.stdout.clone_from(&transcript.stderr);
    }
    result.map_err(HookOutput::Failure)?;
    let waited_for = talk.waits_for();
    let outcome = talk.outcome().unwrap_or_else(|| Err(format!("the server did not answer `{waited_for}`")));
    outcome.map_err(|detail| HookOutput::Failure(HookFailure::Failed { detail }))
}

/// The state of all messages of a session.
pub(super) struct Session {
    url: Uri,
    headers: Headers,
    client: Client,
    most: usize,
    /// Whether the server assigned a session id, which every message must contain.
    named: bool,
    body: Vec<u8>,
    asked_back: usize,
}

impl Session {
    pub(super) fn of(
        setting: &Setting<'_>,
        secrets: &mut Secrets,
        notices: &mut Vec<String>,
    ) -> Result<Self, HookFailure> {
        let url = parse_url(setting.url)?;
        let headers = Headers::new(setting.headers, secrets, setting.ours, notices)?
            .with("accept", "application/json, text/event-stream");
        let client = Client::new(&url, setting.ours, setting.deadline)?;
        Ok(Self { url, headers, client, named: false, most: setting.most, body: Vec::new(), asked_back: 0 })
    }

    /// Initializes the session and sends the request.
    pub(super) fn converse(&mut self, talk: &mut Talk) -> Result<(), HookFailure> {
        let greeted = self.post(&Talk::opening(), talk)?;
        if let Some(version) = talk.version() {
            self.headers = self.headers.clone().with(VERSION, version);
        }
        for message in greeted {
            self.post(&message, talk)?;
        }
        Ok(())
    }

    pub(super) fn with_deadline(self, deadline: Deadline) -> Self {
        Self { client: self.client.with_deadline(deadline), asked_back: 0, ..self }
    }

    /// Sends a message and reads the response. Requests of the server are answered at once; messages after the
    /// initialization are returned, because only then the version is known.
    pub(super) fn post(&mut self, message: &Value, talk: &mut Talk) -> Result<Vec<Value>, HookFailure> {
        let greets = message.get("method").and_then(Value::as_str) == Some("initialize");
        let mut answer = self.sent(message)?;
        if greets && let Some(name) = answer.header(SESSION) {
            self.headers = self.headers.clone().with(SESSION, name);
            self.named = true;
        }
        let is_stream = answer
            .header("content-type")
            .is_some_and(|kind| kind.trim_start().starts_with("text/event-stream"));
        let waits = message.get("id").is_some() && message.get("method").is_some();
        if !waits {
            return Ok(Vec::new());
        }
        if !is_stream {
            let body = answer.read(self.most)?;
            if body.cut > 0 {
                return Err(self.too_long());
            }
            return match message_of(&body.kept) {
                Some(heard) => self.heard(heard, talk, greets),
                None => Err(HookFailure::Garbled {
                    detail: format!(
                        "`{}` answered something that is no message of MCP",
                        redacted_url(&self.url)
                    ),
                }),
            };
        }
        let mut reader = SseReader::new(self.most);
        let mut later = Vec::new();
        let mut chunk = vec![0; 16 * 1024];
        while !talk.is_over() && later.is_empty() {
            let count = answer.read_some(&mut chunk)?;
            if count == 0 {
                break;
            }
            let mut events = Vec::new();
            let in_bounds = reader.read(&chunk[..count], &mut events);
            for data in events {
                // Data that is not a message is skipped, as with programs.
                if let Some(heard) = message_of(data.as_bytes()) {
                    later.extend(self.heard(heard, talk, greets)?);
                }
            }
            in_bounds.map_err(|_| self.too_long())?;
        }
        Ok(later)
    }

    fn heard(&mut self, heard: Value, talk: &mut Talk, greets: bool) -> Result<Vec<Value>, HookFailure> {
        let mut later = Vec::new();
        for said in talk.hear(heard) {
            if said.get("method").is_some() && greets {
                later.push(said);
                continue;
            }
            self.asked_back += 1;
            if self.asked_back > MOST_QUESTIONS {
                let detail =
                    format!("the server asked more than {MOST_QUESTIONS} things instead of answering");
                return Err(HookFailure::Failed { detail });
            }
            self.sent(&said)?;
        }
        Ok(later)
    }

    fn sent(&mut self, message: &Value) -> Result<HttpResponse, HookFailure> {
        let answer = self.client.post(&self.url, &self.headers, message.to_string().into_bytes())?;
        let place = redacted_url(&self.url);
        let detail = match answer.status_error() {
            Some(_) if answer.location().is_some() => {
                format!("`{place}` sent us on, which is not done with POST; put the new address into `url`")
            }
            Some(detail) => detail,
            None => return answer.uncompressed(),
        };
        self.body = answer.read(FAILURE_HEAD).unwrap_or_default().kept;
        Err(HookFailure::Failed { detail })
    }

    fn too_long(&self) -> HookFailure {
        HookFailure::Failed { detail: talk::too_long(self.most) }
    }

    /// Servers may refuse to end sessions, so the response does not matter.
    pub(super) fn leave(self) {
        if self.named {
            let client = self.client.with_deadline(Deadline::after(FAREWELL));
            let _ = client.delete(&self.url, &self.headers);
        }
    }
}
