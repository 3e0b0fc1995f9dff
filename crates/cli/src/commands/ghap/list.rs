//! `tenter ghap list`: what was tried and how it came out, latest first.

use serde_json::json;
use tenter_memory::EntryFilter;

use super::super::memory::{Opened, shown};
use super::super::{Ended, json_line};
use crate::arguments::GhapListArguments;
use crate::listing::columns;
use crate::printer::Printer;

/// Lists.
pub(super) fn run(opened: &Opened, arguments: &GhapListArguments, printer: &Printer) -> Ended {
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
    if arguments.scoped.json {
        printer.line(json_line(&json!({"entries": entries, "total": total})));
        return Ok(0);
    }
    if entries.is_empty() {
        let further = if arguments.scoped.all_projects { "" } else { "; `--all-projects` looks further" };
        printer.line(format!("nothing was tried in {} that fits{further}", opened.project));
        return Ok(0);
    }
    let rows: Vec<Vec<String>> = entries
        .iter()
        .map(|entry| {
            let outcome = entry.status().map_or(String::new(), |status| status.to_string());
            let tier = entry.confidence_tier.map_or(String::new(), |tier| tier.to_string());
            let tier = if tier == outcome { String::new() } else { tier };
            let goal = shown::cut(&entry.goal);
            vec![shown::minute(entry.created_at), entry.id.clone(), outcome, tier, goal]
        })
        .collect();
    for line in columns(&rows) {
        printer.line(line);
    }
    shown::cut_off(entries.len(), total, printer);
    Ok(0)
}
