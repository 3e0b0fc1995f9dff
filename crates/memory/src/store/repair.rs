//! Saving what can be read of a damaged database, into a new one.
//!
//! The damaged file is quarantined first, and marked as saved when everything that could be read of it is in the new
//! one; the one that is stopped in between is continued by the next repair, and what is there already counts once.

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
        tell: &mut dyn FnMut(String),
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
            Condition::Whole { .. } => why = unreadable_row(state, &embedder, tell)?,
            Condition::Missing => {}
        }
        if let Some(why) = why {
            let held = hold(&path)?;
            quarantine::quarantine_file(&path)?;
            drop(held);
            tell(format!("the memory was damaged: {why}"));
        }
        let mut store = Self::open(state, embedder, tell)?;
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
        // The files of vectors are copies, which no one checks; so they are made again.
        store.rewrite_index()?;
        Ok(repaired)
    }

    fn take_in(&mut self, salvaged: &Salvaged) -> Result<(), MemoryError> {
        let refused = refusal(&self.path);
        self.change(|transaction, _| {
            for (mark, name) in &salvaged.identities {
                transaction
                    .execute("INSERT OR IGNORE INTO identities VALUES (?, ?)", [mark, name])
                    .map_err(&refused)?;
            }
            for (id, kind, moment) in &salvaged.forgotten {
                transaction
                    .execute(
                        "INSERT OR IGNORE INTO forgotten VALUES (?, ?, ?)",
                        rusqlite::params![id, kind, moment],
                    )
                    .map_err(&refused)?;
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
    tell: &mut dyn FnMut(String),
) -> Result<Option<String>, MemoryError> {
    let store = Store::open(state, Arc::clone(embedder), tell)?;
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
        super::experiences::experience_of(row).map(|_| ())
    })
    .and_then(|()| rows(super::memories::ALL, |row| super::memories::memory_of(row).map(|_| ())))
    .and_then(|()| rows("SELECT page, log FROM journal", |row| super::journal::page_of(row).map(|_| ())))
    .and_then(|()| rows("SELECT text, vector FROM sides", |row| row.get::<_, String>(0).map(|_| ())));
    match checked {
        Err(cause) if is_damage(&cause) => Ok(Some(cause.to_string())),
        checked => checked.map(|()| None).map_err(refusal(&store.path)),
    }
}

/// Keeps others from writing while the file is moved, and brings into it what is in the log of changes. Where that
/// cannot be done because of the damage, nothing can write either.
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
