//! One tool of a server.

use std::sync::{Arc, Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tenter_contract::{McpServer, ToolKind};
use tenter_executors::McpSession;
use tenter_executors::mcp::Waiting;

use crate::tools::bounded_text::BoundedText;
use crate::tools::{Tool, ToolDisplay, ToolOutput, Workspace};

const LONGEST_NAME: usize = 64;
/// The model reads it with every request.
const LONGEST_DESCRIPTION: usize = 4_000;
const LARGEST_SCHEMA: usize = 64 * 1024;
/// How often a busy server and the stop flag are polled.
const POLL: Duration = Duration::from_millis(20);

pub(super) struct Server {
    pub(super) spec: McpServer,
    pub(super) session: Mutex<McpSession>,
    pub(super) timeout: Duration,
}

pub(super) struct ServerTool {
    server: Arc<Server>,
    remote_name: String,
    name: String,
    description: String,
    schema: Value,
    reads_only: bool,
}

impl ServerTool {
    /// A tool as the server describes it. The error is the end of a sentence about the server.
    pub(super) fn new(server: &Arc<Server>, mut config: Value) -> Result<Self, String> {
        let Some(remote_name) = config["name"].as_str().filter(|name| !name.is_empty()).map(str::to_owned)
        else {
            return Err("one of its tools has no name".to_owned());
        };
        let name = format!("mcp__{}__{}", allowed_name(&server.spec.name), allowed_name(&remote_name));
        if name.len() > LONGEST_NAME {
            return Err(format!(
                "the name `{name}` is longer than {LONGEST_NAME} characters, the limit of models"
            ));
        }
        let description = match config["description"].as_str().map(str::trim) {
            None | Some("") => format!("A tool of the MCP server `{}`.", server.spec.name),
            Some(text) => match text.char_indices().nth(LONGEST_DESCRIPTION) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text.to_owned(),
            },
        };
        let reads_only = config["annotations"]["readOnlyHint"] == true;
        let schema = match config.get_mut("inputSchema").map(Value::take) {
            Some(Value::Object(mut schema)) => {
                schema.insert("type".to_owned(), "object".into());
                Value::Object(schema)
            }
            _ => json!({ "type": "object" }),
        };
        if schema.to_string().len() > LARGEST_SCHEMA {
            return Err(format!("the schema of `{name}` is larger than {} KiB", LARGEST_SCHEMA / 1024));
        }
        Ok(Self { server: Arc::clone(server), remote_name, name, description, schema, reads_only })
    }

    /// The session, as soon as it is free. A server that has ended is started again once; no call was running, so nothing
    /// is done twice.
    fn session(&self, at: &Workspace, stop: &dyn Fn() -> bool) -> Result<MutexGuard<'_, McpSession>, String> {
        let mut session = self.free_session(stop)?;
        if session.is_over() {
            let failed = |why| format!("it had ended, and could not be started again: {why}");
            (*session, _) = super::open_session(&self.server.spec, at, stop).map_err(failed)?;
        }
        Ok(session)
    }

    fn free_session(&self, stop: &dyn Fn() -> bool) -> Result<MutexGuard<'_, McpSession>, String> {
        loop {
            match self.server.session.try_lock() {
                Ok(session) => return Ok(session),
                Err(TryLockError::Poisoned(session)) => return Ok(session.into_inner()),
                Err(TryLockError::WouldBlock) if stop() => {
                    return Err("the user stopped it while another call was running".to_owned());
                }
                Err(TryLockError::WouldBlock) => thread::sleep(POLL),
            }
        }
    }
}

impl Tool for ServerTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn kind(&self) -> ToolKind {
        ToolKind::Mcp
    }

    fn description(&self) -> &str {
        &self.description
    }

    fn schema(&self) -> Value {
        self.schema.clone()
    }

    /// The hint of a server decides only about parallel runs.
    fn alone(&self) -> bool {
        !self.reads_only
    }

    fn run(&self, input: &Map<String, Value>, at: &Workspace, stop: &dyn Fn() -> bool) -> ToolOutput {
        let waiting = Waiting { time: self.server.timeout, stop };
        let result = self.session(at, stop).and_then(|mut session| {
            let result = session.call(&self.remote_name, input, waiting);
            let has_ended = result.is_err() && session.is_over();
            let restarts = |why| format!("{why}; it is started again with the next call");
            result.map_err(|why| if has_ended { restarts(why) } else { why })
        });
        match result {
            Ok(called) => {
                let text = if called.text.trim().is_empty() { "(no output)" } else { &called.text };
                let output = BoundedText::shorten("mcp", &at.spills, text);
                let display = ToolDisplay::Text(output.clone());
                ToolOutput { failed: called.failed, ..ToolOutput::done(output, display) }
            }
            Err(why) => ToolOutput::failed(format!("MCP server `{}`: {why}.", self.server.spec.name)),
        }
    }
}

/// Replaces the characters that models refuse in a name.
fn allowed_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' || c == '_' { c } else { '_' }).collect()
}
