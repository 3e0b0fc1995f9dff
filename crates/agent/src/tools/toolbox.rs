//! The tools that all agents of a program share. Those of MCP servers come when their server is ready: a server that
//! hangs keeps nobody from working.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, RwLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Map, Value};

use super::mcp::{Connected, connect};
use super::workplace::held;
use super::{Tool, Workplace};

/// How long the first request waits for servers.
const FIRST_WAIT: Duration = Duration::from_secs(5);
/// How often somebody who waits looks whether to go on.
const LOOK: Duration = Duration::from_millis(20);

/// Tools, of which there may be more later.
pub struct Toolbox {
    tools: RwLock<Vec<Arc<dyn Tool>>>,
    starting: Mutex<Starting>,
}

/// Servers that have not told their tools yet.
#[derive(Default)]
struct Starting {
    servers: Vec<String>,
    told: Option<Receiver<(String, Connected)>>,
    threads: Vec<JoinHandle<()>>,
    stop: Arc<AtomicBool>,
    has_waited: bool,
}

impl Toolbox {
    /// These tools.
    pub fn new(tools: Vec<Box<dyn Tool>>) -> Self {
        let tools = tools.into_iter().map(Arc::from).collect();
        Self { tools: RwLock::new(tools), starting: Mutex::default() }
    }

    /// These tools, and those of servers, which start now. `servers` is what stands under `mcpServers` in an `.mcp.json`.
    pub fn with_servers(
        tools: Vec<Box<dyn Tool>>,
        servers: &Map<String, Value>,
        at: &Arc<Workplace>,
    ) -> Self {
        let toolbox = Self::new(tools);
        let stop = Arc::new(AtomicBool::new(false));
        let (tell, told) = channel();
        let start = |(name, stated): (&String, &Value)| {
            let one = Map::from_iter([(name.clone(), stated.clone())]);
            let (name, at, stop, tell) = (name.clone(), Arc::clone(at), Arc::clone(&stop), tell.clone());
            thread::spawn(move || {
                let connected = connect(&one, &at, &|| stop.load(Ordering::SeqCst));
                let _ = tell.send((name, connected));
            })
        };
        let threads = servers.iter().map(start).collect();
        let servers = servers.keys().cloned().collect();
        *held(&toolbox.starting) = Starting { servers, told: Some(told), threads, stop, has_waited: false };
        toolbox
    }

    /// The tools from a number on.
    pub(crate) fn since(&self, number: usize) -> Vec<Arc<dyn Tool>> {
        let tools = self.tools.read().unwrap_or_else(std::sync::PoisonError::into_inner);
        tools.get(number..).unwrap_or_default().to_vec()
    }

    /// Takes in the tools of servers that have become ready. Once, it waits a little for them. What the user must know
    /// is returned, a sentence each.
    pub(crate) fn refresh(&self, stop: &dyn Fn() -> bool) -> Vec<String> {
        let mut starting = held(&self.starting);
        if starting.servers.is_empty() {
            return Vec::new();
        }
        let mut notices = Vec::new();
        let first = !std::mem::replace(&mut starting.has_waited, true);
        let until = Instant::now() + if first { FIRST_WAIT } else { Duration::ZERO };
        while !starting.servers.is_empty() && !stop() {
            let left = until.saturating_duration_since(Instant::now());
            let Some(told) = &starting.told else { break };
            match told.recv_timeout(left.min(LOOK)) {
                Ok((name, connected)) => {
                    starting.servers.retain(|server| *server != name);
                    self.take(connected, &mut notices);
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

    fn take(&self, connected: Connected, notices: &mut Vec<String>) {
        let mut tools = self.tools.write().unwrap_or_else(std::sync::PoisonError::into_inner);
        let mut taken: HashSet<String> = tools.iter().map(|tool| tool.name().to_owned()).collect();
        notices.extend(connected.problems.into_iter().map(|problem| {
            format!("{problem} The model works without it; its file is the one after `--mcp`.")
        }));
        for tool in connected.tools {
            if taken.insert(tool.name().to_owned()) {
                tools.push(Arc::from(tool));
            } else {
                notices
                    .push(format!("two MCP servers have a tool called `{}`; the first counts", tool.name()));
            }
        }
    }
}

/// No server is left behind.
impl Drop for Toolbox {
    fn drop(&mut self) {
        let mut starting = held(&self.starting);
        starting.stop.store(true, Ordering::SeqCst);
        starting.told = None;
        for thread in starting.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
