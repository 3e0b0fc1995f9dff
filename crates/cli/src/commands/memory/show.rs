//! `tenter memory show ID`: a memory, an experience or a page of the journal, by the form of its id.

use super::super::{Ended, json_line};
use super::{Opened, shown};
use crate::arguments::MemoryShowArguments;
use crate::printer::Printer;

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
        let found = memory.entry(id)?;
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
