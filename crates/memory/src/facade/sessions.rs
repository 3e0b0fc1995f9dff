//! Starts and ends sessions, and finds orphans.

use tenter_contract::SessionId;
use tenter_ghap::{OrphanSearch, Who};

use super::Memory;
use crate::error::MemoryError;
use crate::live::{AgentProcess, LiveSession, LiveSessions};
use crate::project::Project;
use crate::types::{Ended, Orphan, Resolved, StoreStatus};

/// A session that starts or resumes.
#[derive(Clone, Debug)]
pub struct NewSession {
    /// Its id.
    pub session: SessionId,
    /// The project it is in.
    pub project: Option<Project>,
    /// The agent's name, such as `claude`.
    pub agent: Option<String>,
}

/// How a session ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// For good: its active entries are abandoned for this reason.
    Over(String),
    /// It continues with another id (`clear`, `resume`): its active entries are left to the next session.
    GoesOn,
}

impl Memory {
    /// Starts a session and takes back the entries that it left.
    pub fn start_session(&self, session: &NewSession) -> Result<(), MemoryError> {
        self.note_live_session(session);
        self.active.return_to_session(&session.session)?;
        // Report an unusable store at the start, when the user can still fix it.
        self.with_store(|store| {
            if let Some(why) = store.read_only() {
                return Err(MemoryError::internal(why));
            }
            store.can_be_written()?;
            match &session.project {
                Some(project) => store.note(project),
                None => Ok(()),
            }
        })
    }

    /// Records the session for processes that do not know it (MCP servers, commands in an agent's shell).
    pub fn note_live_session(&self, session: &NewSession) {
        let live = LiveSession {
            session: session.session.as_str().to_owned(),
            project: session.project.as_ref().map(|project| self.name_of(project)),
            agent: session.agent.clone(),
            process: AgentProcess::above(),
            steady: false,
            last_event_ms: 0,
        };
        // Without the record they use a session of their own.
        let _ = self.live().record(&live);
    }

    /// The live sessions.
    pub fn live(&self) -> LiveSessions {
        LiveSessions::new(self.state.clone())
    }

    /// Ends a session. If the store cannot be used, a notice says so and nothing is counted.
    pub fn end_session(&self, session: &SessionId, ending: &Ending) -> Result<Ended, MemoryError> {
        let now = self.now();
        self.live().remove(session);
        let abandoned_entries = match ending {
            Ending::Over(reason) => self.active.abandon_session(session, reason, now)?,
            Ending::GoesOn => {
                self.active.leave_session(session, now)?;
                Vec::new()
            }
        };
        let kept = if abandoned_entries.is_empty() { StoreStatus::Stored } else { self.store_finished() };
        let abandoned = abandoned_entries
            .into_iter()
            .map(|entry| Resolved { entry, store_status: kept.clone() })
            .collect();
        let resolved = self.with_store(|store| store.ended(Some(session.as_str())));
        // Entries are abandoned even if the store fails.
        let resolved = resolved.unwrap_or_else(|error| {
            self.notify(error.to_string());
            [0; 3]
        });
        Ok(Ended { abandoned, resolved })
    }

    /// The orphans of a project, latest first.
    pub fn orphans(&self, who: &Who, project: Option<&Project>) -> Result<Vec<Orphan>, MemoryError> {
        let mut orphans = Vec::new();
        for name in self.names(project) {
            orphans.extend(self.search_orphans(who, name.as_deref(), |search_orphans| {
                self.active.orphans(search_orphans)
            })?);
        }
        orphans.sort_by_key(|(_, seen)| std::cmp::Reverse(*seen));
        Ok(orphans.into_iter().map(|(entry, last_seen)| Orphan { entry, last_seen }).collect())
    }

    pub(super) fn search_orphans<T>(
        &self,
        who: &Who,
        project: Option<&str>,
        search: impl FnOnce(&OrphanSearch<'_>) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        let (live, now) = (self.live(), self.now());
        let life = |session: &str| live.life(session, now);
        search(&OrphanSearch { who, project, now, life: &life })
    }
}
