//! What the memory hooks of this program share: where entries lie, and what is said if they cannot be read.

use tenter_contract::Said;
use tenter_ghap::{ActiveFolder, Cleaner, GhapError};
use tenter_store::audit::redact::secret_values;

use super::call::{Call, missing};

/// The entries that are being worked on; skipped where nothing is kept.
pub(super) fn entries(call: &Call<'_>) -> Result<ActiveFolder, Said> {
    match call.state {
        Some(state) => {
            let secrets = secret_values(call.ours.iter().cloned());
            Ok(ActiveFolder::new(state.clone(), Cleaner::hiding(secrets)))
        }
        None => {
            Err(Said::Skipped { why: "there is no folder for state, so nothing is remembered".to_owned() })
        }
    }
}

/// The session goes on without it, and the user is told why.
pub(super) fn unusable(error: &GhapError) -> Said {
    missing(error.to_string())
}

/// What the user must know of the folder besides.
pub(super) fn note_troubles(call: &mut Call<'_>, entries: &ActiveFolder) {
    for notice in entries.take_notices() {
        call.note(notice);
    }
}

#[cfg(test)]
mod tests;
