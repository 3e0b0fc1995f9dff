//! Repairs a damaged database: saves its readable rows into a new one.
//!
//! Repair first quarantines the damaged file, and marks it as saved when all its readable rows are in the new database.
//! The next repair continues one that was stopped in between; rows that are there already are added once.

use std::path::PathBuf;
use std::sync::Arc;

use rusqlite::{Connection, OpenFlags};
use tenter_store::StateFolder;

use super::health::{CheckDepth, Condition, check};
use super::opening::{PATIENCE, newer};
use super::refusal::{is_damage, refusal};
use super::salvage::{Salvaged, salvage};
use super::{Store, quarantine};
use crate::embedder::Embedder;
use crate::error::MemoryError;
use crate::types::Repaired;

impl Store {
    pub(crate) fn repair(
        state: &StateFolder,
        embedder: Arc<dyn Embedder>,
        notify: &mut dyn FnMut(String),
    ) -> Result<Repaired, MemoryError> {
        let path = Self::path_in(state);
        let _lock = quarantine::lock(state, &path)?;
        let mut why = None;
        match check(&path, CheckDepth::Thorough) {
            Condition::Damaged(cause) => why = Some(cause),
            Condition::Newer(version) => return Err(newer(&path, version)),
            Condition::Locked | Condition::ReadOnly(_) | Condition::Full | Condition::Unusable(_) => {
                Connection::open_with_flags(&path, OpenFlags::SQLITE_OPEN_READ_WRITE)
                    .and_then(|connection| connection.execute_batch("BEGIN IMMEDIATE; ROLLBACK"))
                    .map_err(refusal(&path))?;
            }
            Condition::Whole { .. } => why = unreadable_row(state, &embedder, notify)?,
            Condition::Missing => {}
        }
        if let Some(why) = why {
            let held = hold(&path)?;
            quarantine::quarantine_file(&path)?;
            drop(held);
            notify(format!("the memory was damaged: {why}"));
        }
        let mut store = Self::open(state, embedder, notify)?;
        let mut repaired = Repaired::default();
        for aside in quarantine::unread_quarantined(&path) {
            let salvaged = salvage(&aside).map_err(|cause| {
                MemoryError::internal(format!("`{}` cannot be read: {cause}", aside.display()))
                    .with_hint("it stays where it is")
            })?;
            store.take_in(&salvaged)?;
            repaired.saved.experiences += salvaged.experiences.len();
            repaired.saved.memories += salvaged.memories.len();
            repaired.saved.journal += salvaged.pages.len();
            repaired.lost.extend(salvaged.lost);
            repaired.missing_pages += salvaged.missing_pages;
            repaired.damaged_files.push(quarantine::mark_saved(&aside)?);
        }
        // The vector files are copies that no check covers, so they are written again.
        store.rewrite_index()?;
        Ok(repaired)
    }

    fn take_in(&mut self, salvaged: &Salvaged) -> Result<(), MemoryError> {
        self.change(|transaction, _| {
            for (mark, name) in &salvaged.identities {
                transaction.execute("INSERT OR IGNORE INTO identities VALUES (?, ?)", [mark, name])?;
            }
            for row in &salvaged.forgotten {
                transaction.execute("INSERT OR IGNORE INTO forgotten VALUES (?, ?, ?)", row.clone())?;
            }
            Ok(())
        })?;
        self.add_experiences(&salvaged.experiences)?;
        self.add_memories(&salvaged.memories)?;
        self.add_pages(&salvaged.pages)?;
        Ok(())
    }
}

fn unreadable_row(
    state: &StateFolder,
    embedder: &Arc<dyn Embedder>,
    notify: &mut dyn FnMut(String),
) -> Result<Option<String>, MemoryError> {
    let store = Store::open(state, Arc::clone(embedder), notify)?;
    let rows = |sql: &str, each: fn(&rusqlite::Row<'_>) -> rusqlite::Result<()>| {
        store.connection.prepare(sql).and_then(|mut statement| {
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                each(row)?;
            }
            Ok(())
        })
    };
    let checked = rows("SELECT entry, superseded_by FROM experiences", |row| {
        super::experiences::read_experience(row).map(|_| ())
    })
    .and_then(|()| rows(super::memories::ALL, |row| super::memories::read_memory(row).map(|_| ())))
    .and_then(|()| rows("SELECT page, log FROM journal", |row| super::journal::read_page(row).map(|_| ())))
    .and_then(|()| rows("SELECT text, vector FROM sides", |row| row.get::<_, String>(0).map(|_| ())));
    match checked {
        Err(cause) if is_damage(&cause) => Ok(Some(cause.to_string())),
        checked => checked.map(|()| None).map_err(refusal(&store.path)),
    }
}

/// Locks out other writers while the file is moved, and checkpoints the write-ahead log into it. If damage prevents
/// that, no other process can write either.
fn hold(path: &PathBuf) -> Result<Option<Connection>, MemoryError> {
    let held = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE).and_then(|connection| {
        connection.busy_timeout(PATIENCE)?;
        let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(connection)
    });
    match held {
        Ok(connection) => Ok(Some(connection)),
        Err(cause) if is_damage(&cause) => Ok(None),
        Err(cause) => Err(refusal(path)(cause)),
    }
}
