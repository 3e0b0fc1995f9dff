//! Rows of memories.

use rusqlite::{OptionalExtension, Row, params};
use tenter_contract::Timestamp;

use super::experiences::Conditions;
use super::refusal::refusal;
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
        let refused = refusal(&self.path);
        self.update_vectors()?;
        let added = self.change(|transaction, embedder| {
            let mut added = 0;
            for memory in memories {
                if tombstones::is_forgotten(transaction, &memory.id).map_err(&refused)? {
                    continue;
                }
                let tags = serde_json::to_string(&memory.tags).unwrap_or_default();
                let mut insert = transaction
                    .prepare_cached(
                        "INSERT OR IGNORE INTO memories (id, content, category, importance, tags, created_ms, \
                         project, superseded_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    )
                    .map_err(&refused)?;
                let new = insert
                    .execute(params![
                        memory.id,
                        memory.content,
                        memory.category.as_str(),
                        memory.importance,
                        tags,
                        memory.created_at.unix_ms.cast_signed(),
                        memory.project,
                        memory.superseded_by,
                    ])
                    .map_err(&refused)?;
                if new == 1 {
                    let number = transaction.last_insert_rowid();
                    indexed_text::add(transaction, number, &[text_for(memory)], embedder).map_err(&refused)?;
                    added += 1;
                }
            }
            Ok(added)
        })?;
        self.update_index();
        Ok(added)
    }

    pub(crate) fn describe_anew(&mut self, memory: &MemoryItem) -> Result<(), MemoryError> {
        let described = |memory: &MemoryItem| (memory.category, memory.importance, memory.tags.clone());
        match self.memory(&memory.id)? {
            Some(stored) if described(&stored) != described(memory) => {}
            _ => return Ok(()),
        }
        let refused = refusal(&self.path);
        self.update_vectors()?;
        self.change(|transaction, embedder| {
            let tags = serde_json::to_string(&memory.tags).unwrap_or_default();
            let number: Option<i64> = transaction
                .prepare_cached(
                    "UPDATE memories SET category = ?, importance = ?, tags = ? WHERE id = ? RETURNING number",
                )
                .and_then(|mut update| {
                    let values = params![memory.category.as_str(), memory.importance, tags, memory.id];
                    update.query_row(values, |row| row.get(0)).optional()
                })
                .map_err(&refused)?;
            let Some(number) = number else { return Ok(()) };
            indexed_text::remove(transaction, &[Collection::Memories], number).map_err(&refused)?;
            indexed_text::add(transaction, number, &[text_for(memory)], embedder).map_err(&refused)
        })?;
        self.update_index();
        Ok(())
    }

    pub(crate) fn first_told(&mut self, memories: Vec<MemoryItem>) -> Result<Vec<MemoryItem>, MemoryError> {
        let refused = refusal(&self.path);
        self.change(|transaction, _| {
            let mut first = Vec::new();
            for memory in memories {
                let told = transaction
                    .execute("INSERT OR IGNORE INTO meta VALUES (?, 1)", [format!("told {}", memory.id)])
                    .map_err(&refused)?;
                if told == 1 {
                    first.push(memory);
                }
            }
            Ok(first)
        })
    }

    pub(crate) fn give_project(&mut self, id: &str, project: Option<&str>) -> Result<(), MemoryError> {
        let refused = refusal(&self.path);
        self.change(|transaction, _| {
            transaction
                .execute("UPDATE memories SET project = ? WHERE id = ?", params![project, id])
                .and_then(|_| indexed_text::rewritten(transaction))
                .map_err(&refused)
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
            let same = self
                .connection
                .prepare_cached(&sql)
                .and_then(|mut statement| statement.query_row(params![content, name], memory_of).optional());
            if let Some(same) = same.map_err(refusal(&self.path))? {
                return Ok(Some(same));
            }
        }
        Ok(None)
    }

    pub(crate) fn memory(&self, id: &str) -> Result<Option<MemoryItem>, MemoryError> {
        let sql = format!("SELECT {COLUMNS} FROM memories WHERE id = ?");
        self.connection
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.query_row([id], memory_of).optional())
            .map_err(refusal(&self.path))
    }

    pub(crate) fn memory_numbered(&self, number: i64) -> Result<MemoryItem, MemoryError> {
        let sql = format!("SELECT {COLUMNS} FROM memories WHERE number = ?");
        self.connection
            .prepare_cached(&sql)
            .and_then(|mut statement| statement.query_row([number], memory_of))
            .map_err(refusal(&self.path))
    }

    /// Memories, latest first, and how many there are without the limit.
    pub(crate) fn memories(&self, filter: &MemoryFilter) -> Result<(Vec<MemoryItem>, usize), MemoryError> {
        let mut conditions = Conditions::of(&self.whose(&filter.scope));
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
        let rows = self.connection.prepare_cached(&sql).and_then(|mut statement| {
            statement
                .query_map(conditions.values().as_slice(), memory_of)?
                .collect::<rusqlite::Result<Vec<_>>>()
        });
        let mut found = rows.map_err(refusal(&self.path))?;
        found.retain(|memory| filter.tags.iter().all(|tag| memory.tags.contains(tag)));
        let count = found.len();
        Ok((found.into_iter().skip(filter.offset).take(filter.limit).collect(), count))
    }

    pub(crate) fn memory_count(&self) -> Result<usize, MemoryError> {
        self.connection
            .query_row("SELECT count(*) FROM memories WHERE superseded_by IS NULL", [], |row| row.get(0))
            .map_err(refusal(&self.path))
    }

    pub(crate) fn all_memories(&self) -> Result<Vec<MemoryItem>, MemoryError> {
        self.connection
            .prepare_cached(ALL)
            .and_then(|mut statement| statement.query_map([], memory_of)?.collect())
            .map_err(refusal(&self.path))
    }
}

fn text_for(memory: &MemoryItem) -> IndexedText {
    let mut text = memory.content.clone();
    for tag in &memory.tags {
        text.push('\n');
        text.push_str(tag);
    }
    IndexedText { collection: Collection::Memories, text }
}

pub(super) fn memory_of(row: &Row<'_>) -> rusqlite::Result<MemoryItem> {
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
