//! `memory.outcome`: compares the result of a test or build run with the prediction of the agent.

use tenter_contract::{Builtin, Event};
use tenter_ghap::outcome::{Captured, Settings, capture, start_tracking, wants_premortem};
use tenter_ghap::{ActiveFolder, Cleaner, Who};
use tenter_store::StateFolder;

use super::builtin_run::{BuiltinResult, BuiltinRun, no_reply};
use super::memory;
use super::options::Options;

/// Whether the agent should get a warning about earlier failures at this event.
pub(super) fn warns(builtin: &Builtin, event: &Event, state: Option<&StateFolder>) -> bool {
    state.is_some_and(|state| {
        let entries = ActiveFolder::new(state.clone(), Cleaner::default());
        wants_premortem(event, &settings(Options::new(builtin)).matchers, &entries)
    })
}

pub(super) fn run(call: &mut BuiltinRun<'_>) -> BuiltinResult {
    let entries = memory::entries(call)?;
    let captured =
        capture(call.event, &settings(call.options), &entries).map_err(|error| memory::unusable(&error))?;
    memory::add_notices(call, &entries);
    match captured {
        Captured::Nothing => no_reply(),
        // The same text may be about another hypothesis, and each needs an answer.
        Captured::Asks(prompt) => Ok(memory::remind(call, prompt.words)),
        // Only without a database to search; see `runs_at` of this executor.
        Captured::Untracked(finding) => {
            // If the claim cannot be stored, there is no reply: it would be repeated at every failure.
            let first = entries.claim_premortem(&Who::from_event(call.event)).unwrap_or_else(|error| {
                call.add_notice(error.to_string());
                false
            });
            if first { Ok(call.report(start_tracking(&finding), call.hook.strategy)) } else { no_reply() }
        }
    }
}

fn settings(options: Options<'_>) -> Settings<'_> {
    Settings {
        matchers: options.texts("matchers").unwrap_or_default(),
        auto_capture: options.switch("auto_capture", true),
    }
}
