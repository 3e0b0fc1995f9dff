//! `tenter memory search QUERY…`: experiences and memories, best first.

use serde_json::json;
use tenter_memory::{ExperienceHit, ExperienceQuery, Fit, MemoryHit, MemoryQuery, Scope};

use super::super::{Ended, json_line};
use super::Opened;
use super::shown::cut;
use crate::arguments::MemorySearchArguments;
use crate::error::CliError;
use crate::listing::{columns, visible};
use crate::printer::{Printer, Tone};

/// Searches, and says what to type to see more.
pub(super) fn run(opened: &Opened, arguments: &MemorySearchArguments, printer: &Printer) -> Ended {
    let text = arguments.query.join(" ");
    let scope = opened.scope(arguments.scoped.all_projects);
    let (experiences, memories) = search(opened, arguments, &text, &scope)?;
    if arguments.scoped.json {
        printer.line(json_line(&json!({"experiences": experiences, "memories": memories})));
        return Ok(0);
    }
    if experiences.is_empty() && memories.is_empty() {
        let further = match elsewhere(opened, arguments, &text)? {
            (0, 0) => String::new(),
            (0, _) => "; `--all-projects` looks further".to_owned(),
            (1, _) => "; 1 in another project is: `--all-projects` shows it".to_owned(),
            (more, _) => format!("; {more} in other projects are: `--all-projects` shows them"),
        };
        let place =
            if arguments.scoped.all_projects { "any project".to_owned() } else { opened.project.to_string() };
        printer.line(format!("nothing in {} is about that{further}", visible(&place)));
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

fn search(
    opened: &Opened,
    arguments: &MemorySearchArguments,
    text: &str,
    scope: &Scope,
) -> Result<(Vec<ExperienceHit>, Vec<MemoryHit>), CliError> {
    let limit = usize::from(arguments.limit);
    let experiences = opened.memory.search_experiences(&ExperienceQuery {
        axis: arguments.axis,
        domain: arguments.domain,
        outcome: arguments.outcome,
        limit,
        mode: arguments.mode,
        ..ExperienceQuery::new(text, scope.clone())
    })?;
    // Memories have neither domain nor outcome, so whoever asks for one does not want them.
    let only_experiences = arguments.domain.is_some() || arguments.outcome.is_some();
    let memories = if only_experiences {
        Vec::new()
    } else {
        let query = MemoryQuery { limit, mode: arguments.mode, ..MemoryQuery::new(text, scope.clone()) };
        opened.memory.retrieve_memories(&query)?
    };
    Ok((experiences, memories))
}

/// How many there are in all projects that are clearly about it, and how many that may be.
fn elsewhere(
    opened: &Opened,
    arguments: &MemorySearchArguments,
    text: &str,
) -> Result<(usize, usize), CliError> {
    if arguments.scoped.all_projects {
        return Ok((0, 0));
    }
    let (experiences, memories) = search(opened, arguments, text, &Scope::Everywhere)?;
    let fits = experiences.iter().map(|hit| hit.fit).chain(memories.iter().map(|hit| hit.fit));
    Ok((fits.filter(Fit::is_relevant).count(), experiences.len() + memories.len()))
}

fn score(score: f32) -> String {
    format!("{score:.2}")
}
