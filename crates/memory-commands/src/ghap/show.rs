//! `tenter ghap show [ID]`: the active entries, or one entry.

use serde_json::json;
use tenter_memory::Unresolved;

use crate::arguments::{GhapShowArguments, WhoArguments};
use crate::error::CommandResult;
use crate::ghap::who;
use crate::{Opened, render};
use tenter_console::printer::{Printer, Tone, json_line};

pub(crate) fn run(opened: &Opened, arguments: &GhapShowArguments, printer: &Printer) -> CommandResult {
    if let Some(id) = &arguments.id {
        let found = opened.memory.entry(id.trim())?;
        if arguments.scoped.json {
            printer.line(json_line(&found));
        } else {
            render::entry(&found.entry, printer);
        }
        return Ok(0);
    }
    let all = arguments.scoped.all_projects;
    let active = opened.memory.active_entries(&who(opened, &WhoArguments::default())?, &opened.scope(all))?;
    if arguments.scoped.json {
        let active: Vec<_> = active
            .iter()
            .map(|Unresolved { entry, last_seen, is_orphan }| {
                json!({"entry": entry, "last_seen": last_seen.to_string(), "left_behind": is_orphan})
            })
            .collect();
        return Ok(printer.json(&json!({"active": active}))?);
    }
    if active.is_empty() {
        printer.line(format!(
            "there is no active entry in {}; `tenter ghap list` lists resolved entries",
            opened.project
        ));
    }
    for (number, Unresolved { entry, last_seen, is_orphan }) in active.iter().enumerate() {
        if number > 0 {
            printer.gap();
        }
        render::entry(entry, printer);
        let seen = render::minute(*last_seen);
        if *is_orphan {
            printer.line(printer.tone(Tone::Caution, format!("  left behind; last seen {seen}")));
            let id = &entry.id;
            printer.line(format!(
                "  `tenter ghap adopt {id}` goes on with it, `tenter ghap abandon WHY --orphan {id}` gives it up"
            ));
        } else {
            printer.line(format!("  last seen {seen}"));
        }
    }
    Ok(0)
}
