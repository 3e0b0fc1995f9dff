//! `memory.check_in`: reminds the agent of its tracked hypothesis after a number of tool calls.

use tenter_ghap::quote::EntryLines;
use tenter_ghap::{CheckIn, Quoting, Who};

use super::builtin_run::{BuiltinResult, BuiltinRun, no_reply};
use super::display::counted;
use super::memory;

const FREQUENCY: usize = 10;

pub(super) fn run(call: &mut BuiltinRun<'_>) -> BuiltinResult {
    let entries = memory::entries(call)?;
    let frequency = call.options.count("frequency", FREQUENCY).max(1) as u64;
    let due = entries
        .count_tool(&Who::from_event(call.event), frequency)
        .map_err(|error| memory::unusable(&error))?;
    memory::add_notices(call, &entries);
    match due {
        None => no_reply(),
        Some(due) => Ok(memory::remind(call, reminder(&due))),
    }
}

fn reminder(CheckIn { entry, tools }: &CheckIn) -> Quoting {
    let tools = counted(usize::try_from(*tools).unwrap_or(usize::MAX), "tool");
    let lines = [
        ("Current Goal", entry.goal.as_str()),
        ("Current Hypothesis", &entry.hypothesis),
        ("Current Prediction", &entry.prediction),
    ];
    EntryLines(&lines).between(
        entry,
        &format!("GHAP Check-in ({tools} since last update):\n\n"),
        "Is your hypothesis still valid? If it changed, update your GHAP entry.",
    )
}
