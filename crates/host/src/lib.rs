//! Puts the parts together. Command line and, later, other hosts get the same runtime from here.

pub mod places;
pub mod hook_files;
mod recall;
pub mod assemble;
pub mod inline;
mod caller;
pub mod deadline;
pub mod install;
pub mod signals;
mod clock;
mod stateless;

pub use assemble::{Host, assemble, assemble_from_memory};
pub use hook_files::HookFile;
pub use places::Places;
