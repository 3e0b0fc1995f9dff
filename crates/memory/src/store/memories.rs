//! Rows of memories.

use rusqlite::{OptionalExtension, Row, params};
use tenter_contract::Timestamp;

use super::experiences::Conditions;
use super::{Collection, IndexedText, Store, indexed_text, tombstones};
use crate::error::MemoryError;
use crate::types::{IMPORTANT, MemoryFilter, MemoryItem, USUAL};
use crate::words::MemoryCategory;

const COLUMNS: &str = "id, content, category, importance, tags, created_ms, project, superseded_by";

/// Every memory, oldest first.
pub(super) const ALL: &str = "SELECT id, content, category, importance, tags, created_ms, project, superseded_by \
                              FROM memories ORDER BY number";

impl Store {
    pub(crate) fn add_memories(&mut self, memories: &[MemoryItem]) -> Result<usize, MemoryError> {
        self.update_vectors()?;
        let added = self.change(|transaction, embedder| {
            let mut added = 0;
            for memory in memories {
                if tombstones::is_forgotten(transaction, &memory.id)? {
                    continue;
                }
                let new = transaction
                    .prepare_cached(&format!(
                        "INSERT OR IGNORE INTO memories ({COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
                    ))?
                    .execute(params![
                        memory.id,
                        memory.content,
                        memory.category.as_str(),
                        memory.importance,
                        serde_json::to_string(&memory.tags)?,
                        memory.created_at.unix_ms.cast_signed(),
                        memory.project,
                        memory.superseded_by,
                    ])?;
                if new == 1 {
                    let number = transaction.last_insert_rowid();
                    indexed_text::add(transaction, number, &[text_for(memory)], embedder)?;
                    added += 1;
                }
            }
            Ok(added)
        })?;
        self.update_index();
        Ok(added)
    }

    /// Updates category, importance and tags of a known memory.
    pub(crate) fn describe_anew(&mut self, memory: &MemoryItem) -> Result<(), MemoryError> {
        let described = |memory: &MemoryItem| (memory.category, memory.importance, memory.tags.clone());
        if self.memory(&memory.id)?.is_none_or(|stored| described(&stored) == described(memory)) {
            return Ok(());
        }
        self.update_vectors()?;
        self.change(|transaction, embedder| {
            let tags = serde_json::to_string(&memory.tags)?;
            let number: Option<i64> = transaction
                .prepare_cached(
                    "UPDATE memories SET category = ?, importance = ?, tags = ? WHERE id = ? RETURNING number",
                )?
                .query_row(params![memory.category.as_str(), memory.importance, tags, memory.id], |row| {
                    row.get(0)
                })
                .optional()?;
            let Some(number) = number else { return Ok(()) };
            indexed_text::remove(transaction, &[Collection::Memories], number)?;
            Ok(indexed_text::add(transaction, number, &[text_for(memory)], embedder)?)
        })?;
        self.update_index();
        Ok(())
    }

    /// Those of the memories that no session was shown, which counts as shown from now on.
    pub(crate) fn claim_unannounced(
        &mut self,
        memories: Vec<MemoryItem>,
    ) -> Result<Vec<MemoryItem>, MemoryError> {
        self.change(|transaction, _| {
            let mut unannounced = Vec::new();
            for memory in memories {
                let key = format!("told {}", memory.id);
                if transaction.execute("INSERT OR IGNORE INTO meta VALUES (?, 1)", [key])? == 1 {
                    unannounced.push(memory);
                }
            }
            Ok(unannounced)
        })
    }

    pub(crate) fn set_project(&mut self, id: &str, project: Option<&str>) -> Result<(), MemoryError> {
        self.change(|transaction, _| {
            transaction.execute("UPDATE memories SET project = ? WHERE id = ?", params![project, id])?;
            Ok(indexed_text::rewritten(transaction)?)
        })?;
        self.update_index();
        Ok(())
    }

    pub(crate) fn same_memory(
        &self,
        content: &str,
        names: &[Option<String>],
    ) -> Result<Option<MemoryItem>, MemoryError> {
        let sql = format!(
            "SELECT {COLUMNS} FROM memories WHERE content = ? AND project IS ? AND superseded_by IS NULL"
        );
        for name in names {
            let same = self.query_optional(&sql, params![content, name], read_memory)?;
            if same.is_some() {
                return Ok(same);
            }
        }
        Ok(None)
    }

    pub(crate) fn memory(&self, id: &str) -> Result<Option<MemoryItem>, MemoryError> {
        self.query_optional(&format!("SELECT {COLUMNS} FROM memories WHERE id = ?"), [id], read_memory)
    }

    pub(crate) fn memory_numbered(&self, number: i64) -> Result<MemoryItem, MemoryError> {
        self.query_one(&format!("SELECT {COLUMNS} FROM memories WHERE number = ?"), [number], read_memory)
    }

    /// Memories, latest first, and how many match without the limit.
    pub(crate) fn memories(&self, filter: &MemoryFilter) -> Result<(Vec<MemoryItem>, usize), MemoryError> {
        let mut conditions = Conditions::new(&self.whose(&filter.scope));
        conditions.and("category = ", filter.category.map(MemoryCategory::as_str));
        conditions.also("superseded_by IS NULL");
        if filter.shown_at_start {
            let preference = MemoryCategory::Preference.as_str();
            conditions.also(&format!(
                "(importance >= {IMPORTANT} OR category = '{preference}' AND importance >= {USUAL})"
            ));
        }
        let sql = format!(
            "SELECT {COLUMNS} FROM memories {} ORDER BY created_ms DESC, number DESC",
            conditions.sql()
        );
        let mut found = self.query_all(&sql, conditions.values().as_slice(), read_memory)?;
        found.retain(|memory| filter.tags.iter().all(|tag| memory.tags.contains(tag)));
        let count = found.len();
        Ok((found.into_iter().skip(filter.offset).take(filter.limit).collect(), count))
    }

    pub(crate) fn memory_count(&self) -> Result<usize, MemoryError> {
        self.query_one("SELECT count(*) FROM memories WHERE superseded_by IS NULL", [], |row| row.get(0))
    }

    pub(crate) fn all_memories(&self) -> Result<Vec<MemoryItem>, MemoryError> {
        self.query_all(ALL, [], read_memory)
    }
}

fn text_for(memory: &MemoryItem) -> IndexedText {
    let lines = std::iter::once(&memory.content).chain(&memory.tags).map(String::as_str);
    IndexedText { collection: Collection::Memories, text: lines.collect::<Vec<_>>().join("\n") }
}

pub(super) fn read_memory(row: &Row<'_>) -> rusqlite::Result<MemoryItem> {
    let tags: String = row.get(4)?;
    let category: String = row.get(2)?;
    Ok(MemoryItem {
        id: row.get(0)?,
        content: row.get(1)?,
        category: MemoryCategory::parse(&category).unwrap_or(MemoryCategory::Fact),
        importance: row.get(3)?,
        tags: serde_json::from_str(&tags).unwrap_or_default(),
        created_at: Timestamp::from_unix_ms(row.get::<_, i64>(5)?.cast_unsigned()),
        project: row.get(6)?,
        superseded_by: row.get(7)?,
    })
}
