//! Hooks that are MCP servers: `mcp`.
//!
//! ```text
//!                  ┌─ stdio ─────── supervise (a process)
//! call ── conversation ────┤                                          ── content ── interpret ── fold ── report
//!        (pure)    └─ streamable ── http client, net
//! ```
//!
//! The client is synchronous, with one request per process. The official library needs an async runtime, which is too
//! slow to start in a program that an agent waits for.

mod call;
mod conversation;
mod stdio;
mod streamable;
mod content;
mod session;

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tenter_contract::ports::HookExecutor;
use tenter_contract::{Event, Handler, HookReport, HookSpec, McpTransport};

use crate::interrupt::Interrupt;
use crate::supervise::ProcessTree;
pub use session::{Called, McpSession, Waiting};

/// Asks MCP servers, each in a session of its own that ends with the answer.
///
/// The default is for a process that only runs hooks; see [`crate::CommandExecutor`].
#[derive(Clone, Debug, Default)]
pub struct McpExecutor {
    process_tree: ProcessTree,
    interrupt: Interrupt,
}

impl McpExecutor {
    /// For a program that starts processes of its own.
    pub fn among_other_processes() -> Self {
        Self { process_tree: ProcessTree::Shared, ..Self::default() }
    }
}

impl HookExecutor for McpExecutor {
    fn runs(&self, hook: &HookSpec) -> bool {
        matches!(hook.handler, Handler::Mcp(_))
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        let ours: Vec<_> = std::env::vars_os().collect();
        let process_tree = self.process_tree;
        match &hook.handler {
            Handler::Mcp(mcp) if matches!(mcp.server.transport, McpTransport::Http { .. }) => {
                let run =
                    move |hook: &HookSpec, event: &Event| call::run(hook, event, &ours, process_tree, None);
                self.interrupt.run_interruptible(hook, event, run)
            }
            _ => call::run(hook, event, &ours, process_tree, self.interrupt.flag()),
        }
    }

    fn set_stop_flag(&mut self, stop: Arc<AtomicBool>) {
        self.interrupt = Interrupt::new(stop);
    }
}

#[cfg(test)]
mod tests;
