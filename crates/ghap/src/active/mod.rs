//! Active entries: plain files in `memory/active`, at most one for each agent of a session.
//!
//! The files of an agent share a name, the hash of its session and agent id:
//!
//! | file | content | written |
//! |---|---|---|
//! | `<name>.json` | the entry | replaced atomically |
//! | `<name>.tools` | a byte for each tool call since the last revision; its time is the last activity of the agent | appended |
//! | `<name>.runs` | test and build runs | appended |
//! | `<name>.premortem` | empty; it exists if the agent was warned in this cycle | created once |
//!
//! A process that changes an entry holds `lock`. Most tool calls have no entry, which costs one failed open.
//!
//! A resolved entry is first written to its own file, which makes the resolution final. It then goes to [`Waiting`], and
//! its files are removed. If a process stops in between, the next one continues.

mod file;
mod folder;
mod changes;
mod tools;
mod runs;
mod orphans;
mod waiting;

pub use file::ActiveEntry;
pub use folder::ActiveFolder;
pub use orphans::{BY_HAND, Liveness, OrphanSearch, SILENT};
pub use tools::CheckIn;
pub use waiting::{Taken, Waiting};
