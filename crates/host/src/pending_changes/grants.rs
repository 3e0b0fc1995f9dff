//! Files that grant something: trust, rules and session grants. One that another program wrote grants nothing until a
//! person accepts it.

use tenter_contract::{Level, Message};
use tenter_store::{GrantedChange, StateFolder, granted_changes};

use super::{ChangeKind, PendingChange};

/// The files that are not as tenter wrote them.
pub(super) fn all(state: &StateFolder) -> Vec<PendingChange> {
    granted_changes(state).into_iter().map(held_grant).collect()
}

pub(super) fn notices(state: &StateFolder) -> Vec<Message> {
    let notice = |file: PendingChange| {
        let text = format!(
            "error: a file that grants something does not count, because {}\n  --> {}\nhint: `tenter hooks accept` shows and accepts the change",
            file.reason,
            file.path.display()
        );
        Message { text, level: Level::Error }
    };
    all(state).into_iter().map(notice).collect()
}

fn held_grant(change: GrantedChange) -> PendingChange {
    let what = match (&change.written, &change.found) {
        (None, _) => "it was written",
        (Some(_), Some(_)) => "it was changed",
        (Some(_), None) => "it was removed",
    };
    PendingChange {
        path: change.path.clone(),
        active_text: change.written.clone().unwrap_or_default(),
        found: change.found.clone(),
        reason: format!("{what} by another program than tenter"),
        kind: ChangeKind::Grant(change),
    }
}
