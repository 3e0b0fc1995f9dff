//! Entries that are being worked on: plain files in `memory/active`, at most one for each agent of a session.
//!
//! The files of one agent have one name, the hash of its session and its id:
//!
//! | file | what it is | how it is written |
//! |---|---|---|
//! | `<name>.json` | the entry | a new file takes its place at once, so a reader never sees half of one |
//! | `<name>.tools` | a byte for each tool call since the entry was last thought about; its time says when the agent was last received from | appended |
//! | `<name>.runs` | test and build runs that were seen | appended |
//! | `<name>.premortem` | nothing: that it is there says that the agent was warned in this cycle | made once |
//!
//! A process that changes an entry holds `lock`, which ends with its process. At most tool calls there is no entry, and that
//! costs one open that fails.
//!
//! An entry that is done with is first written so in its own file, which is the moment it counts; then it goes to
//! [`Waiting`], and then its files are removed. A process that finds it in between goes on where the other was stopped.

mod file;
mod folder;
mod changes;
mod tools;
mod runs;
mod premortem;
mod orphans;
mod waiting;

pub use file::ActiveEntry;
pub use folder::ActiveFolder;
pub use orphans::{BY_HAND, Liveness, OrphanSearch, SILENT};
pub use tools::CheckIn;
pub use waiting::{Taken, Waiting};
