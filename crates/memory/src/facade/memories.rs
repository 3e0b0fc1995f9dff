//! Memories: what somebody wants to be remembered.

use super::Memory;
use super::experiences::project_hash;
use tenter_ghap::limits::required;

use crate::error::MemoryError;
use crate::questions::{MemoryFilter, MemoryHit, MemoryItem, MemoryQuery, NewMemory};
use crate::search::{Found, Search};
use crate::store::Shelf;
use crate::store::cards::{Wanted, word_number};
use crate::store::weights::of_importance;

/// A memory is a few sentences; whoever wants to keep a document keeps a file, in characters.
const LONGEST: usize = 10_000;

impl Memory {
    /// Stores a memory. The same words about the same project are one memory.
    pub fn store_memory(&self, memory: &NewMemory) -> Result<MemoryItem, MemoryError> {
        let content = required("content", &memory.content, LONGEST)?;
        if !(0.0..=1.0).contains(&memory.importance) {
            let message = format!("`importance` is {}; it lies between 0 and 1", memory.importance);
            return Err(MemoryError::validation(message));
        }
        let content = self.clean(&content);
        if content.is_empty() {
            return Err(MemoryError::validation(
                "nothing is left of `content` but what is private or was recalled; say what may be kept",
            ));
        }
        let mut tags: Vec<String> = memory.tags.iter().map(|tag| self.clean(tag)).collect();
        tags.retain(|tag| !tag.is_empty());
        tags.dedup();
        let project = memory.project.as_ref().map(|project| project.as_str().to_owned());
        let now = self.now();
        self.with_store(|store| {
            if let Some(same) = store.same_memory(&content, project.as_deref())? {
                return Ok(same);
            }
            let item = MemoryItem {
                id: tenter_ghap::id::new("mem", now),
                content,
                category: memory.category,
                importance: memory.importance,
                tags,
                created_at: now,
                project,
                superseded_by: None,
            };
            store.add_memories(std::slice::from_ref(&item))?;
            Ok(item)
        })
    }

    /// The memories that fit best.
    pub fn retrieve_memories(&self, query: &MemoryQuery) -> Result<Vec<MemoryHit>, MemoryError> {
        let now = self.now();
        if query.text.trim().is_empty() {
            return Err(MemoryError::validation("`query` is empty; `list_memories` lists all"));
        }
        self.look(|store| {
            let found = store.find(&Search {
                shelf: Shelf::Memories,
                text: &query.text,
                mode: query.mode,
                wanted: Wanted {
                    project: project_hash(&query.scope),
                    kind: query.category.map(|category| word_number(category.as_str())),
                    status: None,
                    least_weight: of_importance(query.min_importance),
                },
                limit: query.limit,
                unasked: query.unasked,
                now,
            })?;
            let hit = |Found { number, fit }| Ok(MemoryHit { memory: store.memory_numbered(number)?, fit });
            found.into_iter().map(hit).collect()
        })
    }

    /// Memories, latest first, and how many there are.
    pub fn list_memories(&self, filter: &MemoryFilter) -> Result<(Vec<MemoryItem>, usize), MemoryError> {
        self.with_store(|store| store.memories(filter))
    }

    /// One memory by its id.
    pub fn memory(&self, id: &str) -> Result<MemoryItem, MemoryError> {
        self.with_store(|store| store.memory(id))?.ok_or_else(|| unknown(id))
    }

    /// Removes a memory for good.
    pub fn delete_memory(&self, id: &str) -> Result<(), MemoryError> {
        self.with_store(|store| {
            store.memory(id)?.ok_or_else(|| unknown(id))?;
            store.forget(id)
        })
    }
}

fn unknown(id: &str) -> MemoryError {
    MemoryError::not_found(format!("there is no memory `{id}`; `tenter memory list` lists them"))
}
