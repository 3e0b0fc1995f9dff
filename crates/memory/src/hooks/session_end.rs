//! `memory.session_end`: abandons the active entries of the session and stores waiting items.

use super::call::HookCall;
use crate::error::MemoryError;
use crate::types::StoreStatus;
use crate::{Ended, Ending};

/// The reason for abandoned entries.
const REASON: &str = "session ended";
/// Reasons after which the user continues the same work.
const GOES_ON: [&str; 2] = ["clear", "resume"];

pub(super) fn run(call: &mut HookCall<'_>) -> Result<(), MemoryError> {
    if !call.has_session() {
        return Ok(());
    }
    let goes_on = call.event.reason.as_deref().is_some_and(|reason| GOES_ON.contains(&reason));
    let ending = if goes_on { Ending::GoesOn } else { Ending::Over(REASON.to_owned()) };
    call.services.delivery_log.remove_old();
    let Ended { abandoned, resolved: [confirmed, falsified, abandoned_count] } =
        call.services.memory.end_session(&call.event.session_or_shared(), &ending)?;
    for entry in &abandoned {
        if let StoreStatus::Waiting { why } = &entry.store_status {
            call.notify_once(why);
        }
    }
    if confirmed + falsified + abandoned_count > 0 {
        call.note(format!(
            "entries of this session: {confirmed} confirmed, {falsified} falsified, {abandoned_count} abandoned"
        ));
    }
    Ok(())
}
