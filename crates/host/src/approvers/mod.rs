//! The approvers of this machine, in the order in which they get a question.
//!
//! | approver | accepts a question if | place |
//! |---|---|---|
//! | policy | the hook file has `approvals: { approver: deny }` (or `allow`, for tests) | first |
//! | watch | a user runs `tenter approvals watch` | before the agent's own prompt: it shows the final input and can grant for the session |
//! | terminal | `tenter emit` runs in one; never under an agent, which owns it | the same |
//! | host | the question is plain, the session is attended and the agent can ask | – |
//! | watch | the hook file has `approvals: { approver: watch }` | after it |
//! | file | the hook file has `approvals: { approver: file }` | after it |

mod file;
mod policy;
mod question_lines;
mod stdout;
mod terminal;
mod watch;
mod wrap;

use std::path::Path;

use tenter_runtime::Approvers;
use tenter_store::{ApprovalFolder, StateFolder};

pub use file::FileApprover;
pub use policy::PolicyApprover;
pub use question_lines::{LineKind, option_line, plain, question_lines, question_lines_in_session};
pub use stdout::is_stdout_read;
pub use terminal::TerminalApprover;
pub use watch::{WatchApprover, WatchWhen};
pub use wrap::{terminal_width, wrap_line};

/// The approvers of a state folder. Without one, no user can be asked.
pub(crate) fn for_state(state: Option<&Path>) -> Approvers {
    let mut approvers = Approvers { before_host: vec![Box::new(PolicyApprover)], after_host: Vec::new() };
    if let Some(folder) = state {
        let register = ApprovalFolder::new(&StateFolder::new(folder.to_owned()));
        approvers.before_host.push(Box::new(WatchApprover::new(register.clone(), WatchWhen::Watched)));
        approvers.after_host.push(Box::new(WatchApprover::new(register.clone(), WatchWhen::Named)));
        approvers.after_host.push(Box::new(FileApprover::new(register.path().join("approver"))));
    }
    approvers
}
