//! `tenter memory show ID`: a memory, an experience or a journal entry, by the form of its id.

use tenter_memory::{ErrorKind, MemoryError};

use crate::arguments::MemoryShowArguments;
use crate::error::CommandResult;
use crate::{Opened, render};
use tenter_console::listing::typed;
use tenter_console::printer::{Printer, json_line};

/// The error for an unknown id. Text that does not look like an id may be a query.
fn unknown(id: &str, error: MemoryError) -> MemoryError {
    if error.kind != ErrorKind::NotFound || id.starts_with("ghap_") {
        return error;
    }
    MemoryError::not_found(format!("nothing has the id `{id}`")).with_hint(format!(
        "`tenter memory search {}` finds things by what they are about, `tenter memory list` and `tenter ghap list` list ids",
        typed(id)
    ))
}

pub(crate) fn run(opened: &Opened, arguments: &MemoryShowArguments, printer: &Printer) -> CommandResult {
    let id = arguments.id.trim();
    let memory = &opened.memory;
    if id.starts_with("journal_") {
        let page = memory.journal_entry(id, true)?;
        if arguments.json { printer.line(json_line(&page)) } else { render::page(&page, printer) }
    } else if id.starts_with("mem_") {
        let item = memory.memory(id)?;
        if arguments.json { printer.line(json_line(&item)) } else { render::memory(&item, printer) }
    } else {
        let found = memory.entry(id).map_err(|error| unknown(id, error))?;
        if arguments.json {
            printer.line(json_line(&found));
        } else {
            render::entry(&found.entry, printer);
            if let Some(other) = &found.superseded_by {
                printer.line(format!("its place was taken by {other}"));
            }
        }
    }
    Ok(0)
}
