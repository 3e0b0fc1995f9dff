//! Rows of resolved entries.

use rusqlite::{Row, ToSql, params};
use tenter_ghap::{Domain, Entry, Status, Tier};

use super::query::read_json;
use super::{Store, Whose, indexed_text, tombstones};
use crate::error::MemoryError;
use crate::search::axes;
use crate::types::{EntryFilter, Experience, PENDING, Scope};

/// An empty query shows the best of this many latest entries.
const RECENT: i64 = 500;

impl Store {
    /// Stores entries and returns how many were new. A known id is skipped, and so is one that was forgotten.
    pub(crate) fn add_experiences(&mut self, entries: &[Experience]) -> Result<usize, MemoryError> {
        self.update_vectors()?;
        let added = self.change(|transaction, embedder| {
            let mut added = 0;
            for Experience { entry, superseded_by } in entries {
                let Some(outcome) = &entry.outcome else {
                    return Err(MemoryError::validation(format!("{} is not resolved", entry.id)).into());
                };
                if tombstones::is_forgotten(transaction, &entry.id)? {
                    continue;
                }
                let new = transaction
                    .prepare_cached(
                        "INSERT OR IGNORE INTO experiences (id, session, project, domain, status, tier, created_ms, \
                         resolved_ms, superseded_by, entry) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    )?
                    .execute(params![
                        entry.id,
                        entry.session_id,
                        entry.project,
                        entry.domain.as_str(),
                        outcome.status.as_str(),
                        entry.confidence_tier.unwrap_or(Tier::Bronze).as_str(),
                        entry.created_at.unix_ms.cast_signed(),
                        outcome.captured_at.unix_ms.cast_signed(),
                        superseded_by,
                        serde_json::to_string(entry)?,
                    ])?;
                if new == 1 {
                    let number = transaction.last_insert_rowid();
                    indexed_text::add(transaction, number, &axes::indexed_texts(entry), embedder)?;
                    added += 1;
                }
            }
            Ok(added)
        })?;
        self.update_index();
        Ok(added)
    }

    pub(crate) fn experience(&self, id: &str) -> Result<Option<Experience>, MemoryError> {
        let sql = "SELECT entry, superseded_by FROM experiences WHERE id = ?";
        self.query_optional(sql, [id], read_experience)
    }

    pub(crate) fn experience_numbered(&self, number: i64) -> Result<Experience, MemoryError> {
        let sql = "SELECT entry, superseded_by FROM experiences WHERE number = ?";
        self.query_one(sql, [number], read_experience)
    }

    pub(crate) fn entries(&self, filter: &EntryFilter) -> Result<Vec<Entry>, MemoryError> {
        let limit = i64::try_from(filter.limit).unwrap_or(i64::MAX);
        let latest = Latest::new(&self.whose(&filter.scope), limit, |conditions| narrow(conditions, filter));
        let sql = format!(
            "SELECT entry, superseded_by FROM ({}) ORDER BY resolved_ms DESC, number DESC LIMIT {limit}",
            latest.sql("entry, superseded_by, resolved_ms, number")
        );
        self.query_all(&sql, latest.values().as_slice(), |row| Ok(read_experience(row)?.entry))
    }

    /// How many entries match, whatever the limit.
    pub(crate) fn entry_count(&self, filter: &EntryFilter) -> Result<usize, MemoryError> {
        let mut conditions = Conditions::new(&self.whose(&filter.scope));
        narrow(&mut conditions, filter);
        let sql = format!("SELECT count(*) FROM experiences {}", conditions.sql());
        self.query_one(&sql, conditions.values().as_slice(), |row| row.get(0))
    }

    pub(crate) fn all_experiences(&self) -> Result<Vec<Experience>, MemoryError> {
        self.query_all("SELECT entry, superseded_by FROM experiences ORDER BY number", [], read_experience)
    }

    /// The numbers to show for an empty query: the latest, the best tier first.
    pub(crate) fn best_and_latest(
        &self,
        scope: &Scope,
        domain: Option<Domain>,
        outcome: Option<Status>,
        limit: usize,
    ) -> Result<Vec<i64>, MemoryError> {
        let latest = Latest::new(&self.whose(scope), RECENT, |conditions| {
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
        self.query_all(&sql, latest.values().as_slice(), |row| row.get(0))
    }

    /// How the entries of a session ended, or all entries: confirmed, falsified, abandoned.
    pub(crate) fn ended(&self, session: Option<&str>) -> Result<[usize; 3], MemoryError> {
        let words = [Status::Confirmed, Status::Falsified, Status::Abandoned].map(Status::as_str);
        self.count_by("status", words, session)
    }

    /// How many entries have which tier: gold, silver, bronze, abandoned.
    pub(crate) fn tiers(&self) -> Result<[usize; 4], MemoryError> {
        let words = [Tier::Gold, Tier::Silver, Tier::Bronze, Tier::Abandoned].map(Tier::as_str);
        self.count_by("tier", words, None)
    }

    fn count_by<const N: usize>(
        &self,
        column: &str,
        words: [&str; N],
        session: Option<&str>,
    ) -> Result<[usize; N], MemoryError> {
        let sql = format!(
            "SELECT {column}, count(*) FROM experiences WHERE ?1 IS NULL OR session = ?1 GROUP BY {column}"
        );
        let counts: Vec<(String, usize)> =
            self.query_all(&sql, [session], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(words.map(|word| counts.iter().find(|(name, _)| name == word).map_or(0, |(_, count)| *count)))
    }

    pub(crate) fn projects(&self) -> Result<usize, MemoryError> {
        let sql = "SELECT count(*) FROM (SELECT project FROM experiences WHERE project IS NOT NULL \
                   UNION SELECT project FROM memories WHERE project IS NOT NULL)";
        self.query_one(sql, [], |row| row.get(0))
    }
}

pub(super) fn read_experience(row: &Row<'_>) -> rusqlite::Result<Experience> {
    Ok(Experience { entry: read_json(row, 0)?, superseded_by: row.get(1)? })
}

fn narrow(conditions: &mut Conditions, filter: &EntryFilter) {
    conditions.and("domain = ", filter.domain.map(Domain::as_str));
    conditions.and("status = ", filter.outcome.map(Status::as_str));
    conditions.and("created_ms >= ", filter.since.map(|since| since.unix_ms.cast_signed()));
    conditions.and("session = ", filter.session.clone());
}

/// The latest entries, one indexed query for each project name. A single condition over all names would make SQLite
/// read and sort every entry of a project.
struct Latest {
    each: Vec<Conditions>,
    limit: i64,
}

impl Latest {
    fn new(whose: &Whose, limit: i64, more: impl Fn(&mut Conditions)) -> Self {
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
    pub(super) fn new(whose: &Whose) -> Self {
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
