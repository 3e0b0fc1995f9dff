//! An MCP server with streamable HTTP: every message is a POST, and its response is JSON or a stream of events.

use std::ffi::OsString;
use std::time::{Duration, Instant};

use serde_json::Value;
use tenter_contract::{HookFailure, HookOutput, Transcript};
use tenter_net::http::Uri;
use tenter_net::{SseReader, redacted_url};

use super::call::McpResult;
use super::conversation::{self, Conversation, McpRequest, parse_message};
use crate::http::client::{Client, Deadline, Headers, HttpResponse, parse_url};
use crate::secrets::Secrets;

const SESSION: &str = "mcp-session-id";
const VERSION: &str = "mcp-protocol-version";
/// The time limit for ending a session, also after the hook's deadline.
const CLOSE_TIMEOUT: Duration = Duration::from_millis(200);
/// Bytes that are kept of a failure's body.
const FAILURE_HEAD: usize = 4 * 1024;
/// The most requests of a server during one request of the hook.
const MAX_SERVER_REQUESTS: usize = 64;

/// The address of the server, and the environment.
pub(super) struct Setting<'a> {
    pub(super) url: &'a str,
    pub(super) headers: &'a [(String, String)],
    pub(super) ours: &'a [(OsString, OsString)],
    pub(super) deadline: Deadline,
    pub(super) most: usize,
}

/// Initializes a session, sends the request and ends the session.
pub(super) fn ask(
    setting: &Setting<'_>,
    request: McpRequest,
    secrets: &mut Secrets,
    transcript: &mut Transcript,
) -> Result<McpResult, HookOutput> {
    let started = Instant::now();
    let mut session =
        Session::open(setting, secrets, &mut transcript.notices).map_err(HookOutput::Failure)?;
    transcript.command = Some(format!("POST {} ({})", redacted_url(&session.url), request.method));
    let mut conversation = Conversation::new(request);
    let result = session.converse(&mut conversation);
    transcript.stderr = String::from_utf8_lossy(&session.body).into_owned();
    session.close();
    transcript.took = started.elapsed();
    conversation.error_text().clone_into(&mut transcript.stdout);
    if conversation.error_text().is_empty() && result.is_err() {
        transcript.stdout.clone_from(&transcript.stderr);
    }
    result.map_err(HookOutput::Failure)?;
    let method = conversation.pending_method();
    let outcome =
        conversation.outcome().unwrap_or_else(|| Err(format!("the server did not answer `{method}`")));
    outcome.map_err(|detail| HookOutput::Failure(HookFailure::Failed { detail }))
}

/// The state of all messages of a session.
pub(super) struct Session {
    url: Uri,
    headers: Headers,
    client: Client,
    most: usize,
    /// Whether the server assigned a session id, which every message must contain.
    has_id: bool,
    body: Vec<u8>,
    server_requests: usize,
}

impl Session {
    pub(super) fn open(
        setting: &Setting<'_>,
        secrets: &mut Secrets,
        notices: &mut Vec<String>,
    ) -> Result<Self, HookFailure> {
        let url = parse_url(setting.url)?;
        let headers = Headers::new(setting.headers, secrets, setting.ours, notices)?
            .with("accept", "application/json, text/event-stream");
        let client = Client::new(&url, setting.ours, setting.deadline)?;
        Ok(Self {
            url,
            headers,
            client,
            has_id: false,
            most: setting.most,
            body: Vec::new(),
            server_requests: 0,
        })
    }

    /// Initializes the session and sends the request.
    pub(super) fn converse(&mut self, conversation: &mut Conversation) -> Result<(), HookFailure> {
        let later = self.post(&Conversation::initialize_message(), conversation)?;
        if let Some(version) = conversation.version() {
            self.headers = self.headers.clone().with(VERSION, version);
        }
        for message in later {
            self.post(&message, conversation)?;
        }
        Ok(())
    }

    pub(super) fn with_deadline(self, deadline: Deadline) -> Self {
        Self { client: self.client.with_deadline(deadline), server_requests: 0, ..self }
    }

    /// Sends a message and reads the response. Requests of the server are answered at once; messages after the
    /// initialization are returned, because only then the version is known.
    pub(super) fn post(
        &mut self,
        message: &Value,
        conversation: &mut Conversation,
    ) -> Result<Vec<Value>, HookFailure> {
        let is_initialize = message.get("method").and_then(Value::as_str) == Some("initialize");
        let mut answer = self.send(message)?;
        if is_initialize && let Some(name) = answer.header(SESSION) {
            self.headers = self.headers.clone().with(SESSION, name);
            self.has_id = true;
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
            return match parse_message(&body.kept) {
                Some(message) => self.handle(message, conversation, is_initialize),
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
        while !conversation.is_done() && later.is_empty() {
            let count = answer.read_some(&mut chunk)?;
            if count == 0 {
                break;
            }
            let mut events = Vec::new();
            let in_bounds = reader.read(&chunk[..count], &mut events);
            for data in events {
                // Data that is not a message is skipped, as with programs.
                if let Some(message) = parse_message(data.as_bytes()) {
                    later.extend(self.handle(message, conversation, is_initialize)?);
                }
            }
            in_bounds.map_err(|_| self.too_long())?;
        }
        Ok(later)
    }

    fn handle(
        &mut self,
        message: Value,
        conversation: &mut Conversation,
        is_initialize: bool,
    ) -> Result<Vec<Value>, HookFailure> {
        let mut later = Vec::new();
        for reply in conversation.receive(message) {
            if reply.get("method").is_some() && is_initialize {
                later.push(reply);
                continue;
            }
            self.server_requests += 1;
            if self.server_requests > MAX_SERVER_REQUESTS {
                let detail =
                    format!("the server sent more than {MAX_SERVER_REQUESTS} requests instead of an answer");
                return Err(HookFailure::Failed { detail });
            }
            self.send(&reply)?;
        }
        Ok(later)
    }

    fn send(&mut self, message: &Value) -> Result<HttpResponse, HookFailure> {
        let answer = self.client.post(&self.url, &self.headers, message.to_string().into_bytes())?;
        let place = redacted_url(&self.url);
        let detail = match answer.status_error() {
            Some(_) if answer.location().is_some() => {
                format!("`{place}` redirects, which is not followed for POST. Set `url` to the new address")
            }
            Some(detail) => detail,
            None => return answer.uncompressed(),
        };
        self.body = answer.read(FAILURE_HEAD).unwrap_or_default().kept;
        Err(HookFailure::Failed { detail })
    }

    fn too_long(&self) -> HookFailure {
        HookFailure::Failed { detail: conversation::too_long(self.most) }
    }

    /// Servers may refuse to end sessions, so the response does not matter.
    pub(super) fn close(self) {
        if self.has_id {
            let client = self.client.with_deadline(Deadline::after(CLOSE_TIMEOUT));
            let _ = client.delete(&self.url, &self.headers);
        }
    }
}
