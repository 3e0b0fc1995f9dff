//! The commands `memory`, `ghap` and `mcp` over the user's memory.

mod arguments;
mod error;
mod ghap;
mod mcp;
mod memory;
mod opened;
pub mod render;

pub use crate::arguments::{GhapCommand, McpArguments, MemoryCommand};
pub use crate::error::CommandError;
pub use crate::opened::Opened;

use tenter_console::error::CommandResult;
use tenter_console::printer::Printer;

/// Runs `tenter memory`.
pub fn run_memory(command: &MemoryCommand, printer: &Printer) -> CommandResult {
    Ok(memory::run(command, printer)?)
}

/// Runs `tenter ghap`.
pub fn run_ghap(command: &GhapCommand, printer: &Printer) -> CommandResult {
    Ok(ghap::run(command, printer)?)
}

/// Runs `tenter mcp`.
pub fn run_mcp(arguments: &McpArguments, printer: &Printer) -> CommandResult {
    Ok(mcp::run(arguments, printer)?)
}
