//! The desks of this machine: who gets a question, in which order.
//!
//! | desk | takes a question if | place |
//! |---|---|---|
//! | policy | the hook file says `approvals: { desk: deny }` (or `allow`, for tests) | first |
//! | watch | somebody runs `tenter approvals watch` | before the agent's own prompt: it shows the final input and can grant for the session |
//! | terminal | `tenter emit` runs in one; never under an agent, which owns it | the same |
//! | host | the question is plain, somebody sits there and the agent can ask | – |
//! | watch | the hook file says `approvals: { desk: watch }` | after it |
//! | file | the hook file says `approvals: { desk: file }` | after it |

mod file;
mod policy;
mod shown;
mod terminal;
mod wanted;
mod watch;
mod wrapped;

use std::path::Path;

use tenter_runtime::Desks;
use tenter_store::{ApprovalFolder, StateFolder};

pub use file::FileDesk;
pub use policy::PolicyDesk;
pub use shown::{LineKind, Shown, plain};
pub use terminal::TerminalDesk;
pub use wanted::somebody_reads_stdout;
pub use watch::{WatchDesk, WatchWhen};
pub use wrapped::{width_of, wrapped};

/// The desks of a state folder; without one nobody can be asked.
pub(crate) fn of(state: Option<&Path>) -> Desks {
    let mut desks = Desks { before_host: vec![Box::new(PolicyDesk)], after_host: Vec::new() };
    if let Some(folder) = state {
        let register = ApprovalFolder::new(&StateFolder::new(folder.to_owned()));
        desks.before_host.push(Box::new(WatchDesk::new(register.clone(), WatchWhen::SomebodyWatches)));
        desks.after_host.push(Box::new(WatchDesk::new(register.clone(), WatchWhen::Named)));
        desks.after_host.push(Box::new(FileDesk::new(register.path().join("desk"))));
    }
    desks
}
