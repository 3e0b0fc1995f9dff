//! `tenter memory list`: memories or journal entries, latest first.

use serde_json::json;
use tenter_memory::{JournalFilter, MemoryFilter};

use crate::Opened;
use crate::arguments::MemoryListArguments;
use crate::error::CommandResult;
use crate::render::{cut, cut_off, minute};
use tenter_console::printer::Printer;

pub(crate) fn run(opened: &Opened, arguments: &MemoryListArguments, printer: &Printer) -> CommandResult {
    let scope = opened.scope(arguments.scoped.all_projects);
    let limit = usize::from(arguments.limit);
    if arguments.journal {
        let filter = JournalFilter { limit, ..JournalFilter::new(scope) };
        let pages = opened.memory.list_journal_entries(&filter)?;
        let total = opened.memory.count_journal_entries(&filter)?;
        if arguments.scoped.json {
            return Ok(printer.json(&json!({"entries": pages, "total": total}))?);
        }
        if pages.is_empty() {
            printer.line("the journal has no pages here; agents write them with `store_journal_entry`");
        }
        let rows: Vec<Vec<String>> = pages
            .iter()
            .map(|page| vec![minute(page.created_at), page.id.clone(), cut(&page.summary)])
            .collect();
        printer.table(&rows);
        cut_off(pages.len(), total, printer);
        return Ok(0);
    }
    let filter = MemoryFilter {
        category: arguments.category,
        tags: arguments.tags.clone(),
        limit,
        ..MemoryFilter::new(scope)
    };
    let (memories, total) = opened.memory.list_memories(&filter)?;
    if arguments.scoped.json {
        return Ok(printer.json(&json!({"memories": memories, "total": total}))?);
    }
    if memories.is_empty() {
        printer.line("nothing is remembered here; `tenter memory add TEXT` does, and so do agents");
        return Ok(0);
    }
    let row = |memory: &tenter_memory::MemoryItem| {
        vec![minute(memory.created_at), memory.id.clone(), memory.category.to_string(), cut(&memory.content)]
    };
    let rows: Vec<Vec<String>> = memories.iter().map(row).collect();
    printer.table(&rows);
    cut_off(memories.len(), total, printer);
    Ok(0)
}
