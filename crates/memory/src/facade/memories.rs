//! Stores, searches and lists memories.

use super::Memory;
use super::experiences::project_hashes;
use super::waiting::Later;
use tenter_ghap::limits::required;

use crate::error::MemoryError;
use crate::search::{Search, SearchHit};
use crate::store::vector_index::{Wanted, word_number};
use crate::store::weights::of_importance;
use crate::store::{Collection, unknown};
use crate::types::{MemoryFilter, MemoryHit, MemoryItem, MemoryQuery, NewMemory, PENDING, USUAL, is_pending};
use crate::words::MemoryCategory;

/// The longest memory, in characters.
const LONGEST: usize = 10_000;

impl Memory {
    /// Stores a memory. The same words about the same project are one memory; repeated, the last version counts. If
    /// the store cannot be used it waits, and a notice says so.
    pub fn store_memory(&self, memory: &NewMemory) -> Result<MemoryItem, MemoryError> {
        self.store_instead_of(memory, None, memory.project.as_ref().map(|project| self.name_of(project)))
    }

    /// The same for an agent. What is about every project waits until a person accepts it: it would be shown in all of
    /// them, and the one that wrote what the agent has read would speak there.
    pub fn propose_memory(&self, memory: &NewMemory) -> Result<MemoryItem, MemoryError> {
        if memory.project.is_some() {
            return self.store_memory(memory);
        }
        match self.same_memory(memory) {
            Ok(Some(same)) => Ok(same),
            _ => self.store_instead_of(memory, None, Some(PENDING.to_owned())),
        }
    }

    /// Memories that wait for the user's consent, latest first.
    pub fn pending_memories(&self) -> Result<Vec<MemoryItem>, MemoryError> {
        self.with_store(|store| {
            let mut all = store.all_memories()?;
            all.retain(|memory| memory.is_pending() && memory.superseded_by.is_none());
            all.reverse();
            Ok(all)
        })
    }

    /// Those that no session was shown yet; they count as shown from now on.
    pub fn take_unannounced(&self) -> Result<Vec<MemoryItem>, MemoryError> {
        let pending = self.pending_memories()?;
        if pending.is_empty() {
            return Ok(pending);
        }
        self.with_store(|store| store.claim_unannounced(pending))
    }

    /// Accepts a pending memory. The caller has the user's consent.
    pub fn accept(&self, id: &str) -> Result<MemoryItem, MemoryError> {
        let memory = self.memory(id)?;
        let Some(project) = memory.project.as_deref().and_then(|project| project.strip_prefix(PENDING))
        else {
            return Err(MemoryError::validation(format!("{id} does not wait for a yes: it counts already")));
        };
        let project = Some(project.to_owned()).filter(|project| !project.is_empty());
        self.with_store(|store| store.set_project(id, project.as_deref()))?;
        Ok(MemoryItem { project, ..memory })
    }

    /// Stores a memory in the place of another one, or of an experience, which is no longer found.
    pub fn correct(&self, old_id: &str, memory: &NewMemory) -> Result<MemoryItem, MemoryError> {
        // Check before anything is stored.
        self.with_store(|store| {
            let found = store.memory(old_id)?.is_some() || store.experience(old_id)?.is_some();
            if found { Ok(()) } else { Err(unknown(old_id, "memory or experience")) }
        })?;
        let project = memory.project.as_ref().map(|project| self.name_of(project));
        self.store_instead_of(memory, Some(old_id), project)
    }

    fn store_instead_of(
        &self,
        memory: &NewMemory,
        instead_of: Option<&str>,
        project: Option<String>,
    ) -> Result<MemoryItem, MemoryError> {
        let content = self.content_of(memory)?;
        if let Some(importance) = memory.importance.filter(|importance| !(0.0..=1.0).contains(importance)) {
            let message = format!("`importance` is {importance}");
            return Err(MemoryError::validation(message).with_hint("it is between 0 and 1"));
        }
        let _ =
            self.with_store(|store| memory.project.as_ref().map_or(Ok(()), |project| store.note(project)));
        // If that is unknown, the text is stored twice, and search shows it once.
        let same = match project.as_deref().filter(|project| is_pending(project)) {
            Some(pending) => {
                self.with_store(|store| store.same_memory(&content, &[Some(pending.to_owned())]))
            }
            None => self.same_memory(memory),
        };
        let same = same.ok().flatten().filter(|same| instead_of != Some(same.id.as_str()));
        let now = self.now();
        let mut item = same.unwrap_or_else(|| MemoryItem {
            id: tenter_ghap::id::new("mem", now),
            content,
            category: MemoryCategory::Fact,
            importance: USUAL,
            tags: Vec::new(),
            created_at: now,
            project,
            superseded_by: None,
        });
        item.category = memory.category.unwrap_or(item.category);
        item.importance = memory.importance.unwrap_or(item.importance);
        for tag in memory.tags.iter().map(|tag| self.clean(tag)) {
            if !tag.is_empty() && !item.tags.contains(&tag) {
                item.tags.push(tag);
            }
        }
        let instead_of = instead_of.map(str::to_owned);
        self.store_or_wait(&Later::Memory { memory: item.clone(), instead_of })?;
        Ok(item)
    }

    /// The memory that says the same about the same project, if it is stored.
    pub fn same_memory(&self, memory: &NewMemory) -> Result<Option<MemoryItem>, MemoryError> {
        let content = self.content_of(memory)?;
        self.with_store(|store| store.same_memory(&content, &Self::names_in(store, memory.project.as_ref())))
    }

    fn content_of(&self, memory: &NewMemory) -> Result<String, MemoryError> {
        let content = self.clean(&required("content", &memory.content, LONGEST)?);
        if content.is_empty() {
            return Err(MemoryError::validation(
                "nothing is left of `content` but what is private or was recalled",
            )
            .with_hint("say what may be kept"));
        }
        Ok(content)
    }

    /// The memories that fit best.
    pub fn retrieve_memories(&self, query: &MemoryQuery) -> Result<Vec<MemoryHit>, MemoryError> {
        let now = self.now();
        if query.text.trim().is_empty() {
            return Err(MemoryError::validation("`query` is empty").with_hint("`list_memories` lists all"));
        }
        self.read(|store| {
            let found = store.find(&Search {
                collection: Collection::Memories,
                text: &query.text,
                mode: query.mode,
                wanted: Wanted {
                    projects: project_hashes(&store.whose(&query.scope)),
                    kind: query.category.map(|category| word_number(category.as_str())),
                    status: None,
                    least_weight: of_importance(query.min_importance),
                },
                limit: query.limit,
                unasked: query.unasked,
                now,
            })?;
            let hit =
                |SearchHit { number, fit }| Ok(MemoryHit { memory: store.memory_numbered(number)?, fit });
            let hits: Result<Vec<MemoryHit>, MemoryError> = found.into_iter().map(hit).collect();
            Ok(hits?.into_iter().filter(|hit| !hit.memory.is_pending()).collect())
        })
    }

    /// Memories, latest first, and how many there are.
    pub fn list_memories(&self, filter: &MemoryFilter) -> Result<(Vec<MemoryItem>, usize), MemoryError> {
        self.with_store(|store| store.memories(filter))
    }

    /// One memory by its id.
    pub fn memory(&self, id: &str) -> Result<MemoryItem, MemoryError> {
        self.with_store(|store| store.memory(id))?.ok_or_else(|| unknown(id, "memory"))
    }

    /// Removes a memory for good.
    pub fn delete_memory(&self, id: &str) -> Result<(), MemoryError> {
        let now = self.now();
        self.with_store(|store| {
            store.memory(id)?.ok_or_else(|| unknown(id, "memory"))?;
            store.forget(id, now)
        })?;
        self.warn_about_remaining_copies();
        Ok(())
    }
}
