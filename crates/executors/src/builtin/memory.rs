//! Shared parts of the memory hooks: the folder of entries, and the reply if it cannot be read.

use tenter_contract::{Effect, HookOutput, HookReply};
use tenter_ghap::quote::SOURCE;
use tenter_ghap::{ActiveFolder, Cleaner, GhapError, Quoting};
use tenter_store::audit::redact::secret_values;

use super::builtin_run::{BuiltinRun, missing, skipped};

/// The active entries; skipped without a state folder.
pub(super) fn entries(call: &BuiltinRun<'_>) -> Result<ActiveFolder, HookOutput> {
    match call.state {
        Some(state) => {
            let secrets = secret_values(call.ours.iter().cloned());
            Ok(ActiveFolder::new(state.clone(), Cleaner::hiding(secrets)))
        }
        None => Err(skipped("there is no folder for state, so nothing is remembered")),
    }
}

/// The session continues without it, and the user gets the reason.
pub(super) fn unusable(error: &GhapError) -> HookOutput {
    missing(error.to_string())
}

/// Reminds of an entry, in full each time. Text of other sessions comes first, marked as data.
pub(super) fn remind(call: &BuiltinRun<'_>, Quoting { quoted, content }: Quoting) -> HookReply {
    let mut reply = call.remind(quoted.unwrap_or_default(), call.hook.strategy);
    for effect in &mut reply.effects {
        if let Effect::Inject(injection) = effect {
            injection.foreign = Some(SOURCE.to_owned());
        }
    }
    reply.effects.extend(call.remind(content, call.hook.strategy).effects);
    reply
}

/// Adds the notices of the folder.
pub(super) fn add_notices(call: &mut BuiltinRun<'_>, entries: &ActiveFolder) {
    for notice in entries.take_notices() {
        call.add_notice(notice);
    }
}

#[cfg(test)]
mod tests;
