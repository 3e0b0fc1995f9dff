//! `tenter memory search QUERY…`: experiences and memories, best first.

use serde_json::{Value, json};
use tenter_memory::{ExperienceHit, ExperienceQuery, Fit, MemoryHit, MemoryQuery, Scope};

use crate::Opened;
use crate::arguments::MemorySearchArguments;
use crate::error::{CommandError, CommandResult};
use crate::render::cut;
use tenter_console::error::CliError;
use tenter_console::listing::{columns, visible};
use tenter_console::printer::{Printer, Tone};

pub(crate) fn run(opened: &Opened, arguments: &MemorySearchArguments, printer: &Printer) -> CommandResult {
    let text = arguments.query.join(" ");
    let scope = opened.scope(arguments.scoped.all_projects);
    let found = search(opened, arguments, &text, &scope)?;
    if arguments.scoped.json {
        return Ok(printer.json(&as_json(&found))?);
    }
    let place =
        if arguments.scoped.all_projects { "any project".to_owned() } else { opened.project.to_string() };
    let place = visible(&place);
    if found.iter().all(Hit::is_noise) {
        let further = elsewhere(opened, arguments, &text)?;
        let further = further.unwrap_or_else(|| search_hint(arguments).to_owned());
        printer.line(format!("nothing in {place} matches this{further}"));
        printer.line(printer.tone(
            Tone::Quiet,
            "other words may; `tenter memory list` and `tenter ghap list` show what there is",
        ));
        return Ok(0);
    }
    let clear = found.iter().filter(|hit| hit.is_clear()).count();
    if clear == 0 {
        let further = elsewhere(opened, arguments, &text)?.unwrap_or_default();
        printer.line(format!("nothing in {place} is clearly about this{further}"));
        printer.line(printer.tone(Tone::Quiet, "nearest:"));
    }
    let rows: Vec<Vec<String>> = found.iter().map(Hit::row).collect();
    for (at, line) in columns(&rows).into_iter().enumerate() {
        if at == clear && clear > 0 {
            printer.line(printer.tone(Tone::Quiet, "less clearly about this:"));
        }
        printer.line(line);
    }
    printer.line(printer.tone(Tone::Quiet, "`tenter memory show ID` shows all of one"));
    Ok(0)
}

enum Hit {
    Experience(Box<ExperienceHit>),
    Memory(MemoryHit),
}

impl Hit {
    fn fit(&self) -> Fit {
        match self {
            Self::Experience(hit) => hit.fit,
            Self::Memory(hit) => hit.fit,
        }
    }

    /// Whether it clearly matches: recall would include it, or it contains all words of the query.
    fn is_clear(&self) -> bool {
        self.fit().is_relevant() || self.fit().has_all_words
    }

    /// Whether it shares no word with the query and is far away in meaning.
    fn is_noise(&self) -> bool {
        let fit = self.fit();
        fit.bm25.is_none() && fit.relevance < fit.floor / 4.0
    }

    fn row(&self) -> Vec<String> {
        match self {
            Self::Experience(hit) => {
                let entry = &hit.entry;
                let lesson = entry.lesson.as_ref();
                let lesson = lesson.map(|lesson| lesson.takeaway.as_ref().unwrap_or(&lesson.what_worked));
                let outcome = entry.status().map_or(String::new(), |status| status.to_string());
                let said =
                    lesson.map_or_else(|| entry.goal.clone(), |lesson| format!("{} → {lesson}", entry.goal));
                vec![entry.id.clone(), outcome, cut(&said)]
            }
            Self::Memory(hit) => {
                let memory = &hit.memory;
                vec![memory.id.clone(), memory.category.to_string(), cut(&memory.content)]
            }
        }
    }
}

fn as_json(found: &[Hit]) -> Value {
    let (mut experiences, mut memories, mut order) = (Vec::new(), Vec::new(), Vec::new());
    for hit in found {
        let relevant = hit.is_clear();
        let (id, into, mut shown) = match hit {
            Hit::Experience(hit) => (&hit.entry.id, &mut experiences, json!(hit)),
            Hit::Memory(hit) => (&hit.memory.id, &mut memories, json!(hit)),
        };
        shown["relevant"] = json!(relevant);
        into.push(shown);
        order.push(json!({"id": id, "relevant": relevant}));
    }
    json!({"found": order, "experiences": experiences, "memories": memories})
}

/// Finds both kinds, best first: clear matches, then possible ones.
fn search(
    opened: &Opened,
    arguments: &MemorySearchArguments,
    text: &str,
    scope: &Scope,
) -> Result<Vec<Hit>, CommandError> {
    let limit = usize::from(arguments.limit);
    let experiences = opened.memory.search_experiences(&ExperienceQuery {
        axis: arguments.axis,
        domain: arguments.domain,
        outcome: arguments.outcome,
        limit,
        mode: arguments.mode,
        ..ExperienceQuery::new(text, scope.clone())
    })?;
    // Memories have neither domain nor outcome, so anyone who asks for one does not want them.
    let only_experiences = arguments.domain.is_some() || arguments.outcome.is_some();
    let memories = if only_experiences {
        Vec::new()
    } else {
        let query = MemoryQuery { limit, mode: arguments.mode, ..MemoryQuery::new(text, scope.clone()) };
        opened.memory.retrieve_memories(&query)?
    };
    let experiences = experiences.into_iter().map(|hit| Hit::Experience(Box::new(hit)));
    let mut found: Vec<Hit> = experiences.chain(memories.into_iter().map(Hit::Memory)).collect();
    found.sort_by(|a, b| b.is_clear().cmp(&a.is_clear()).then(b.fit().score.total_cmp(&a.fit().score)));
    found.truncate(limit);
    Ok(found)
}

/// A notice about other projects, if they have a clear match.
fn elsewhere(
    opened: &Opened,
    arguments: &MemorySearchArguments,
    text: &str,
) -> Result<Option<String>, CliError> {
    if arguments.scoped.all_projects {
        return Ok(None);
    }
    let found = search(opened, arguments, text, &Scope::Everywhere)?;
    Ok(match found.iter().filter(|hit| hit.is_clear()).count() {
        0 => None,
        1 => Some("; 1 in another project is about it: `--all-projects` shows it".to_owned()),
        more => Some(format!("; {more} in other projects are about it: `--all-projects` shows them")),
    })
}

fn search_hint(arguments: &MemorySearchArguments) -> &'static str {
    if arguments.scoped.all_projects { "" } else { "; `--all-projects` looks further" }
}
