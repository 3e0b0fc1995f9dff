//! Queries and changes with the errors that users see.

use rusqlite::{OptionalExtension, Params, Row};

use super::{Store, refusal};
use crate::error::MemoryError;

/// Why a change was rolled back.
pub(super) enum ChangeError {
    Sqlite(rusqlite::Error),
    Memory(MemoryError),
}

impl From<rusqlite::Error> for ChangeError {
    fn from(cause: rusqlite::Error) -> Self {
        Self::Sqlite(cause)
    }
}

impl From<MemoryError> for ChangeError {
    fn from(error: MemoryError) -> Self {
        Self::Memory(error)
    }
}

impl From<serde_json::Error> for ChangeError {
    fn from(cause: serde_json::Error) -> Self {
        Self::Memory(MemoryError::internal(cause.to_string()))
    }
}

impl Store {
    pub(super) fn query_one<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, MemoryError> {
        let row = self.connection.prepare_cached(sql).and_then(|mut query| query.query_row(values, read));
        row.map_err(refusal(&self.path))
    }

    pub(super) fn query_optional<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, MemoryError> {
        let row = self.connection.prepare_cached(sql);
        let row = row.and_then(|mut query| query.query_row(values, read).optional());
        row.map_err(refusal(&self.path))
    }

    pub(super) fn query_all<T>(
        &self,
        sql: &str,
        values: impl Params,
        read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, MemoryError> {
        let rows = self.connection.prepare_cached(sql);
        let rows = rows.and_then(|mut query| query.query_map(values, read)?.collect());
        rows.map_err(refusal(&self.path))
    }
}

/// A column with JSON.
pub(super) fn read_json<T: serde::de::DeserializeOwned>(row: &Row<'_>, column: usize) -> rusqlite::Result<T> {
    serde_json::from_str(&row.get::<_, String>(column)?).map_err(|cause| {
        rusqlite::Error::FromSqlConversionFailure(column, rusqlite::types::Type::Text, Box::new(cause))
    })
}
