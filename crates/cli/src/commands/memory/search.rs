//! `tenter memory search QUERY…`: experiences and memories, best first.

use serde_json::json;
use tenter_memory::{ExperienceQuery, MemoryQuery};

use super::super::{Ended, json_line};
use super::Opened;
use super::shown::cut;
use crate::arguments::MemorySearchArguments;
use crate::listing::columns;
use crate::printer::{Printer, Tone};

/// Searches, and says what to type to see more.
pub(super) fn run(opened: &Opened, arguments: &MemorySearchArguments, printer: &Printer) -> Ended {
    let text = arguments.query.join(" ");
    let scope = opened.scope(arguments.scoped.all_projects);
    let limit = usize::from(arguments.limit);
    let experiences = opened.memory.search_experiences(&ExperienceQuery {
        axis: arguments.axis,
        domain: arguments.domain,
        outcome: arguments.outcome,
        limit,
        mode: arguments.mode,
        ..ExperienceQuery::new(text.as_str(), scope.clone())
    })?;
    // Memories have neither domain nor outcome, so whoever asks for one does not want them.
    let only_experiences = arguments.domain.is_some() || arguments.outcome.is_some();
    let memories = if only_experiences {
        Vec::new()
    } else {
        let query = MemoryQuery { limit, mode: arguments.mode, ..MemoryQuery::new(text.as_str(), scope) };
        opened.memory.retrieve_memories(&query)?
    };
    if arguments.scoped.json {
        printer.line(json_line(&json!({"experiences": experiences, "memories": memories})));
        return Ok(0);
    }
    if experiences.is_empty() && memories.is_empty() {
        let further = if arguments.scoped.all_projects { "" } else { "; `--all-projects` looks further" };
        printer.line(format!("nothing in {} is about that{further}", opened.project));
        return Ok(0);
    }
    let mut rows = Vec::new();
    for hit in &experiences {
        let entry = &hit.entry;
        let lesson = entry.lesson.as_ref();
        let lesson = lesson.map(|lesson| lesson.takeaway.as_ref().unwrap_or(&lesson.what_worked));
        let outcome = entry.status().map_or(String::new(), |status| status.to_string());
        let said = lesson.map_or_else(|| entry.goal.clone(), |lesson| format!("{} → {lesson}", entry.goal));
        rows.push(vec![score(hit.fit.score), entry.id.clone(), outcome, cut(&said)]);
    }
    for hit in &memories {
        let memory = &hit.memory;
        let category = memory.category.to_string();
        rows.push(vec![score(hit.fit.score), memory.id.clone(), category, cut(&memory.content)]);
    }
    for line in columns(&rows) {
        printer.line(line);
    }
    printer.line(printer.tone(Tone::Quiet, "`tenter memory show ID` shows all of one"));
    Ok(0)
}

fn score(score: f32) -> String {
    format!("{score:.2}")
}
