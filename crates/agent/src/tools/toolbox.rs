//! The tools that all agents of a program share. The tools of an MCP server are added when it is ready, so that a slow
//! server blocks no work.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, RwLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::mcp::{McpTools, connect};
use super::workspace::lock;
use super::{Tool, Workspace};

/// How long the first request waits for servers.
const FIRST_WAIT: Duration = Duration::from_secs(5);
/// How often the stop flag is polled.
const POLL: Duration = Duration::from_millis(20);

/// Tools, to which servers add more.
pub struct Toolbox {
    tools: RwLock<Vec<Arc<dyn Tool>>>,
    starting: Mutex<Starting>,
}

/// Servers that are not ready.
#[derive(Default)]
struct Starting {
    servers: Vec<String>,
    ready: Option<Receiver<(String, McpTools)>>,
    threads: Vec<JoinHandle<()>>,
    stop: Arc<AtomicBool>,
    has_waited: bool,
}

impl Toolbox {
    /// A toolbox without servers.
    pub fn new(tools: Vec<Box<dyn Tool>>) -> Self {
        let tools = tools.into_iter().map(Arc::from).collect();
        Self { tools: RwLock::new(tools), starting: Mutex::default() }
    }

    /// These tools, and those of servers, which start now. `servers` is the value of `mcpServers` in an `.mcp.json`.
    pub fn with_servers(
        tools: Vec<Box<dyn Tool>>,
        servers: &Map<String, Value>,
        at: &Arc<Workspace>,
    ) -> Self {
        let toolbox = Self::new(tools);
        let stop = Arc::new(AtomicBool::new(false));
        let (report, ready) = channel();
        let start = |(name, config): (&String, &Value)| {
            let one = Map::from_iter([(name.clone(), config.clone())]);
            let (name, at, stop, report) = (name.clone(), Arc::clone(at), Arc::clone(&stop), report.clone());
            thread::spawn(move || {
                let mcp_tools = connect(&one, &at, &|| stop.load(Ordering::SeqCst));
                let _ = report.send((name, mcp_tools));
            })
        };
        let threads = servers.iter().map(start).collect();
        let servers = servers.keys().cloned().collect();
        *lock(&toolbox.starting) = Starting { servers, ready: Some(ready), threads, stop, has_waited: false };
        toolbox
    }

    pub(crate) fn since(&self, number: usize) -> Vec<Arc<dyn Tool>> {
        let tools = self.tools.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        tools.get(number..).unwrap_or_default().to_vec()
    }

    /// Adds the tools of servers that are ready; the first call waits a little. Returns notices for the user.
    pub(crate) fn refresh(&self, stop: &dyn Fn() -> bool) -> Vec<String> {
        let mut starting = lock(&self.starting);
        if starting.servers.is_empty() {
            return Vec::new();
        }
        let mut notices = Vec::new();
        let first = !std::mem::replace(&mut starting.has_waited, true);
        let until = Instant::now() + if first { FIRST_WAIT } else { Duration::ZERO };
        while !starting.servers.is_empty() && !stop() {
            let left = until.saturating_duration_since(Instant::now());
            let Some(ready) = &starting.ready else { break };
            match ready.recv_timeout(left.min(POLL)) {
                Ok((name, mcp_tools)) => {
                    starting.servers.retain(|server| *server != name);
                    self.add(mcp_tools, &mut notices);
                }
                Err(RecvTimeoutError::Timeout) if left.is_zero() => break,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => starting.servers.clear(),
            }
        }
        if first && !starting.servers.is_empty() {
            let names: Vec<String> = starting.servers.iter().map(|name| format!("`{name}`")).collect();
            let seconds = FIRST_WAIT.as_secs();
            notices.push(format!(
                "MCP server {} did not start within {seconds} s; the model works without its tools until it does",
                names.join(", ")
            ));
        }
        notices
    }

    fn add(&self, mcp_tools: McpTools, notices: &mut Vec<String>) {
        let mut tools = self.tools.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut names: HashSet<String> = tools.iter().map(|tool| tool.name().to_owned()).collect();
        let hint = "The model works without it; its configuration is in the file of `--mcp`.";
        notices.extend(mcp_tools.problems.into_iter().map(|problem| format!("{problem} {hint}")));
        for tool in mcp_tools.tools {
            if names.insert(tool.name().to_owned()) {
                tools.push(Arc::from(tool));
            } else {
                let name = tool.name();
                notices.push(format!("two MCP servers have a tool called `{name}`; the first one is used"));
            }
        }
    }
}

impl Drop for Toolbox {
    fn drop(&mut self) {
        let mut starting = lock(&self.starting);
        starting.stop.store(true, Ordering::SeqCst);
        starting.ready = None;
        for thread in starting.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
