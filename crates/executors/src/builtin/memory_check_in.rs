//! `memory.check_in`: after so many tool calls the agent is reminded of what it tries and predicts.

use tenter_ghap::quote::Said;
use tenter_ghap::{CheckIn, Quoting, Who};

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
        Some(due) => Ok(memory::said(call, reminder(&due))),
    }
}

fn reminder(CheckIn { entry, tools }: &CheckIn) -> Quoting {
    let tools = counted(usize::try_from(*tools).unwrap_or(usize::MAX), "tool");
    let lines = [
        ("Current Goal", entry.goal.as_str()),
        ("Current Hypothesis", &entry.hypothesis),
        ("Current Prediction", &entry.prediction),
    ];
    Said(&lines).between(
        entry,
        &format!("GHAP Check-in ({tools} since last update):\n\n"),
        "Is your hypothesis still valid? If it changed, update your GHAP entry.",
    )
}
