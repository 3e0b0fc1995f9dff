//! Memories: what somebody wants to be remembered.

use super::Memory;
use crate::error::MemoryError;
use crate::questions::{MemoryFilter, MemoryHit, MemoryItem, MemoryQuery, NewMemory};

impl Memory {
    /// Stores a memory. The same words about the same project are one memory.
    pub fn store_memory(&self, memory: &NewMemory) -> Result<MemoryItem, MemoryError> {
        let _ = memory;
        Err(MemoryError::internal("the store is not there yet"))
    }

    /// The memories that fit best.
    pub fn retrieve_memories(&self, query: &MemoryQuery) -> Result<Vec<MemoryHit>, MemoryError> {
        let _ = query;
        Err(MemoryError::internal("the store is not there yet"))
    }

    /// Memories, latest first, and how many there are.
    pub fn list_memories(&self, filter: &MemoryFilter) -> Result<(Vec<MemoryItem>, usize), MemoryError> {
        let _ = filter;
        Err(MemoryError::internal("the store is not there yet"))
    }

    /// One memory by its id.
    pub fn memory(&self, id: &str) -> Result<MemoryItem, MemoryError> {
        let _ = id;
        Err(MemoryError::internal("the store is not there yet"))
    }

    /// Removes a memory for good.
    pub fn delete_memory(&self, id: &str) -> Result<(), MemoryError> {
        let _ = id;
        Err(MemoryError::internal("the store is not there yet"))
    }
}
