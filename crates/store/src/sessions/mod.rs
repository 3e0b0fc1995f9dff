//! The state of sessions, each in a folder: `sessions/<hash of the id>/`.
//!
//! Tool calls of one session arrive together, so no single file holds the state: each fact is a file that is created
//! once, and the file system decides which process was first.

mod folder;
pub mod ledger;
mod pending;
mod board;
mod calls;
mod session_files;
mod tally;

pub(crate) use folder::SessionFolder;
pub use ledger::{Ledger, LedgerLine};
pub use session_files::SessionFolders;
pub(crate) use session_files::unusable;
