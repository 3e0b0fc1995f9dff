//! Stop 3: ways to run one hook, from start to report.
//!
//! One folder per executor, all of the same shape: `mod.rs` says which kinds it runs, `call.rs` is one run,
//! `tests.rs` holds its promises. `tests/conformance.rs` runs every executor through the duties of the port.

pub mod builtin;
pub mod command;
pub mod fixed;
pub mod http;
pub mod mcp;
mod complaints;
mod secrets;
mod stopping;
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
pub use supervise::{Companion, Ended, Swept};
#[cfg(target_os = "linux")]
pub use supervise::{apart, end_children};

use std::sync::Arc;
use std::time::{Duration, Instant};

use tenter_contract::ports::{HookExecutor, SessionShelf};
use tenter_contract::{Handler, HookFailure, HookSpec, Placeholder, Said};
use tenter_store::StateFolder;

/// What is said of a hook whose placeholder has no value at an event. The event does not concern it, unless it is a
/// guard: one that cannot be asked has failed.
pub(crate) fn without_value(hook: &HookSpec, value: Placeholder) -> Said {
    let why = format!("the event has no {}", value.as_str());
    if hook.is_guard() {
        Said::Failure(HookFailure::Missing { detail: format!("{why}, which this guard needs") })
    } else {
        Said::Skipped { why }
    }
}

/// What hooks remember.
#[derive(Clone)]
pub struct Keepsakes {
    /// What is counted in a session.
    pub sessions: Arc<dyn SessionShelf>,
    /// Where state lies, and with it what an agent tries and predicts; nothing is known of that without one.
    pub state: Option<StateFolder>,
}

/// Every executor of this crate. No two run the same kind of hook. A process that an agent has not started itself says
/// on whose behalf it runs.
pub fn all(kept: &Keepsakes, caller: Option<Caller>) -> Vec<Box<dyn HookExecutor>> {
    let mut executors = small(kept, caller);
    executors.push(Box::new(HttpExecutor::default()));
    executors.push(Box::new(McpExecutor::default()));
    executors
}

/// Those that need nothing beyond the operating system: the ones in the program that agents call.
pub fn small(kept: &Keepsakes, caller: Option<Caller>) -> Vec<Box<dyn HookExecutor>> {
    vec![
        Box::new(CommandExecutor::default()),
        Box::new(FixedExecutor),
        Box::new(PythonExecutor::on_behalf_of(caller)),
        Box::new(BuiltinExecutor::new(kept.clone())),
    ]
}

/// Whether a hook is of a kind that only the whole program runs.
pub fn needs_all(hook: &HookSpec) -> bool {
    match &hook.handler {
        Handler::Http(_) | Handler::Mcp(_) => true,
        Handler::Builtin(builtin) => builtin::needs_whole(builtin),
        _ => false,
    }
}

/// When the time of a hook that begins now is up. A timeout too long for the clock is a year.
fn deadline_of(hook: &HookSpec) -> Instant {
    let now = Instant::now();
    now.checked_add(hook.timeout).unwrap_or(now + Duration::from_hours(366 * 24))
}
