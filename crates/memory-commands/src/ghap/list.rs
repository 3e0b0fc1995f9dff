//! `tenter ghap list`: resolved entries, latest first.

use serde_json::json;
use tenter_memory::EntryFilter;

use crate::arguments::{GhapListArguments, WhoArguments};
use crate::error::CommandResult;
use crate::ghap::who;
use crate::{Opened, render};
use tenter_console::printer::{Printer, Tone};

pub(crate) fn run(opened: &Opened, arguments: &GhapListArguments, printer: &Printer) -> CommandResult {
    let scope = opened.scope(arguments.scoped.all_projects);
    let filter = EntryFilter {
        limit: usize::from(arguments.limit),
        domain: arguments.domain,
        outcome: arguments.outcome,
        since: arguments.since,
        ..EntryFilter::new(scope)
    };
    let entries = opened.memory.list_entries(&filter)?;
    let total = opened.memory.count_entries(&filter)?;
    let open = opened.memory.active_entries(&who(opened, &WhoArguments::default())?, &filter.scope)?;
    let left: Vec<&str> =
        open.iter().filter(|open| open.is_orphan).map(|open| open.entry.id.as_str()).collect();
    if arguments.scoped.json {
        let listed = json!({
            "entries": entries, "total": total, "unresolved": open.len(), "left_behind": left,
        });
        return Ok(printer.json(&listed)?);
    }
    if entries.is_empty() {
        let further = if arguments.scoped.all_projects { "" } else { "; `--all-projects` looks further" };
        printer.line(format!("nothing was tried in {} that fits{further}", opened.project));
    }
    let rows: Vec<Vec<String>> = entries
        .iter()
        .map(|entry| {
            let outcome = entry.status().map_or(String::new(), |status| status.to_string());
            let tier = entry.confidence_tier.map_or(String::new(), |tier| tier.to_string());
            let tier = if tier == outcome { String::new() } else { tier };
            let goal = render::cut(&entry.goal);
            vec![render::minute(entry.created_at), entry.id.clone(), outcome, tier, goal]
        })
        .collect();
    printer.table(&rows);
    render::cut_off(entries.len(), total, printer);
    if !open.is_empty() {
        let unresolved = if open.len() == 1 { "1 is".to_owned() } else { format!("{} are", open.len()) };
        let behind = if left.is_empty() { String::new() } else { format!(", {} left behind", left.len()) };
        let more = format!("{unresolved} not resolved yet{behind}; `tenter ghap show` shows what to do next");
        printer.line(printer.tone(Tone::Quiet, more));
    }
    Ok(0)
}
