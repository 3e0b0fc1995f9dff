//! The approvers of this machine: who gets a question, in which order.
//!
//! | approver | takes a question if | place |
//! |---|---|---|
//! | policy | the hook file says `approvals: { approver: deny }` (or `allow`, for tests) | first |
//! | watch | somebody runs `tenter approvals watch` | before the agent's own prompt: it shows the final input and can grant for the session |
//! | terminal | `tenter emit` runs in one; never under an agent, which owns it | the same |
//! | host | the question is plain, somebody sits there and the agent can ask | – |
//! | watch | the hook file says `approvals: { approver: watch }` | after it |
//! | file | the hook file says `approvals: { approver: file }` | after it |

mod file;
mod policy;
mod shown;
mod terminal;
mod wanted;
mod watch;
mod wrapped;

use std::path::Path;

use tenter_runtime::Approvers;
use tenter_store::{ApprovalFolder, StateFolder};

pub use file::FileApprover;
pub use policy::PolicyApprover;
pub use shown::{LineKind, Shown, plain};
pub use terminal::TerminalApprover;
pub use wanted::somebody_reads_stdout;
pub use watch::{WatchApprover, WatchWhen};
pub use wrapped::{width_of, wrapped};

/// The approvers of a state folder; without one no approver can be asked.
pub(crate) fn of(state: Option<&Path>) -> Approvers {
    let mut approvers = Approvers { before_host: vec![Box::new(PolicyApprover)], after_host: Vec::new() };
    if let Some(folder) = state {
        let register = ApprovalFolder::new(&StateFolder::new(folder.to_owned()));
        approvers
            .before_host
            .push(Box::new(WatchApprover::new(register.clone(), WatchWhen::SomebodyWatches)));
        approvers.after_host.push(Box::new(WatchApprover::new(register.clone(), WatchWhen::Named)));
        approvers.after_host.push(Box::new(FileApprover::new(register.path().join("approver"))));
    }
    approvers
}
