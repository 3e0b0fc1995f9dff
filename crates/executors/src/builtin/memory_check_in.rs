//! `memory.check_in`: after so many tool calls the agent is reminded of what it tries and predicts.

use tenter_ghap::{CheckIn, Who};

use super::call::{Answer, Call, silence};
use super::memory;
use super::wording::counted;

const FREQUENCY: usize = 10;

pub(super) fn run(call: &mut Call<'_>) -> Answer {
    let entries = memory::entries(call)?;
    let frequency = call.options.count("frequency", FREQUENCY).max(1) as u64;
    let due = entries
        .count_tool(&Who::of_event(call.event), frequency)
        .map_err(|error| memory::unusable(&error))?;
    memory::note_troubles(call, &entries);
    match due {
        None => silence(),
        Some(due) => Ok(call.remind(reminder(&due), call.hook.strategy)),
    }
}

fn reminder(CheckIn { entry, tools }: &CheckIn) -> String {
    let tools = counted(usize::try_from(*tools).unwrap_or(usize::MAX), "tool");
    format!(
        "GHAP Check-in ({tools} since last update):\n\nCurrent Goal: {}\nCurrent Hypothesis: {}\nCurrent Prediction: {}\n\nIs your hypothesis still valid? If it changed, update your GHAP entry.",
        entry.goal, entry.hypothesis, entry.prediction
    )
}
