//! What the memory hooks of this program share: where entries lie, and what is said if they cannot be read.

use tenter_contract::{Effect, HookReply, Said};
use tenter_ghap::quote::SOURCE;
use tenter_ghap::{ActiveFolder, Cleaner, GhapError, Quoting};
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

/// Words about an entry, in full each time. What another session wrote of it stands before them, as data.
pub(super) fn said(call: &Call<'_>, Quoting { quoted, content }: Quoting) -> HookReply {
    let mut reply = call.remind(quoted.unwrap_or_default(), call.hook.strategy);
    for effect in &mut reply.effects {
        if let Effect::Inject(injection) = effect {
            injection.foreign = Some(SOURCE.to_owned());
        }
    }
    reply.effects.extend(call.remind(content, call.hook.strategy).effects);
    reply
}

/// What the user must know of the folder besides.
pub(super) fn note_troubles(call: &mut Call<'_>, entries: &ActiveFolder) {
    for notice in entries.take_notices() {
        call.note(notice);
    }
}

#[cfg(test)]
mod tests;
