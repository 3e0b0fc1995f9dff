//! `memory.session_end`: what the session has not resolved is given up, and what waits is stored.

use super::call::Call;
use crate::error::MemoryError;
use crate::questions::Kept;
use crate::{Ended, Ending};

/// Why its entries are abandoned, in the store.
const REASON: &str = "session ended";
/// Reasons of an end after which somebody goes on with the same work.
const GOES_ON: [&str; 2] = ["clear", "resume"];

pub(super) fn run(call: &mut Call<'_>) -> Result<(), MemoryError> {
    if !call.has_session() {
        return Ok(());
    }
    let goes_on = call.event.reason.as_deref().is_some_and(|reason| GOES_ON.contains(&reason));
    let ending = if goes_on { Ending::GoesOn } else { Ending::Over(REASON.to_owned()) };
    call.kept.given.tidy_up();
    let Ended { abandoned, resolved: [confirmed, falsified, given_up] } =
        call.kept.memory.end_session(&call.event.session, &ending)?;
    for entry in &abandoned {
        if let Kept::Waiting { why } = &entry.kept {
            call.tell_once(why);
        }
    }
    if confirmed + falsified + given_up > 0 {
        call.note(format!(
            "entries of this session: {confirmed} confirmed, {falsified} falsified, {given_up} abandoned"
        ));
    }
    Ok(())
}
