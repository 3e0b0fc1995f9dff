//! `memory.outcome`: how a test or build run came out, beside what the agent predicted.

use tenter_contract::{Builtin, Event};
use tenter_ghap::outcome::{Captured, Settings, capture, start_tracking, wants_premortem};
use tenter_ghap::{ActiveFolder, Cleaner, Who};
use tenter_store::StateFolder;

use super::call::{Answer, Call, silence};
use super::memory;
use super::options::Options;

/// Whether this event is one at which the agent is to be warned by what went wrong before.
pub(super) fn warns(builtin: &Builtin, event: &Event, state: Option<&StateFolder>) -> bool {
    state.is_some_and(|state| {
        let entries = ActiveFolder::new(state.clone(), Cleaner::default());
        wants_premortem(event, &settings(Options::of(builtin)).matchers, &entries)
    })
}

pub(super) fn run(call: &mut Call<'_>) -> Answer {
    let entries = memory::entries(call)?;
    let captured =
        capture(call.event, &settings(call.options), &entries).map_err(|error| memory::unusable(&error))?;
    memory::note_troubles(call, &entries);
    match captured {
        Captured::Nothing => silence(),
        // In the same words as before it may be about another hypothesis, and each wants an answer.
        Captured::Asks(prompt) => Ok(memory::said(call, prompt.words)),
        // Only where nothing can be searched; see `runs_at` of this executor.
        Captured::Untracked(finding) => {
            // Where it cannot be noted it is not said: it would be said at every failure.
            let first = entries.claim_premortem(&Who::of_event(call.event)).unwrap_or_else(|error| {
                call.note(error.to_string());
                false
            });
            if first { Ok(call.report(start_tracking(&finding), call.hook.strategy)) } else { silence() }
        }
    }
}

fn settings(options: Options<'_>) -> Settings<'_> {
    Settings {
        matchers: options.texts("matchers").unwrap_or_default(),
        auto_capture: options.switch("auto_capture", true),
    }
}
