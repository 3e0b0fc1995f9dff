//! `tenter memory show ID`: a memory, an experience or a page of the journal, by the form of its id.

use tenter_memory::{ErrorKind, MemoryError};

use super::super::{Ended, json_line};
use super::{Opened, shown};
use crate::arguments::MemoryShowArguments;
use crate::listing::typed;
use crate::printer::Printer;

/// What has no id's form may be words; those are searched for.
fn unknown(id: &str, error: MemoryError) -> MemoryError {
    if error.kind != ErrorKind::NotFound || id.starts_with("ghap_") {
        return error;
    }
    MemoryError::not_found(format!(
        "nothing has the id `{id}`; `tenter memory search {}` finds things by what they are about, `tenter memory list` \
         and `tenter ghap list` list ids",
        typed(id)
    ))
}

/// Shows one.
pub(super) fn run(opened: &Opened, arguments: &MemoryShowArguments, printer: &Printer) -> Ended {
    let id = arguments.id.trim();
    let memory = &opened.memory;
    if id.starts_with("journal_") {
        let page = memory.journal_entry(id, true)?;
        if arguments.json { printer.line(json_line(&page)) } else { shown::page(&page, printer) }
    } else if id.starts_with("mem_") {
        let item = memory.memory(id)?;
        if arguments.json { printer.line(json_line(&item)) } else { shown::memory(&item, printer) }
    } else {
        let found = memory.entry(id).map_err(|error| unknown(id, error))?;
        if arguments.json {
            printer.line(json_line(&found));
        } else {
            shown::entry(&found.entry, printer);
            if let Some(other) = &found.superseded_by {
                printer.line(format!("its place was taken by {other}"));
            }
        }
    }
    Ok(0)
}
