//! Counts rows by project, and moves them to another project.

use rusqlite::{Transaction, params};
use serde_json::Value;

use super::{Store, indexed_text};
use crate::error::MemoryError;
use crate::types::{Counts, KnownProject};

impl Store {
    /// Every project with rows, the one with most first.
    pub(crate) fn known_projects(&self) -> Result<Vec<KnownProject>, MemoryError> {
        let sql = "SELECT project, sum(e), sum(m), sum(j) FROM ( \
                   SELECT project, 1 AS e, 0 AS m, 0 AS j FROM experiences WHERE superseded_by IS NULL \
                   UNION ALL SELECT project, 0, 1, 0 FROM memories WHERE superseded_by IS NULL \
                   UNION ALL SELECT project, 0, 0, 1 FROM journal) \
                   GROUP BY project ORDER BY count(*) DESC, project";
        self.query_all(sql, [], |row| {
            let counts = Counts { experiences: row.get(1)?, memories: row.get(2)?, journal: row.get(3)? };
            Ok(KnownProject { name: row.get(0)?, counts })
        })
    }

    pub(crate) fn move_project(&mut self, from: &[String], to: &str) -> Result<Counts, MemoryError> {
        let counts = self.change(|transaction, _| {
            let mut counts = Counts::default();
            for name in from {
                let moved = move_all(transaction, name, to)?;
                counts.experiences += moved.experiences;
                counts.memories += moved.memories;
                counts.journal += moved.journal;
            }
            Ok(counts)
        })?;
        self.update_index();
        Ok(counts)
    }
}

fn move_all(transaction: &Transaction<'_>, from: &str, to: &str) -> rusqlite::Result<Counts> {
    let count = |rows: &str| {
        let sql = format!("SELECT count(*) FROM {rows} AND project = ?");
        transaction.query_row(&sql, [from], |row| row.get(0))
    };
    let counts = Counts {
        experiences: count("experiences WHERE superseded_by IS NULL")?,
        memories: count("memories WHERE superseded_by IS NULL")?,
        journal: count("journal WHERE true")?,
    };
    transaction.execute("UPDATE memories SET project = ? WHERE project = ?", params![to, from])?;
    rename(transaction, "experiences", "entry", from, to)?;
    rename(transaction, "journal", "page", from, to)?;
    indexed_text::rewritten(transaction)?;
    Ok(counts)
}

fn rename(
    transaction: &Transaction<'_>,
    table: &str,
    column: &str,
    from: &str,
    to: &str,
) -> rusqlite::Result<()> {
    let mut select = transaction.prepare(&format!("SELECT id, {column} FROM {table} WHERE project = ?"))?;
    let rows = select.query_map([from], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let rows: Vec<(String, String)> = rows.collect::<rusqlite::Result<_>>()?;
    let mut update =
        transaction.prepare(&format!("UPDATE {table} SET project = ?, {column} = ? WHERE id = ?"))?;
    for (id, text) in &rows {
        let renamed = serde_json::from_str::<Value>(text).ok().map(|mut value| {
            value["project"] = Value::from(to);
            value.to_string()
        });
        update.execute(params![to, renamed.as_ref().unwrap_or(text), id])?;
    }
    Ok(())
}
