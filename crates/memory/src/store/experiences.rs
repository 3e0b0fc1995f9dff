//! Rows of resolved entries.

use rusqlite::{OptionalExtension, Row, ToSql, params};
use tenter_ghap::{Domain, Entry, Status, Tier};

use super::refusal::refusal;
use super::{Store, Whose, indexed_text, tombstones};
use crate::error::MemoryError;
use crate::search::axes;
use crate::types::{EntryFilter, Experience, PENDING, Scope};

/// Of so many of the latest the best are shown where nothing is asked in particular.
const RECENT: i64 = 500;

impl Store {
    /// Stores entries; says how many of them were new. The same id twice is one entry, the first; what was forgotten stays
    /// so.
    pub(crate) fn add_experiences(&mut self, entries: &[Experience]) -> Result<usize, MemoryError> {
        let refused = refusal(&self.path);
        self.update_vectors()?;
        let added = self.change(|transaction, embedder| {
            let mut added = 0;
            for Experience { entry, superseded_by } in entries {
                let Some(outcome) = &entry.outcome else {
                    return Err(MemoryError::validation(format!("{} is not resolved", entry.id)));
                };
                if tombstones::is_forgotten(transaction, &entry.id).map_err(&refused)? {
                    continue;
                }
                let tier = entry.confidence_tier.unwrap_or(Tier::Bronze);
                let json = serde_json::to_string(entry).map_err(|cause| MemoryError::internal(cause.to_string()))?;
                let mut insert = transaction
                    .prepare_cached(
                        "INSERT OR IGNORE INTO experiences (id, session, project, domain, status, tier, created_ms, \
                         resolved_ms, superseded_by, entry) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    )
                    .map_err(&refused)?;
                let new = insert
                    .execute(params![
                        entry.id,
                        entry.session_id,
                        entry.project,
                        entry.domain.as_str(),
                        outcome.status.as_str(),
                        tier.as_str(),
                        entry.created_at.unix_ms.cast_signed(),
                        outcome.captured_at.unix_ms.cast_signed(),
                        superseded_by,
                        json,
                    ])
                    .map_err(&refused)?;
                if new == 1 {
                    let number = transaction.last_insert_rowid();
                    indexed_text::add(transaction, number, &axes::indexed_texts(entry), embedder).map_err(&refused)?;
                    added += 1;
                }
            }
            Ok(added)
        })?;
        self.update_index();
        Ok(added)
    }

    pub(crate) fn experience(&self, id: &str) -> Result<Option<Experience>, MemoryError> {
        self.connection
            .prepare_cached("SELECT entry, superseded_by FROM experiences WHERE id = ?")
            .and_then(|mut statement| statement.query_row([id], experience_of).optional())
            .map_err(refusal(&self.path))
    }

    pub(crate) fn experience_numbered(&self, number: i64) -> Result<Experience, MemoryError> {
        self.connection
            .prepare_cached("SELECT entry, superseded_by FROM experiences WHERE number = ?")
            .and_then(|mut statement| statement.query_row([number], experience_of))
            .map_err(refusal(&self.path))
    }

    pub(crate) fn entries(&self, filter: &EntryFilter) -> Result<Vec<Entry>, MemoryError> {
        let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
        let latest = Latest::of(&self.whose(&filter.scope), limit, |conditions| narrow(conditions, filter));
        let sql = format!(
            "SELECT entry, superseded_by FROM ({}) ORDER BY resolved_ms DESC, number DESC LIMIT {limit}",
            latest.sql("entry, superseded_by, resolved_ms, number")
        );
        let rows = self.connection.prepare_cached(&sql).and_then(|mut statement| {
            statement
                .query_map(latest.values().as_slice(), experience_of)?
                .collect::<rusqlite::Result<Vec<_>>>()
        });
        Ok(rows.map_err(refusal(&self.path))?.into_iter().map(|experience| experience.entry).collect())
    }

    /// How many there are without the limit.
    pub(crate) fn entry_count(&self, filter: &EntryFilter) -> Result<usize, MemoryError> {
        let mut conditions = Conditions::of(&self.whose(&filter.scope));
        narrow(&mut conditions, filter);
        let sql = format!("SELECT count(*) FROM experiences {}", conditions.sql());
        self.connection
            .query_row(&sql, conditions.values().as_slice(), |row| row.get(0))
            .map_err(refusal(&self.path))
    }

    pub(crate) fn all_experiences(&self) -> Result<Vec<Experience>, MemoryError> {
        self.connection
            .prepare_cached("SELECT entry, superseded_by FROM experiences ORDER BY number")
            .and_then(|mut statement| statement.query_map([], experience_of)?.collect())
            .map_err(refusal(&self.path))
    }

    /// The best and latest: numbers for when nothing is asked in particular.
    pub(crate) fn best_and_latest(
        &self,
        scope: &Scope,
        domain: Option<Domain>,
        outcome: Option<Status>,
        limit: usize,
    ) -> Result<Vec<i64>, MemoryError> {
        let latest = Latest::of(&self.whose(scope), RECENT, |conditions| {
            conditions.and("domain = ", domain.map(Domain::as_str));
            conditions.and("status = ", outcome.map(Status::as_str));
            conditions.also("superseded_by IS NULL");
        });
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let sql = format!(
            "SELECT number FROM (SELECT * FROM ({}) ORDER BY resolved_ms DESC, number DESC LIMIT {RECENT}) ORDER BY \
             CASE tier WHEN 'gold' THEN 0 WHEN 'silver' THEN 1 WHEN 'bronze' THEN 2 ELSE 3 END, resolved_ms DESC, \
             number DESC LIMIT {limit}",
            latest.sql("number, tier, resolved_ms")
        );
        self.connection
            .prepare_cached(&sql)
            .and_then(|mut statement| {
                statement.query_map(latest.values().as_slice(), |row| row.get(0))?.collect()
            })
            .map_err(refusal(&self.path))
    }

    /// How many entries of a session ended how: confirmed, falsified, abandoned.
    pub(crate) fn ended(&self, session: Option<&str>) -> Result<[usize; 3], MemoryError> {
        let counts = self.count_by("status", session)?;
        Ok([Status::Confirmed, Status::Falsified, Status::Abandoned].map(|status| {
            counts.iter().find(|(name, _)| name == status.as_str()).map_or(0, |(_, count)| *count)
        }))
    }

    /// How many entries are of which tier: gold, silver, bronze, abandoned.
    pub(crate) fn tiers(&self) -> Result<[usize; 4], MemoryError> {
        let counts = self.count_by("tier", None)?;
        Ok([Tier::Gold, Tier::Silver, Tier::Bronze, Tier::Abandoned]
            .map(|tier| counts.iter().find(|(name, _)| name == tier.as_str()).map_or(0, |(_, count)| *count)))
    }

    fn count_by(&self, column: &str, session: Option<&str>) -> Result<Vec<(String, usize)>, MemoryError> {
        let sql = format!(
            "SELECT {column}, count(*) FROM experiences WHERE ?1 IS NULL OR session = ?1 GROUP BY {column}"
        );
        self.connection
            .prepare_cached(&sql)
            .and_then(|mut statement| {
                statement.query_map([session], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
            })
            .map_err(refusal(&self.path))
    }

    pub(crate) fn projects(&self) -> Result<usize, MemoryError> {
        self.connection
            .query_row(
                "SELECT count(*) FROM (SELECT project FROM experiences WHERE project IS NOT NULL \
                 UNION SELECT project FROM memories WHERE project IS NOT NULL)",
                [],
                |row| row.get(0),
            )
            .map_err(refusal(&self.path))
    }
}

pub(super) fn experience_of(row: &Row<'_>) -> rusqlite::Result<Experience> {
    let json: String = row.get(0)?;
    let entry = serde_json::from_str(&json).map_err(|cause| {
        rusqlite::Error::FromSqlConversionFailure(0, rusqlite::types::Type::Text, Box::new(cause))
    })?;
    Ok(Experience { entry, superseded_by: row.get(1)? })
}

fn narrow(conditions: &mut Conditions, filter: &EntryFilter) {
    conditions.and("domain = ", filter.domain.map(Domain::as_str));
    conditions.and("status = ", filter.outcome.map(Status::as_str));
    conditions.and("created_ms >= ", filter.since.map(|since| since.unix_ms.cast_signed()));
    conditions.and("session = ", filter.session.clone());
}

/// The latest entries of each whose they may be, found by an index: one condition for all of them would make SQLite read
/// and sort every entry of a project.
struct Latest {
    each: Vec<Conditions>,
    limit: i64,
}

impl Latest {
    fn of(whose: &Whose, limit: i64, more: impl Fn(&mut Conditions)) -> Self {
        let mut each = vec![Conditions::default()];
        if let Whose::Of(names) = whose {
            each[0].also("project IS NULL");
            each.extend(names.iter().map(|name| {
                let mut own = Conditions::default();
                own.and("project = ", Some(name.clone()));
                own
            }));
        }
        each.iter_mut().for_each(more);
        Self { each, limit }
    }

    fn sql(&self, columns: &str) -> String {
        let parts: Vec<String> = self.each.iter().map(|conditions| {
            format!(
                "SELECT * FROM (SELECT {columns} FROM experiences {} ORDER BY resolved_ms DESC, number DESC LIMIT {})",
                conditions.sql(),
                self.limit
            )
        }).collect();
        parts.join(" UNION ALL ")
    }

    fn values(&self) -> Vec<&dyn ToSql> {
        self.each.iter().flat_map(Conditions::values).collect()
    }
}

#[derive(Default)]
pub(super) struct Conditions {
    parts: Vec<String>,
    values: Vec<Box<dyn ToSql>>,
}

impl Conditions {
    pub(super) fn of(whose: &Whose) -> Self {
        let mut conditions = Self::default();
        match whose {
            Whose::Of(names) => {
                let places = vec!["?"; names.len()].join(", ");
                conditions.parts.push(format!("(project IN ({places}) OR project IS NULL)"));
                conditions.values.extend(names.iter().map(|name| Box::new(name.clone()) as Box<dyn ToSql>));
            }
            Whose::All => {
                conditions.parts.push(format!("(project IS NULL OR project NOT LIKE '{PENDING}%')"));
            }
        }
        conditions
    }

    pub(super) fn and<T: ToSql + 'static>(&mut self, begin: &str, value: Option<T>) {
        if let Some(value) = value {
            self.parts.push(format!("{begin}?"));
            self.values.push(Box::new(value));
        }
    }

    pub(super) fn also(&mut self, part: &str) {
        self.parts.push(part.to_owned());
    }

    pub(super) fn sql(&self) -> String {
        if self.parts.is_empty() { String::new() } else { format!("WHERE {}", self.parts.join(" AND ")) }
    }

    pub(super) fn values(&self) -> Vec<&dyn ToSql> {
        self.values.iter().map(AsRef::as_ref).collect()
    }
}
