//! Properties that must hold for any bytes, one function per parser. The targets call them with what libFuzzer makes
//! of the seeds; `examples/seeds.rs` takes those from what is recorded in the repository.

mod agents;
mod hook_files;
mod mcp_lines;
mod replies;
mod settings_files;
mod shell_lines;
mod streams;
mod trails;

pub use agents::{agent, documented, documented_names};
pub use hook_files::{compiled, hook_file};
pub use mcp_lines::mcp;
pub use replies::reply;
pub use settings_files::settings;
pub use shell_lines::shell;
pub use streams::stream;
pub use trails::{SEPARATOR, trail};
