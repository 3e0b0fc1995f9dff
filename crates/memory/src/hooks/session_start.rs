//! `memory.session_start`: injects lessons, latest work and memories, and offers an orphan.

use tenter_ghap::Entry;
use tenter_ghap::quote::EntryLines;

use super::call::HookCall;
use crate::context::Depth;
use crate::error::MemoryError;

pub(super) fn run(call: &mut HookCall<'_>) -> Result<(), MemoryError> {
    // Entries are files, so they are offered even if the store is unusable.
    let noted = call.begin_session();
    match call.event.source.as_deref() {
        // The context still has what was injected before.
        Some("resume") => offer(call)?,
        // The compaction removed the active entry from the context.
        Some("compact") => {
            remind(call)?;
            light_context(call)?;
        }
        _ => {
            offer(call)?;
            light_context(call)?;
        }
    }
    notify_about_pending(call);
    noted
}

fn notify_about_pending(call: &mut HookCall<'_>) {
    for memory in call.services.memory.take_unannounced().unwrap_or_default() {
        let (id, text) = (&memory.id, crate::context::shortened(&memory.content));
        call.notify_once(&format!(
            "an agent wants to share this with every project: \"{text}\". Run `tenter memory accept {id}` or \
             `tenter memory forget {id}`"
        ));
    }
    let apart = call.project.as_ref().and_then(|project| call.services.memory.apart(project));
    if let Some(name) = apart {
        call.notify_once(&format!(
            "this clone names {name} as its origin, of which another clone has learned; it has a memory of its own until \
             you type `tenter memory link` here"
        ));
    }
}

fn offer(call: &mut HookCall<'_>) -> Result<(), MemoryError> {
    let orphans = call.services.memory.orphans(&call.who(), call.project.as_ref())?;
    let Some((orphan, others)) = orphans.split_first() else { return Ok(()) };
    if call.has_session() && !call.is_first(&tenter_contract::SessionClaim::MemoryOffered) {
        return Ok(());
    }
    let Entry { id, goal, hypothesis, .. } = &orphan.entry;
    let lines = [("Goal", goal.as_str()), ("Hypothesis", hypothesis)];
    // Another session wrote it, so it is framed as data.
    call.inject_recalled(format!(
        "Orphaned GHAP entry (a tracked hypothesis) from a previous session:\n{}",
        EntryLines(&lines)
    ));
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

fn remind(call: &mut HookCall<'_>) -> Result<(), MemoryError> {
    let Some(entry) = call.services.memory.active_ghap(&call.who())? else { return Ok(()) };
    let lines =
        [("Goal", entry.goal.as_str()), ("Hypothesis", &entry.hypothesis), ("Prediction", &entry.prediction)];
    call.report_quoting(EntryLines(&lines).between(
        &entry,
        "You are tracking this hypothesis (GHAP: goal, hypothesis, action, prediction):\n",
        "Update or resolve it when you know more.",
    ));
    Ok(())
}

fn light_context(call: &mut HookCall<'_>) -> Result<(), MemoryError> {
    if !call.switch("inject_light_context", true) {
        return Ok(());
    }
    call.recall("", Depth::Light, call.count("token_budget", Depth::Light.tokens()))
}
