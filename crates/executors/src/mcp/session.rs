//! A session with several requests, for programs that use the tools of a server. Hooks do not use it.
//!
//! ```text
//!            ┌─ program ── SupervisedChild (a process that stays)
//! session ───┤                                                ── conversation, content: as for hooks
//!            └─ web ────── streamable (on a thread, so that the caller can stop waiting)
//! ```

mod program;
mod web;

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use tenter_contract::{McpServer, McpTransport};

use super::content;
use super::conversation::McpRequest;
use crate::secrets::Secrets;
use program::Program;
use web::Web;

const LONGEST_MESSAGE: usize = 16 * 1024 * 1024;
/// Most pages, or tools, of a list.
const MOST_PAGES: usize = 50;
const MOST_TOOLS: usize = 1_000;

/// The time limit of a request, and its stop flag.
#[derive(Clone, Copy)]
pub struct Waiting<'a> {
    /// The longest wait.
    pub time: Duration,
    /// Whether to stop; polled.
    pub stop: &'a dyn Fn() -> bool,
}

/// The result of a server's tool.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// Its text; other content is named in it.
    pub text: String,
    /// Whether the server marks it as an error.
    pub failed: bool,
}

/// A session with a server. Dropping it ends a server that is a program, with everything it started. An error is a
/// sentence about the server, and further requests are possible after it unless [`McpSession::is_over`] is true.
pub struct McpSession {
    connection: Connection,
    secrets: Secrets,
}

enum Connection {
    Program(Box<Program>),
    Web(Box<Web>),
}

impl McpSession {
    /// Starts or reaches the server and requests its tools. `${NAME}` in variables and headers comes from the
    /// environment, which a program receives as a whole.
    pub fn open(
        server: &McpServer,
        environment: &[(OsString, OsString)],
        folder: &Path,
        waiting: Waiting<'_>,
    ) -> Result<(Self, Vec<Value>), String> {
        let mut secrets = Secrets::default();
        let connection = match &server.transport {
            McpTransport::Stdio { command, env } => {
                let variables = env
                    .iter()
                    .map(|(name, value)| Ok((name.clone(), secrets.filled(name, value, environment)?)))
                    .collect::<Result<Vec<_>, _>>()
                    .map_err(|failure: tenter_contract::HookFailure| failure.to_string())?;
                Connection::Program(Box::new(Program::start(command, environment, variables, folder)?))
            }
            McpTransport::Http { url, headers } => {
                Connection::Web(Box::new(Web::new(url, headers, environment, &mut secrets)?))
            }
        };
        let mut session = Self { connection, secrets };
        // The time is for all of it, however many pages there are.
        let until = Instant::now() + waiting.time;
        let mut tools = Vec::new();
        let mut params = Map::new();
        for page in 0..MOST_PAGES {
            let time = if page == 0 { waiting.time } else { until.saturating_duration_since(Instant::now()) };
            let request = McpRequest { method: "tools/list", params };
            let mut page = session.ask(request, Waiting { time, ..waiting })?;
            if let Some(Value::Array(more)) = page.remove("tools") {
                tools.extend(more);
            }
            if tools.len() > MOST_TOOLS {
                return Err(format!("it has more than {MOST_TOOLS} tools"));
            }
            match page.remove("nextCursor") {
                Some(cursor @ Value::String(_)) => params = Map::from_iter([("cursor".to_owned(), cursor)]),
                _ => return Ok((session, tools)),
            }
        }
        Err(format!("its list of tools has more than {MOST_PAGES} pages"))
    }

    /// Whether the server was a program and has ended.
    pub fn is_over(&self) -> bool {
        match &self.connection {
            Connection::Program(program) => program.is_over(),
            // A new session starts with the next request.
            Connection::Web(_) => false,
        }
    }

    /// Calls a tool.
    pub fn call(
        &mut self,
        tool: &str,
        arguments: &Map<String, Value>,
        waiting: Waiting<'_>,
    ) -> Result<Called, String> {
        let params = Map::from_iter([
            ("name".to_owned(), Value::from(tool)),
            ("arguments".to_owned(), Value::from(arguments.clone())),
        ]);
        let result = self.ask(McpRequest { method: "tools/call", params }, waiting)?;
        let (text, failed) = match content::parse_tool_result(&result) {
            Ok(content) => {
                (std::iter::once(content.text).chain(content.notices).collect::<Vec<_>>().join("\n"), false)
            }
            Err(text) => (text, true),
        };
        Ok(Called { text: self.secrets.hide(&text), failed })
    }

    fn ask(&mut self, request: McpRequest, waiting: Waiting<'_>) -> Result<Map<String, Value>, String> {
        let answered = match &mut self.connection {
            Connection::Program(program) => program.ask(request, waiting),
            Connection::Web(web) => web.ask(request, waiting),
        };
        // `max_output` is a setting of hooks and does not exist here.
        answered.map_err(|why| self.secrets.hide(&why.replace(" (`max_output`)", "")))
    }
}

fn too_slow(method: &str, time: Duration) -> String {
    format!("the server did not answer `{method}` within {} s", time.as_secs_f64())
}

fn stopped(method: &str) -> String {
    format!("`{method}` was stopped by the user")
}
