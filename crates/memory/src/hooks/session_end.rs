//! `memory.session_end`: what the session has not resolved gets up, and what waits is stored.

use super::call::HookCall;
use crate::error::MemoryError;
use crate::types::StoreStatus;
use crate::{Ended, Ending};

/// Why its entries are abandoned, in the store.
const REASON: &str = "session ended";
/// Reasons of an end after which a user goes on with the same work.
const GOES_ON: [&str; 2] = ["clear", "resume"];

pub(super) fn run(call: &mut HookCall<'_>) -> Result<(), MemoryError> {
    if !call.has_session() {
        return Ok(());
    }
    let goes_on = call.event.reason.as_deref().is_some_and(|reason| GOES_ON.contains(&reason));
    let ending = if goes_on { Ending::GoesOn } else { Ending::Over(REASON.to_owned()) };
    call.services.delivery_log.tidy_up();
    let Ended { abandoned, resolved: [confirmed, falsified, given_up] } =
        call.services.memory.end_session(&call.event.session_or_shared(), &ending)?;
    for entry in &abandoned {
        if let StoreStatus::Waiting { why } = &entry.store_status {
            call.notify_once(why);
        }
    }
    if confirmed + falsified + given_up > 0 {
        call.note(format!(
            "entries of this session: {confirmed} confirmed, {falsified} falsified, {given_up} abandoned"
        ));
    }
    Ok(())
}
