//! What is remembered of a session, in a folder of its own: `sessions/<hash of the id>/`.
//!
//! Tool calls of one session arrive together, so there is no file that holds "the state": each fact is a
//! file that is made once, and the file system decides who was first.

mod folder;
pub mod ledger;
mod pending;
mod board;
mod calls;
mod shared_decision;
mod session_files;
mod tally;

pub(crate) use folder::SessionFolder;
pub use ledger::{Ledger, LedgerLine};
pub use session_files::SessionFolders;
