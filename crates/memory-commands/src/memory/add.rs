//! `tenter memory add TEXT…`: stores a memory, or replaces one.

use tenter_memory::{MemoryItem, NewMemory};

use crate::Opened;
use crate::arguments::MemoryAddArguments;
use crate::error::CommandResult;
use tenter_console::listing::visible;
use tenter_console::person;
use tenter_console::printer::{Printer, Tone};

pub(crate) fn run(opened: &Opened, arguments: &MemoryAddArguments, printer: &Printer) -> CommandResult {
    let memory = NewMemory {
        content: arguments.text.join(" "),
        category: arguments.category,
        importance: arguments.importance,
        tags: arguments.tags.clone(),
        project: (!arguments.global).then(|| opened.project.clone()),
    };
    let before = opened.memory.same_memory(&memory).ok().flatten();
    let stored = match &arguments.instead_of {
        Some(old) => {
            if arguments.global {
                person::require()?;
            }
            opened.memory.correct(old.trim(), &memory)?
        }
        None if arguments.global && !person::is_here() => opened.memory.propose_memory(&memory)?,
        None => opened.memory.store_memory(&memory)?,
    };
    if arguments.json {
        return Ok(printer.json(&stored)?);
    }
    if stored.is_pending() {
        let done = printer.tone(Tone::Good, "waits for a yes:");
        printer.line(format!("{done} {} would apply to all projects", stored.id));
        printer.line(format!(
            "the user runs `tenter memory accept {}`; until then agents do not get it",
            stored.id
        ));
        return Ok(0);
    }
    let place =
        if arguments.global { "every project".to_owned() } else { opened.memory.name_of(&opened.project) };
    let before = before.filter(|before| before.id == stored.id);
    let done = match &before {
        None => "remembered:",
        Some(before) if *before == stored => "remembered already:",
        Some(_) => "changed:",
    };
    printer.line(format!("{} {} in {}", printer.tone(Tone::Good, done), stored.id, visible(&place)));
    for change in before.iter().flat_map(|before| changes(before, &stored)) {
        printer.line(visible(&change));
    }
    if stored.content != arguments.text.join(" ").trim() {
        printer.line(format!("without what looks secret or private: {}", visible(&stored.content)));
    }
    if let Some(old) = &arguments.instead_of {
        printer.line(format!("{old} is no longer found; `tenter memory forget {old}` removes it for good"));
    }
    let when = if stored.is_shown_at_start() {
        "agents get it at the start of each session"
    } else {
        "agents get it when a prompt is about it; to give it to them at the start of each session, add it again with \
         `--category preference` or `--importance 0.8`"
    };
    printer.line(printer.tone(Tone::Quiet, when));
    Ok(0)
}

/// Describes the difference to an earlier memory with the same text.
fn changes(before: &MemoryItem, now: &MemoryItem) -> Vec<String> {
    let mut changes = Vec::new();
    if before.category != now.category {
        changes.push(format!("category: {}, was {}", now.category.as_str(), before.category.as_str()));
    }
    if before.importance.to_bits() != now.importance.to_bits() {
        changes.push(format!("importance: {}, was {}", now.importance, before.importance));
    }
    if before.tags != now.tags {
        changes.push(format!("tags: {}", now.tags.join(", ")));
    }
    changes
}
