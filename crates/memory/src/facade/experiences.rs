//! Experiences: resolved entries, found by what they are about.

use super::Memory;
use crate::error::MemoryError;
use crate::search::{Search, SearchHit};
use crate::store::vector_index::{Wanted, name_hash, word_number};
use crate::store::{Collection, Store, Whose, quarantine};
use crate::types::{ExperienceHit, ExperienceQuery, Relevance, Stats};

impl Memory {
    /// The experiences that fit best. An empty text: the best lessons and the latest work.
    pub fn search_experiences(&self, query: &ExperienceQuery) -> Result<Vec<ExperienceHit>, MemoryError> {
        let now = self.now();
        self.read(|store| {
            let found = if query.text.trim().is_empty() {
                let numbers =
                    store.best_and_latest(&query.scope, query.domain, query.outcome, query.limit)?;
                numbers.into_iter().map(|number| SearchHit { number, fit: Relevance::default() }).collect()
            } else {
                store.find(&Search {
                    collection: Collection::Experiences(query.axis),
                    text: &query.text,
                    mode: query.mode,
                    wanted: Wanted {
                        projects: project_hashes(&store.whose(&query.scope)),
                        kind: query.domain.map(|domain| word_number(domain.as_str())),
                        status: query.outcome.map(|outcome| word_number(outcome.as_str())),
                        least_weight: 0,
                    },
                    limit: query.limit,
                    unasked: query.unasked,
                    now,
                })?
            };
            let hit = |SearchHit { number, fit }| {
                let entry = store.experience_numbered(number)?.entry;
                Ok(ExperienceHit { entry, axis: query.axis, fit })
            };
            found.into_iter().map(hit).collect()
        })
    }

    /// Puts one experience or memory in the place of another, which is no longer found.
    pub fn supersede(&self, old_id: &str, new_id: &str) -> Result<(), MemoryError> {
        self.with_store(|store| store.supersede(old_id, new_id))
    }

    /// Removes an experience, a memory or a page of the journal for good: from the rows, the words and the vectors.
    pub fn forget(&self, id: &str) -> Result<(), MemoryError> {
        let now = self.now();
        self.with_store(|store| store.forget(id, now))?;
        self.warn_about_remaining_copies();
        Ok(())
    }

    pub(super) fn warn_about_remaining_copies(&self) {
        for path in quarantine::all_quarantined(&Store::path_in(&self.state)) {
            self.notify(format!(
                "it is forgotten, but the damaged file `{}` may still contain it; remove that file if nothing is missing",
                path.display()
            ));
        }
    }

    /// Embeds everything again that another model has embedded, and says how many texts; none if there is nothing to
    /// do. `progress` receives how many of how many are done.
    pub fn reindex(&self, progress: &mut dyn FnMut(usize, usize)) -> Result<usize, MemoryError> {
        self.with_store(|store| store.reindex(progress))
    }

    /// What is in the store.
    pub fn stats(&self) -> Result<Stats, MemoryError> {
        let active = self.active.all()?.len();
        self.with_store(|store| {
            Ok(Stats {
                experiences: store.ended(None)?,
                tiers: store.tiers()?,
                memories: store.memory_count()?,
                journal: store.page_count()?,
                active,
                waiting: self.active.waiting().read()?.count(),
                projects: store.projects()?,
                bytes: store.bytes(),
                model: store.embedder().model_id().to_owned(),
            })
        })
    }
}

pub(super) fn project_hashes(whose: &Whose) -> Option<Vec<u64>> {
    match whose {
        Whose::Of(names) => Some(names.iter().map(|name| name_hash(name)).collect()),
        Whose::All => None,
    }
}
