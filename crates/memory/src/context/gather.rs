//! Finds the candidates for a context in the store.

use super::items::{Item, resolved_at};
use super::light::{LightContext, light};
use super::rich::rich;
use super::{Assembled, ContextRequest, ContextSource, Delivered, Form, Occasion};
use crate::error::MemoryError;
use crate::facade::Memory;
use crate::types::{
    EntryFilter, ExperienceHit, ExperienceQuery, Fit, JournalFilter, MemoryFilter, MemoryQuery,
};

/// The longest query, in characters; the rest is a pasted file or log.
const LONGEST_QUESTION: usize = 4_000;

enum Candidate {
    New(Item),
    /// A pointer to an item that the context has as a line.
    Pointer(Item),
}

/// How many hits to request, because known ones take places too.
pub(super) fn places(limit: usize, known: &Delivered) -> usize {
    limit + known.len().min(limit * 4)
}

fn unavailable(request: &ContextRequest, missing: &[ContextSource]) -> Vec<ContextSource> {
    let named = request.sources.len() < ContextSource::ALL.len();
    missing.iter().copied().filter(|source| named && request.sources.contains(source)).collect()
}

impl Memory {
    /// What is worth knowing for a query, within a budget; without a query the best lessons and the latest work.
    pub fn assemble_context(&self, request: &ContextRequest) -> Result<Assembled, MemoryError> {
        let query: String = request.query.trim().chars().take(LONGEST_QUESTION).collect();
        if query.is_empty() {
            // Without a query the best lessons represent values.
            let missing = unavailable(request, &[ContextSource::Code, ContextSource::Commits]);
            let found = light(self.light_context(request)?, request.limit, request.max_tokens);
            return Ok(Assembled { unavailable: missing, ..found });
        }
        let mut found: Vec<(Fit, Candidate)> = Vec::new();
        for source in ContextSource::ALL.iter().filter(|source| request.sources.contains(source)) {
            match source {
                ContextSource::Experiences => found.extend(self.experiences(&query, request)?),
                ContextSource::Memories => found.extend(self.memories(&query, request)?),
                // Not stored yet.
                ContextSource::Values | ContextSource::Code | ContextSource::Commits => {}
            }
        }
        found.sort_by(|(a, _), (b, _)| b.score.total_cmp(&a.score));
        let (mut new, mut pointers) = (Vec::new(), Vec::new());
        for (_, candidate) in found {
            match candidate {
                Candidate::New(item) => new.push(item),
                Candidate::Pointer(item) => pointers.push(item),
            }
        }
        let missing = [ContextSource::Values, ContextSource::Code, ContextSource::Commits];
        let found = rich(new, pointers, request.limit, request.max_tokens);
        Ok(Assembled { unavailable: unavailable(request, &missing), ..found })
    }

    fn experiences(
        &self,
        query: &str,
        request: &ContextRequest,
    ) -> Result<Vec<(Fit, Candidate)>, MemoryError> {
        let limit = places(request.limit, &request.known);
        let unasked = request.occasion == Occasion::Unasked;
        let query = ExperienceQuery { limit, unasked, ..ExperienceQuery::new(query, request.scope.clone()) };
        let now = self.now();
        let hits = self.search_experiences(&query)?;
        let delivered = |hit: &ExperienceHit| match request.known.get(&hit.entry.id) {
            Some(Form::Whole) => None,
            Some(Form::Short) => Some(Candidate::Pointer(Item::pointer(&hit.entry))),
            Some(Form::Named) | None => Item::experience(&hit.entry, now).map(Candidate::New),
        };
        Ok(hits.iter().filter_map(|hit| Some((hit.fit, delivered(hit)?))).collect())
    }

    fn memories(&self, query: &str, request: &ContextRequest) -> Result<Vec<(Fit, Candidate)>, MemoryError> {
        let limit = places(request.limit, &request.known);
        let unasked = request.occasion == Occasion::Unasked;
        let query = MemoryQuery { limit, unasked, ..MemoryQuery::new(query, request.scope.clone()) };
        let hits = self.retrieve_memories(&query)?;
        let new = hits.iter().filter(|hit| !request.known.contains_key(&hit.memory.id));
        Ok(new.map(|hit| (hit.fit, Candidate::New(Item::memory(&hit.memory)))).collect())
    }

    fn light_context(&self, request: &ContextRequest) -> Result<LightContext, MemoryError> {
        let mut light_context = LightContext::default();
        let new = |item: &Item| !request.known.contains_key(&item.id);
        if request.sources.iter().any(|it| matches!(it, ContextSource::Experiences | ContextSource::Values)) {
            let best = ExperienceQuery {
                limit: request.limit * 2,
                ..ExperienceQuery::new("", request.scope.clone())
            };
            let best = self.search_experiences(&best)?;
            light_context.lessons.extend(best.iter().filter_map(|hit| Item::lesson(&hit.entry)).filter(new));
        }
        if request.sources.contains(&ContextSource::Experiences) {
            light_context.work = self.latest_work(request)?;
            light_context.work.retain(new);
        }
        if request.sources.contains(&ContextSource::Memories) {
            let all = MemoryFilter::new(request.scope.clone());
            let (mut all, _) =
                self.list_memories(&MemoryFilter { shown_at_start: true, limit: usize::MAX, ..all })?;
            all.sort_by(|a, b| b.importance.total_cmp(&a.importance));
            light_context.remembered.extend(all.iter().map(Item::memory).filter(new));
        }
        Ok(light_context)
    }

    /// Entries that ended and pages of the journal, latest first.
    fn latest_work(&self, request: &ContextRequest) -> Result<Vec<Item>, MemoryError> {
        // Half of it may already be among the lessons.
        let (now, scope, limit) = (self.now(), &request.scope, request.limit * 2);
        let entries = self.list_entries(&EntryFilter { limit, ..EntryFilter::new(scope.clone()) })?;
        let pages =
            self.list_journal_entries(&JournalFilter { limit, ..JournalFilter::new(scope.clone()) })?;
        let entries = entries.iter().map(|entry| (resolved_at(entry), Item::work(entry, now)));
        let pages = pages.iter().map(|page| (page.created_at, Item::page(page, now)));
        let mut work: Vec<_> = entries.chain(pages).collect();
        work.sort_by(|(a, _), (b, _)| b.cmp(a));
        Ok(work.into_iter().map(|(_, item)| item).collect())
    }
}
