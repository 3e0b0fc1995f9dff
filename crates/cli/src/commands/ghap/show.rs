//! `tenter ghap show [ID]`: the entries that are being worked on, or one of any kind.

use serde_json::json;

use super::super::memory::{Opened, shown};
use super::super::{Ended, json_line};
use crate::arguments::GhapShowArguments;
use crate::printer::Printer;

/// Shows.
pub(super) fn run(opened: &Opened, arguments: &GhapShowArguments, printer: &Printer) -> Ended {
    if let Some(id) = &arguments.id {
        let found = opened.memory.entry(id.trim())?;
        if arguments.scoped.json {
            printer.line(json_line(&found));
        } else {
            shown::entry(&found.entry, printer);
        }
        return Ok(0);
    }
    let active = opened.memory.active_entries(&opened.scope(arguments.scoped.all_projects))?;
    if arguments.scoped.json {
        let active: Vec<_> = active
            .iter()
            .map(|(entry, seen)| json!({"entry": entry, "last_seen": seen.to_string()}))
            .collect();
        printer.line(json_line(&json!({"active": active})));
        return Ok(0);
    }
    if active.is_empty() {
        printer.line(format!(
            "nobody works on an entry in {}; `tenter ghap list` has those that are done with",
            opened.project
        ));
    }
    for (number, (entry, seen)) in active.iter().enumerate() {
        if number > 0 {
            printer.gap();
        }
        shown::entry(entry, printer);
        printer.line(format!("  last heard of {}", shown::minute(*seen)));
    }
    Ok(0)
}
