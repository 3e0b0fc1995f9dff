//! What went wrong before: read before one tries, or when something has failed and nothing is tracked.

use std::collections::HashSet;

use tenter_ghap::{Domain, Entry, Status, Strategy};

use super::items::{Item, lesson};
use super::share::{Around, Section, compose};
use super::text::on_one_line;
use super::{Assembled, ContextSource};
use crate::error::MemoryError;
use crate::facade::Memory;
use crate::questions::{EntryFilter, ExperienceQuery, Scope};
use crate::words::Axis;

/// What is asked about what went wrong before.
#[derive(Clone, Debug)]
pub struct PremortemRequest {
    /// In which kind of work.
    pub domain: Domain,
    /// How it will be gone about, if that is known.
    pub strategy: Option<Strategy>,
    /// What it is about, if that is known; then what is nearest comes first.
    pub about: String,
    /// At most so many of each kind.
    pub limit: usize,
    /// At most so many tokens, all of the text included.
    pub max_tokens: usize,
    /// Whose.
    pub scope: Scope,
    /// Ids of what the context has already; it is left out.
    pub known: HashSet<String>,
}

impl PremortemRequest {
    /// Five of each kind, within 800 tokens.
    pub fn new(domain: Domain, scope: Scope) -> Self {
        let (strategy, about, known) = (None, String::new(), HashSet::new());
        Self { domain, strategy, about, limit: 5, max_tokens: 800, scope, known }
    }
}

/// So many entries tell how a strategy did.
const JUDGED: usize = 200;

impl Memory {
    /// What went wrong before in this kind of work; nothing at all if nothing did.
    pub fn premortem(&self, request: &PremortemRequest) -> Result<Assembled, MemoryError> {
        let failures = self.failures(request, Axis::Full)?;
        let surprises =
            if request.about.is_empty() { failures.clone() } else { self.failures(request, Axis::Surprise)? };
        let causes = if request.about.is_empty() {
            failures.clone()
        } else {
            self.failures(request, Axis::RootCause)?
        };
        let section =
            |heading, items| Section { heading, between: "\n", weight: 1, items, most: request.limit };
        let mut sections = vec![
            section("### Common Failures", failures.iter().map(failure).collect()),
            section("### Unexpected Outcomes", surprises.iter().filter_map(surprise).collect()),
            section("### Root Causes", causes.iter().filter_map(cause).collect()),
            section("### What Helped", failures.iter().filter_map(helped).collect()),
        ];
        if let Some(strategy) = request.strategy {
            sections.insert(1, section("### Strategy Performance", self.performance(strategy, request)?));
        }
        let title = format!("## Premortem: What went wrong before in {}", request.domain);
        let around = Around { title, footer: super::rich::FOOTER };
        Ok(compose(&around, sections, request.max_tokens))
    }

    fn failures(&self, request: &PremortemRequest, axis: Axis) -> Result<Vec<Entry>, MemoryError> {
        let query = ExperienceQuery {
            axis,
            domain: Some(request.domain),
            outcome: Some(Status::Falsified),
            limit: request.limit + request.known.len().min(request.limit * 4),
            ..ExperienceQuery::new(request.about.as_str(), request.scope.clone())
        };
        let found = self.search_experiences(&query)?.into_iter().map(|hit| hit.entry);
        Ok(found.filter(|entry| !request.known.contains(&entry.id)).take(request.limit).collect())
    }

    /// How often a strategy was right in this kind of work, on one line.
    fn performance(&self, strategy: Strategy, request: &PremortemRequest) -> Result<Vec<Item>, MemoryError> {
        let filter = EntryFilter {
            limit: JUDGED,
            domain: Some(request.domain),
            ..EntryFilter::new(request.scope.clone())
        };
        let mut entries = self.list_entries(&filter)?;
        entries.retain(|entry| entry.strategy == strategy);
        let Some(latest) = entries.first() else { return Ok(Vec::new()) };
        let count = |status| entries.iter().filter(|entry| entry.status() == Some(status)).count();
        let [right, wrong] = [Status::Confirmed, Status::Falsified].map(count);
        let body = format!("- {strategy}: {right} of {} predictions came true", right + wrong);
        let citation = format!(" [latest: {}]", latest.id);
        Ok(vec![Item {
            source: ContextSource::Experiences,
            id: latest.id.clone(),
            body,
            citation,
            is_given: true,
        }])
    }
}

fn failure(entry: &Entry) -> Item {
    let [goal, hypothesis] = [&entry.goal, &entry.hypothesis].map(|text| on_one_line(text));
    Item::line(entry, &format!("{goal}: it was not \"{hypothesis}\""))
}

fn surprise(entry: &Entry) -> Option<Item> {
    Some(Item::line(entry, entry.surprise.as_deref()?))
}

fn cause(entry: &Entry) -> Option<Item> {
    let cause = entry.root_cause.as_ref()?;
    Some(Item::line(entry, &format!("{}: {}", cause.category, cause.description)))
}

fn helped(entry: &Entry) -> Option<Item> {
    entry.lesson.as_ref()?;
    Some(Item::line(entry, &lesson(entry)?))
}
