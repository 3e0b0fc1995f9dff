//! Rows of sessions.

use rusqlite::{OptionalExtension, params};
use tenter_contract::{SessionId, Timestamp};

use super::Store;
use super::refusal::refusal;
use crate::error::MemoryError;

impl Store {
    /// Notes that a session is there.
    pub(crate) fn begin_session(
        &mut self,
        session: &SessionId,
        project: Option<&str>,
        agent: Option<&str>,
        now: Timestamp,
    ) -> Result<(), MemoryError> {
        let refused = refusal(&self.path);
        self.change(|transaction, _| {
            transaction
                .execute(
                    "INSERT INTO sessions VALUES (?1, ?2, ?3, ?4, ?4, NULL) ON CONFLICT (id) DO UPDATE SET \
                     project = coalesce(excluded.project, project), agent = coalesce(excluded.agent, agent), \
                     seen_ms = excluded.seen_ms, ended_ms = NULL",
                    params![session.as_str(), project, agent, now.unix_ms.cast_signed()],
                )
                .map(|_| ())
                .map_err(refused)
        })
    }

    /// Notes that a session has ended.
    pub(crate) fn end_session(&mut self, session: &SessionId, now: Timestamp) -> Result<(), MemoryError> {
        let refused = refusal(&self.path);
        self.change(|transaction, _| {
            transaction
                .execute(
                    "UPDATE sessions SET seen_ms = ?2, ended_ms = ?2 WHERE id = ?1",
                    params![session.as_str(), now.unix_ms.cast_signed()],
                )
                .map(|_| ())
                .map_err(refused)
        })
    }

    /// The session of a project that was begun last and has not ended.
    pub(crate) fn latest_session(&self, project: &str) -> Result<Option<SessionId>, MemoryError> {
        let found: Option<String> = self
            .connection
            .query_row(
                "SELECT id FROM sessions WHERE project = ? AND ended_ms IS NULL ORDER BY seen_ms DESC, id DESC LIMIT 1",
                [project],
                |row| row.get(0),
            )
            .optional()
            .map_err(refusal(&self.path))?;
        Ok(found.and_then(|id| SessionId::parse(&id)))
    }
}
