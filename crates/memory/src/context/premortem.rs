//! The premortem: what went wrong before in a kind of work.

use tenter_ghap::{Domain, Entry, Status, Strategy, Who};

use super::gather::places;
use super::items::{Item, ended, lesson};
use super::rich::pointers;
use super::share::{Section, compose};
use super::text::on_one_line;
use super::{Assembled, ContextSource, Delivered, Form, Occasion};
use crate::error::MemoryError;
use crate::facade::Memory;
use crate::types::{EntryFilter, ExperienceQuery, Scope};
use crate::words::Axis;

/// The request for a premortem.
#[derive(Clone, Debug)]
pub struct PremortemRequest {
    /// The kind of work.
    pub domain: Domain,
    /// The planned strategy, if known.
    pub strategy: Option<Strategy>,
    /// The topic, if known; then the nearest entries come first.
    pub about: String,
    /// Maximum items of each kind.
    pub limit: usize,
    /// Maximum tokens of the whole text.
    pub max_tokens: usize,
    /// The projects.
    pub scope: Scope,
    /// Ids that the context has already.
    pub known: Delivered,
    /// Whether it was requested.
    pub occasion: Occasion,
    /// The agent that gets the text and knows its own entries.
    pub delivered: Option<Who>,
}

impl PremortemRequest {
    /// Five of each kind, within 800 tokens.
    pub fn new(domain: Domain, scope: Scope) -> Self {
        let (strategy, about, known, occasion) = (None, String::new(), Delivered::new(), Occasion::Asked);
        Self { domain, strategy, about, limit: 5, max_tokens: 800, scope, known, occasion, delivered: None }
    }
}

/// The number of entries that show the performance of a strategy.
const JUDGED: usize = 200;
/// How many of the latest failures are shown if none is about this failure.
const LATEST: usize = 2;

impl Memory {
    /// What went wrong before in this kind of work; empty if nothing did.
    pub fn premortem(&self, request: &PremortemRequest) -> Result<Assembled, MemoryError> {
        let (delivered, failures) = self.failures(request, Axis::Full)?;
        // A request gets every similar surprise; otherwise only similar failures are shown.
        let asked = request.occasion == Occasion::Asked && !request.about.is_empty();
        let along = |axis| if asked { Ok(self.failures(request, axis)?.1) } else { Ok(failures.clone()) };
        let (surprises, causes) = (along(Axis::Surprise)?, along(Axis::RootCause)?);
        let section = |heading, items| Section { most: request.limit, ..Section::new(heading, "\n", items) };
        let mut sections = vec![
            section("### Common Failures", failures.iter().map(failure).collect()),
            section("### Unexpected Outcomes", surprises.iter().filter_map(surprise).collect()),
            section("### Root Causes", causes.iter().filter_map(cause).collect()),
            section("### What Helped", failures.iter().filter_map(helped).collect()),
            pointers(delivered.iter().map(Item::pointer).collect(), request.limit),
        ];
        if let Some(strategy) = request.strategy {
            sections.insert(1, section("### Strategy Performance", self.performance(strategy, request)?));
        }
        let title = format!("## Premortem: What went wrong before in {}", request.domain);
        Ok(compose(&title, super::rich::FOOTER, sections, request.max_tokens))
    }

    fn failures(
        &self,
        request: &PremortemRequest,
        axis: Axis,
    ) -> Result<(Vec<Entry>, Vec<Entry>), MemoryError> {
        let unasked = request.occasion == Occasion::Unasked;
        let query = ExperienceQuery {
            axis,
            domain: Some(request.domain),
            outcome: Some(Status::Falsified),
            limit: places(request.limit, &request.known),
            unasked,
            ..ExperienceQuery::new(request.about.as_str(), request.scope.clone())
        };
        let mut found = self.search_experiences(&query)?;
        let mut limit = request.limit;
        if found.is_empty() && unasked && !request.about.is_empty() {
            limit = limit.min(LATEST);
            found = self.search_experiences(&ExperienceQuery { text: String::new(), ..query })?;
            // Nothing suggests that an entry that was shown before matters now.
            found.retain(|hit| request.known.get(&hit.entry.id) != Some(&Form::Short));
        }
        let found = found.into_iter().map(|hit| hit.entry);
        let is_own = |entry: &Entry| {
            let own = |delivered: &Who| {
                delivered.session.as_str() == entry.session_id && delivered.agent_id == entry.agent_id
            };
            request.delivered.as_ref().is_some_and(own)
        };
        let found = found.filter(|entry| !is_own(entry));
        let new = found.filter(|entry| request.known.get(&entry.id) != Some(&Form::Whole));
        let (delivered, mut new): (Vec<_>, Vec<_>) =
            new.partition(|entry| request.known.get(&entry.id) == Some(&Form::Short));
        new.truncate(limit);
        Ok((delivered, new))
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
            form: Form::Named,
        }])
    }
}

fn failure(entry: &Entry) -> Item {
    let [goal, hypothesis] = [&entry.goal, &entry.hypothesis].map(|text| on_one_line(text));
    let doubt = entry.contradicted().and_then(|_| ended(entry)).map(|how| format!(" ({how})"));
    Item::line(entry, &format!("{goal}: it was not \"{hypothesis}\"{}", doubt.unwrap_or_default()))
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
