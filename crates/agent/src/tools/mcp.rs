//! Tools of MCP servers: `mcp__server__tool`.
//!
//! ```text
//! .mcp.json ── configured ── connect ── one server_tool per tool of each server ── McpSession (executors)
//! ```

mod configured;
mod server_tool;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value};
use tenter_contract::McpServer;
use tenter_executors::McpSession;
use tenter_executors::mcp::Waiting;

use super::{Tool, Workplace};
use server_tool::{Server, ServerTool};

/// How long a server may take until it has told its tools; `MCP_TIMEOUT` in milliseconds says otherwise.
const START: Duration = Duration::from_secs(30);
/// How long a call may take; `MCP_TOOL_TIMEOUT` in milliseconds says otherwise.
const CALL: Duration = Duration::from_mins(5);

/// A model reads all descriptions and schemas with every request: so many tools, and bytes, of one server at most.
const MOST_TOOLS: usize = 128;
const LARGEST_LIST: usize = 256 * 1024;

/// The tools of all servers that could be reached, and what is to be said about the others.
///
/// A server lives as long as one of its tools does, and ends with everything it has started. One that ends before is
/// started again when it is called.
#[derive(Default)]
pub struct Connected {
    /// The tools, in the order of the servers.
    pub tools: Vec<Box<dyn Tool>>,
    /// One sentence about each server or tool that is not there.
    pub problems: Vec<String>,
}

/// Starts or reaches all servers, at the same time. `servers` is what stands under `mcpServers` in an `.mcp.json`.
pub fn connect(servers: &Map<String, Value>, at: &Workplace, stop: &(dyn Fn() -> bool + Sync)) -> Connected {
    let opened: Vec<_> = thread::scope(|scope| {
        let begun: Vec<_> = servers
            .iter()
            .map(|(name, stated)| (name, scope.spawn(move || opened(name, stated, at, stop))))
            .collect();
        begun
            .into_iter()
            .map(|(name, thread)| {
                (name, thread.join().unwrap_or_else(|_| Err("it could not be started".to_owned())))
            })
            .collect()
    });
    let mut connected = Connected::default();
    let mut taken = HashSet::new();
    for (name, opened) in opened {
        match opened {
            Ok((server, tools)) => connected.take(server, &tools, &mut taken),
            Err(why) => connected.problems.push(format!("MCP server `{name}`: {why}.")),
        }
    }
    connected
}

impl Connected {
    fn take(&mut self, server: Server, tools: &[Value], taken: &mut HashSet<String>) {
        let server = Arc::new(server);
        let name = &server.reached.name;
        let mut bytes = 0;
        for (number, stated) in tools.iter().enumerate() {
            bytes += stated.to_string().len();
            if number >= MOST_TOOLS || bytes > LARGEST_LIST {
                let more = tools.len() - number;
                let why =
                    format!("it has too many tools for a model, so {more} of {} are left out", tools.len());
                self.problems.push(format!("MCP server `{name}`: {why}."));
                break;
            }
            let stated = stated.clone();
            let tool = ServerTool::of(&server, stated).and_then(|tool| {
                let new = taken.insert(tool.name().to_owned());
                if new { Ok(tool) } else { Err(format!("there is another tool called `{}`", tool.name())) }
            });
            match tool {
                Ok(tool) => self.tools.push(Box::new(tool)),
                Err(why) => self.problems.push(format!("MCP server `{name}`: {why}.")),
            }
        }
    }
}

fn opened(
    name: &str,
    stated: &Value,
    at: &Workplace,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(Server, Vec<Value>), String> {
    let transport = configured::transport(stated, at)?;
    let reached = McpServer { name: name.to_owned(), transport };
    let (session, tools) = begun(&reached, at, &|| stop())?;
    let patience = patience(at, "MCP_TOOL_TIMEOUT", CALL);
    Ok((Server { reached, session: Mutex::new(session), patience }, tools))
}

/// A session that begins, and the server's tools.
fn begun(
    server: &McpServer,
    at: &Workplace,
    stop: &dyn Fn() -> bool,
) -> Result<(McpSession, Vec<Value>), String> {
    let waiting = Waiting { time: patience(at, "MCP_TIMEOUT", START), stop };
    McpSession::open(server, &at.environment, &at.root, waiting)
}

/// The variables are those that Claude Code knows.
fn patience(at: &Workplace, variable: &str, otherwise: Duration) -> Duration {
    let stated = at.variable(variable).and_then(|value| value.to_str()?.parse().ok());
    stated.filter(|time| *time > 0).map_or(otherwise, Duration::from_millis)
}
