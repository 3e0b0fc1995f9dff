//! Prints entries, memories and journal entries.

use tenter_contract::Timestamp;
use tenter_ghap::{Entry, Status};
use tenter_memory::{JournalEntry, MemoryItem, Resolved, StoreStatus};

use tenter_console::listing::{below, on_one_line, visible};
use tenter_console::printer;
use tenter_console::printer::{Printer, Tone};

/// Characters of a text in a list.
const IN_A_LINE: usize = 80;

/// Says that a list was cut, and how to see the rest.
pub(crate) fn cut_off(shown: usize, total: usize, printer: &Printer) {
    if shown < total {
        let limit = total.min(usize::from(u16::MAX));
        let more = format!("{shown} of {total}; `--limit {limit}` shows more");
        printer.line(printer.tone(Tone::Quiet, more));
    }
}

/// Prints a labelled text; later lines are indented.
fn field(printer: &Printer, label: &str, text: &str) {
    let margin = " ".repeat(14);
    let label = printer.tone(Tone::Quiet, format!("{label:<12}"));
    printer.line(format!("  {label}{}", below(&margin, &visible(text))));
}

/// Prints an entry.
pub fn entry(entry: &Entry, printer: &Printer) {
    let tier = entry.confidence_tier.map(|tier| format!(" · {tier}")).unwrap_or_default();
    let (tone, state) = match entry.status() {
        None => (Tone::Caution, "active".to_owned()),
        Some(Status::Confirmed) => (Tone::Good, format!("confirmed{tier}")),
        Some(Status::Falsified) => (Tone::Bad, format!("falsified{tier}")),
        Some(Status::Abandoned) => (Tone::Quiet, "abandoned".to_owned()),
    };
    let id = printer.tone(Tone::Heading, visible(&entry.id));
    let state = printer.tone(tone, state);
    printer.line(format!("{id}  {state} · {} · {}", entry.domain, entry.strategy));
    let say = |label: &str, text: Option<&str>| {
        if let Some(text) = text {
            field(printer, label, text);
        }
    };
    say("goal", Some(&entry.goal));
    for earlier in &entry.history {
        say("believed", Some(&earlier.hypothesis));
        say("predicted", Some(&earlier.prediction));
    }
    say("hypothesis", Some(&entry.hypothesis));
    say("action", Some(&entry.action));
    say("prediction", Some(&entry.prediction));
    entry.notes.iter().for_each(|note| say("note", Some(note)));
    for run in &entry.runs {
        let came_out = if run.passed { "passed" } else { "failed" };
        say("seen", Some(&format!("{} {came_out}: {}", run.runner, run.summary)));
    }
    say("result", entry.outcome.as_ref().map(|outcome| outcome.result.as_str()));
    say("surprise", entry.surprise.as_deref());
    let cause = entry.root_cause.as_ref().map(|cause| format!("{}: {}", cause.category, cause.description));
    say("because", cause.as_deref());
    say("worked", entry.lesson.as_ref().map(|lesson| lesson.what_worked.as_str()));
    say("takeaway", entry.lesson.as_ref().and_then(|lesson| lesson.takeaway.as_deref()));
    say("project", entry.project.as_deref());
    say("session", Some(&entry.session_id));
    say("begun", Some(&minute(entry.created_at)));
}

pub(crate) fn memory(memory: &MemoryItem, printer: &Printer) {
    let id = printer.tone(Tone::Heading, visible(&memory.id));
    printer.line(format!("{id}  {} · importance {}", memory.category, memory.importance));
    field(printer, "content", &memory.content);
    if !memory.tags.is_empty() {
        field(printer, "tags", &memory.tags.join(", "));
    }
    field(printer, "project", memory.project.as_deref().unwrap_or("every project"));
    field(printer, "stored", &minute(memory.created_at));
    if let Some(other) = &memory.superseded_by {
        field(printer, "now", other);
    }
}

pub(crate) fn page(page: &JournalEntry, printer: &Printer) {
    printer.line(printer.tone(Tone::Heading, visible(&page.id)));
    field(printer, "summary", &page.summary);
    page.friction_points.iter().for_each(|point| field(printer, "friction", point));
    page.next_steps.iter().for_each(|step| field(printer, "next", step));
    if let Some(folder) = &page.working_directory {
        field(printer, "folder", folder);
    }
    field(printer, "written", &minute(page.created_at));
    field(printer, "reflected", &page.reflected_at.map_or("not yet".to_owned(), minute));
    if let Some(log) = &page.session_log {
        field(printer, "log", log);
    }
}

/// A moment to the minute, in UTC.
pub(crate) fn minute(moment: Timestamp) -> String {
    moment.to_string().chars().take(16).collect::<String>().replace('T', " ")
}

pub(crate) fn cut(text: &str) -> String {
    let line = on_one_line(text);
    match line.char_indices().nth(IN_A_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Reports a resolved entry, and why it is not in the store yet.
pub(crate) fn kept(resolved: &Resolved, printer: &Printer) {
    let entry = &resolved.entry;
    let state = entry.status().map_or("ended", Status::as_str);
    let tier = match entry.confidence_tier {
        Some(tier) if entry.status() != Some(Status::Abandoned) => format!(" ({tier})"),
        _ => String::new(),
    };
    printer.line(printer.tone(Tone::Good, format!("{state}{tier}: {}", visible(&entry.id))));
    if let Some(remark) = entry.remark() {
        printer.line(visible(&remark));
    }
    if let StoreStatus::Waiting { why } = &resolved.store_status {
        printer::warn(&why);
    }
}
