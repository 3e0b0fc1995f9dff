//! `memory.session_start`: what is good to know in a session that begins, and what one before has left behind.

use tenter_ghap::Entry;
use tenter_ghap::quote::Said;

use super::call::Call;
use crate::context::{ContextRequest, Depth, Occasion};
use crate::error::MemoryError;

/// Claimed when an orphan is offered: once is enough.
const OFFERED: &str = "memory: an orphan was offered";

pub(super) fn run(call: &mut Call<'_>) -> Result<(), MemoryError> {
    // Entries are files: they can be told of whatever is wrong with the store.
    let noted = call.begin_session();
    match call.event.source.as_deref() {
        // The agent has all it was told before in its context.
        Some("resume") => offer(call)?,
        // The agent works on something, and has just forgotten what exactly.
        Some("compact") => {
            remind(call)?;
            standing(call)?;
        }
        _ => {
            offer(call)?;
            standing(call)?;
        }
    }
    tell_what_waits(call);
    noted
}

/// Tells the user, once, what waits for a yes, and that a clone does not share the memory of its origin.
fn tell_what_waits(call: &mut Call<'_>) {
    for memory in call.kept.memory.take_untold().unwrap_or_default() {
        let (id, text) = (&memory.id, crate::context::shortened(&memory.content));
        call.tell_once(&format!(
            "an agent wants this told in every project: \"{text}\". `tenter memory accept {id}` says yes, \
             `tenter memory forget {id}` no"
        ));
    }
    let apart = call.project.as_ref().and_then(|project| call.kept.memory.apart(project));
    if let Some(name) = apart {
        call.tell_once(&format!(
            "this clone names {name} as its origin, of which another clone has learned; it has a memory of its own until \
             you type `tenter memory link` here"
        ));
    }
}

/// Offers an entry that nobody works on any more.
fn offer(call: &mut Call<'_>) -> Result<(), MemoryError> {
    let orphans = call.kept.memory.orphans(&call.who(), call.project.as_ref())?;
    let Some((orphan, others)) = orphans.split_first() else { return Ok(()) };
    if call.has_session() && !call.is_first(OFFERED) {
        return Ok(());
    }
    let Entry { id, goal, hypothesis, .. } = &orphan.entry;
    let lines = [("Goal", goal.as_str()), ("Hypothesis", hypothesis)];
    // The session that wrote it is another one, so it is data.
    call.inject_recalled(format!("Orphaned GHAP detected from previous session:\n{}", Said(&lines)));
    let more = match others.len() {
        0 => String::new(),
        1 => "\n(1 more was left behind; `tenter ghap show` shows it)".to_owned(),
        count => format!("\n({count} more were left behind; `tenter ghap show` shows them)"),
    };
    call.inject(format!(
        "Options:\n\
         - Adopt and continue this work\n\
         - Abandon with reason\n\
         \n\
         (`adopt_orphan` takes {id} up, `abandon_orphan` gives it up; it is no part of what the user asks for now){more}"
    ));
    Ok(())
}

/// Says what the agent is trying, which a summary of its context may have lost.
fn remind(call: &mut Call<'_>) -> Result<(), MemoryError> {
    let Some(entry) = call.kept.memory.active_ghap(&call.who())? else { return Ok(()) };
    let lines =
        [("Goal", entry.goal.as_str()), ("Hypothesis", &entry.hypothesis), ("Prediction", &entry.prediction)];
    call.report_quoting(Said(&lines).between(
        &entry,
        "You are tracking this with GHAP:\n",
        "Update or resolve it when you know more.",
    ));
    Ok(())
}

fn standing(call: &mut Call<'_>) -> Result<(), MemoryError> {
    if !call.switch("inject_light_context", true) {
        return Ok(());
    }
    let budget = call.count("token_budget", Depth::Light.tokens());
    let context = call.context();
    let request = ContextRequest {
        max_tokens: call.within(budget),
        known: call.known(context.as_ref()),
        occasion: Occasion::Unasked,
        ..ContextRequest::new("", Depth::Light, call.scope())
    };
    let recalled = call.kept.memory.assemble_context(&request)?;
    call.give(context.as_ref(), recalled);
    Ok(())
}
