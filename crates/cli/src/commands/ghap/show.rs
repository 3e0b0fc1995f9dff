//! `tenter ghap show [ID]`: the entries that are being worked on, or one of any kind.

use serde_json::json;
use tenter_memory::Unresolved;

use super::super::memory::{Opened, shown};
use super::super::{Ended, json_line};
use super::who;
use crate::arguments::{GhapShowArguments, WhoArguments};
use crate::printer::{Printer, Tone};

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
    let all = arguments.scoped.all_projects;
    let active = opened.memory.active_entries(&who(opened, &WhoArguments::default())?, &opened.scope(all))?;
    if arguments.scoped.json {
        let active: Vec<_> = active
            .iter()
            .map(|Unresolved { entry, last_seen, left_behind }| {
                json!({"entry": entry, "last_seen": last_seen.to_string(), "left_behind": left_behind})
            })
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
    for (number, Unresolved { entry, last_seen, left_behind }) in active.iter().enumerate() {
        if number > 0 {
            printer.gap();
        }
        shown::entry(entry, printer);
        let heard = shown::minute(*last_seen);
        if *left_behind {
            printer.line(printer.tone(Tone::Caution, format!("  left behind; last heard of {heard}")));
            let id = &entry.id;
            printer.line(format!(
                "  `tenter ghap adopt {id}` goes on with it, `tenter ghap abandon WHY --orphan {id}` gives it up"
            ));
        } else {
            printer.line(format!("  last heard of {heard}"));
        }
    }
    Ok(0)
}
