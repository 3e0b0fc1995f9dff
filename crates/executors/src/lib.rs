//! Executors: each runs one kind of hook, from start to report.
//!
//! One folder per executor, all of the same shape: `mod.rs` has the executor, `…_run.rs` one run, `tests.rs` its tests.
//! `tests/conformance.rs` checks every executor against the duties of the port.

pub mod builtin;
pub mod command;
pub mod fixed;
pub mod http;
pub mod mcp;
mod hook_run;
mod known_secrets;
mod secrets;
mod interrupt;
mod programs;
pub mod python;
mod supervise;
pub mod project_folders;
pub mod paths;
pub mod search;
pub mod caller;

pub use builtin::BuiltinExecutor;
pub use caller::Caller;
pub use command::CommandExecutor;
pub use fixed::FixedExecutor;
pub use http::HttpExecutor;
pub use mcp::{McpExecutor, McpSession};
pub use python::PythonExecutor;
pub use supervise::{Ended, Leftovers, SupervisedChild};
#[cfg(target_os = "linux")]
pub use supervise::{end_children, mark_long_lived};

use std::sync::Arc;
use std::time::{Duration, Instant};

use tenter_contract::ports::{HookExecutor, SessionStore};
use tenter_contract::{Handler, HookFailure, HookOutput, HookSpec, Placeholder};
use tenter_store::StateFolder;

/// The output of a hook whose placeholder has no value at an event: skipped, but a failure for a guard.
pub(crate) fn without_value(hook: &HookSpec, value: Placeholder) -> HookOutput {
    let why = format!("the event has no {}", value.as_str());
    if hook.is_guard() {
        missing(format!("{why}, which this guard needs"))
    } else {
        HookOutput::Skipped { why }
    }
}

/// The output of a hook that cannot run.
pub(crate) fn missing(detail: impl Into<String>) -> HookOutput {
    HookOutput::Failure(HookFailure::Missing { detail: detail.into() })
}

/// The stores that hooks use.
#[derive(Clone)]
pub struct HookState {
    /// Claims and counters of sessions.
    pub sessions: Arc<dyn SessionStore>,
    /// The state folder with the tracked hypotheses of agents, if there is one.
    pub state: Option<StateFolder>,
}

/// All executors of this crate; no two run the same kind of hook. A process that the agent has not started itself passes
/// the agent as `caller`.
pub fn all(hook_state: &HookState, caller: Option<Caller>) -> Vec<Box<dyn HookExecutor>> {
    let mut executors = small(hook_state, caller);
    executors.push(Box::new(HttpExecutor::default()));
    executors.push(Box::new(McpExecutor::default()));
    executors
}

/// The executors of the small program, which need only the operating system.
pub fn small(hook_state: &HookState, caller: Option<Caller>) -> Vec<Box<dyn HookExecutor>> {
    vec![
        Box::new(CommandExecutor::default()),
        Box::new(FixedExecutor),
        Box::new(PythonExecutor::on_behalf_of(caller)),
        Box::new(BuiltinExecutor::new(hook_state.clone())),
    ]
}

/// Whether only the full binary runs a hook.
pub fn needs_all(hook: &HookSpec) -> bool {
    match &hook.handler {
        Handler::Http(_) | Handler::Mcp(_) => true,
        Handler::Builtin(builtin) => builtin::needs_full_binary(builtin),
        _ => false,
    }
}

/// The deadline of a hook that begins now. A timeout too long for the clock is a year.
fn deadline_of(hook: &HookSpec) -> Instant {
    let now = Instant::now();
    now.checked_add(hook.timeout).unwrap_or(now + Duration::from_hours(366 * 24))
}
