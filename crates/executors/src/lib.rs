//! Stop 3: ways to run one hook, from start to report.
//!
//! One folder per executor, all of the same shape: `mod.rs` says which kinds it runs, `call.rs` is one run,
//! `tests.rs` holds its promises. `tests/conformance.rs` runs every executor through the duties of the port.

pub mod builtin;
pub mod command;
pub mod fixed;
mod supervise;

pub use builtin::BuiltinExecutor;
pub use command::CommandExecutor;
pub use fixed::FixedExecutor;

use std::sync::Arc;

use tenter_contract::ports::{HookExecutor, SessionShelf};

/// Every executor of this crate. No two run the same kind of hook. What they count in a session is kept on the
/// shelf.
pub fn all(sessions: &Arc<dyn SessionShelf>) -> Vec<Box<dyn HookExecutor>> {
    small(sessions)
}

/// Those that need nothing beyond the operating system: the ones in the program that agents call.
pub fn small(sessions: &Arc<dyn SessionShelf>) -> Vec<Box<dyn HookExecutor>> {
    let builtin = BuiltinExecutor::new(Arc::clone(sessions));
    vec![Box::new(CommandExecutor::default()), Box::new(FixedExecutor), Box::new(builtin)]
}
