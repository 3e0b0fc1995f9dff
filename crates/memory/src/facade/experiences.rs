//! Experiences: resolved entries, found by what they are about.

use super::Memory;
use crate::error::MemoryError;
use crate::questions::{ExperienceHit, ExperienceQuery, Stats};

impl Memory {
    /// The experiences that fit best. An empty text: the best lessons and the latest work.
    pub fn search_experiences(&self, query: &ExperienceQuery) -> Result<Vec<ExperienceHit>, MemoryError> {
        let _ = (query, &self.embedder);
        Err(MemoryError::internal("the store is not there yet"))
    }

    /// Puts one experience or memory in the place of another, which is no longer found.
    pub fn supersede(&self, old_id: &str, new_id: &str) -> Result<(), MemoryError> {
        let _ = (old_id, new_id);
        Err(MemoryError::internal("the store is not there yet"))
    }

    /// Removes an experience, a memory or a page of the journal for good: from the rows, the words and the vectors.
    pub fn forget(&self, id: &str) -> Result<(), MemoryError> {
        let _ = id;
        Err(MemoryError::internal("the store is not there yet"))
    }

    /// What is in the store.
    pub fn stats(&self) -> Result<Stats, MemoryError> {
        Err(MemoryError::internal("the store is not there yet"))
    }
}
