//! Taking things back: superseding, and forgetting for good.

use rusqlite::{OptionalExtension, Transaction, params};

use super::refusal::refusal;
use super::{Shelf, Store, sides};
use crate::error::MemoryError;
use crate::words::Axis;

const EXPERIENCE_SHELVES: [Shelf; 4] = [
    Shelf::Experiences(Axis::Full),
    Shelf::Experiences(Axis::Strategy),
    Shelf::Experiences(Axis::Surprise),
    Shelf::Experiences(Axis::RootCause),
];

impl Store {
    /// One takes the place of another, which stays as it is but is not found any more. Both are of one kind.
    pub(crate) fn supersede(&mut self, old: &str, new: &str) -> Result<(), MemoryError> {
        if old == new {
            return Err(MemoryError::validation("something cannot take its own place; give two ids"));
        }
        let refused = refusal(&self.path);
        self.change(|transaction, _| {
            for table in ["experiences", "memories"] {
                let there = |id: &str| number(transaction, table, id).map_err(&refused);
                match (there(old)?, there(new)?) {
                    (None, _) => {}
                    (Some(_), None) => return Err(unknown(new, "of the same kind")),
                    (Some(number), Some(_)) => {
                        let sql = format!("UPDATE {table} SET superseded_by = ? WHERE number = ?");
                        transaction.execute(&sql, params![new, number]).map_err(&refused)?;
                        return sides::rewritten(transaction).map_err(&refused);
                    }
                }
            }
            Err(unknown(old, "experience or memory"))
        })?;
        self.bring_cards_up_to_date();
        Ok(())
    }

    /// Removes an experience, a memory or a page for good: the row, its words, its vectors, and what lies in the log
    /// of changes.
    pub(crate) fn forget(&mut self, id: &str) -> Result<(), MemoryError> {
        let refused = refusal(&self.path);
        self.change(|transaction, _| {
            let gone = remove(transaction, id).map_err(&refused)?;
            if gone { Ok(()) } else { Err(unknown(id, "experience, memory or journal entry")) }
        })?;
        self.write_cards_anew()?;
        self.empty_log()
    }
}

fn remove(transaction: &Transaction<'_>, id: &str) -> rusqlite::Result<bool> {
    let tables: [(&str, &[Shelf]); 2] =
        [("experiences", &EXPERIENCE_SHELVES), ("memories", &[Shelf::Memories])];
    for (table, shelves) in tables {
        if let Some(number) = number(transaction, table, id)? {
            sides::remove(transaction, shelves, number)?;
            transaction.execute(&format!("DELETE FROM {table} WHERE number = ?"), [number])?;
            // What it had taken the place of stays out of sight: it was wrong before.
            return Ok(true);
        }
    }
    Ok(transaction.execute("DELETE FROM journal WHERE id = ?", [id])? > 0)
}

fn number(transaction: &Transaction<'_>, table: &str, id: &str) -> rusqlite::Result<Option<i64>> {
    transaction
        .prepare_cached(&format!("SELECT number FROM {table} WHERE id = ?"))?
        .query_row([id], |row| row.get(0))
        .optional()
}

fn unknown(id: &str, what: &str) -> MemoryError {
    MemoryError::not_found(format!("there is no {what} `{id}`; `tenter memory search` and `list` show ids"))
}
