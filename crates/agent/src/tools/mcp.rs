//! Tools of MCP servers: `mcp__server__tool`.
//!
//! ```text
//! .mcp.json ── server_config ── connect ── one server_tool per tool of each server ── McpSession (executors)
//! ```

mod server_config;
mod server_tool;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use serde_json::{Map, Value};
use tenter_contract::McpServer;
use tenter_executors::McpSession;
use tenter_executors::mcp::Waiting;

use super::{Tool, Workspace};
use server_tool::{Server, ServerTool};

/// Time limit for the start of a server; `MCP_TIMEOUT` (milliseconds) overrides it.
const START: Duration = Duration::from_secs(30);
/// Time limit for a call; `MCP_TOOL_TIMEOUT` (milliseconds) overrides it.
const CALL: Duration = Duration::from_mins(5);

/// Most tools, and bytes, of one server: the model reads all descriptions and schemas with every request.
const MOST_TOOLS: usize = 128;
const LARGEST_LIST: usize = 256 * 1024;

/// The tools of all reachable servers, and the problems of the others. A server ends with its last tool, with
/// everything it started. A server that ends earlier is started again at the next call.
#[derive(Default)]
pub struct McpTools {
    /// The tools, in the order of the servers.
    pub tools: Vec<Box<dyn Tool>>,
    /// One sentence about each missing server or tool.
    pub problems: Vec<String>,
}

/// Starts or reaches all servers in parallel. `servers` is the value of `mcpServers` in an `.mcp.json`.
pub fn connect(servers: &Map<String, Value>, at: &Workspace, stop: &(dyn Fn() -> bool + Sync)) -> McpTools {
    let opened: Vec<_> = thread::scope(|scope| {
        let spawn = |name, config| scope.spawn(move || open_server(name, config, at, stop));
        let threads: Vec<_> = servers.iter().map(|(name, config)| (name, spawn(name, config))).collect();
        let crashed = |_| Err("it could not be started".to_owned());
        threads.into_iter().map(|(name, thread)| (name, thread.join().unwrap_or_else(crashed))).collect()
    });
    let mut mcp_tools = McpTools::default();
    let mut names = HashSet::new();
    for (name, opened) in opened {
        match opened {
            Ok((server, tools)) => mcp_tools.add(server, &tools, &mut names),
            Err(why) => mcp_tools.problems.push(format!("MCP server `{name}`: {why}.")),
        }
    }
    mcp_tools
}

impl McpTools {
    fn add(&mut self, server: Server, tools: &[Value], names: &mut HashSet<String>) {
        let server = Arc::new(server);
        let name = &server.spec.name;
        let mut bytes = 0;
        for (number, config) in tools.iter().enumerate() {
            bytes += config.to_string().len();
            if number >= MOST_TOOLS || bytes > LARGEST_LIST {
                let (more, all) = (tools.len() - number, tools.len());
                let why = format!("it has too many tools for a model, so {more} of {all} are left out");
                self.problems.push(format!("MCP server `{name}`: {why}."));
                break;
            }
            let config = config.clone();
            let tool = ServerTool::new(&server, config).and_then(|tool| {
                let new = names.insert(tool.name().to_owned());
                if new { Ok(tool) } else { Err(format!("there is another tool called `{}`", tool.name())) }
            });
            match tool {
                Ok(tool) => self.tools.push(Box::new(tool)),
                Err(why) => self.problems.push(format!("MCP server `{name}`: {why}.")),
            }
        }
    }
}

fn open_server(
    name: &str,
    config: &Value,
    at: &Workspace,
    stop: &(dyn Fn() -> bool + Sync),
) -> Result<(Server, Vec<Value>), String> {
    let transport = server_config::transport(config, at)?;
    let server = McpServer { name: name.to_owned(), transport };
    let (session, tools) = open_session(&server, at, &|| stop())?;
    let timeout = timeout(at, "MCP_TOOL_TIMEOUT", CALL);
    Ok((Server { spec: server, session: Mutex::new(session), timeout }, tools))
}

/// Opens a session and lists the tools of the server.
fn open_session(
    server: &McpServer,
    at: &Workspace,
    stop: &dyn Fn() -> bool,
) -> Result<(McpSession, Vec<Value>), String> {
    let waiting = Waiting { time: timeout(at, "MCP_TIMEOUT", START), stop };
    McpSession::open(server, &at.environment, &at.root, waiting)
}

/// The variables are those that Claude Code knows.
fn timeout(at: &Workspace, variable: &str, otherwise: Duration) -> Duration {
    let config = at.variable(variable).and_then(|value| value.to_str()?.parse().ok());
    config.filter(|time| *time > 0).map_or(otherwise, Duration::from_millis)
}
