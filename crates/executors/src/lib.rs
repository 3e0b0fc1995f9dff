//! Stop 3: ways to run one hook, from start to report.
//!
//! One folder per executor, all of the same shape: `mod.rs` says which kinds it runs, `call.rs` is one run,
//! `tests.rs` holds its promises. `tests/conformance.rs` runs every executor through the duties of the port.

pub mod command;
pub mod fixed;
pub mod python;
mod supervise;

pub use command::CommandExecutor;
pub use fixed::FixedExecutor;
pub use python::PythonExecutor;

use tenter_contract::ports::HookExecutor;

/// Every executor of this crate. No two run the same kind of hook.
pub fn all() -> Vec<Box<dyn HookExecutor>> {
    small()
}

/// Those that need nothing beyond the operating system: the ones in the program that agents call.
pub fn small() -> Vec<Box<dyn HookExecutor>> {
    vec![Box::new(CommandExecutor::default()), Box::new(FixedExecutor), Box::new(PythonExecutor::default())]
}
