//! Sessions: when they begin and end, and what they leave behind.

use tenter_contract::SessionId;
use tenter_ghap::Who;

use super::Memory;
use crate::error::MemoryError;
use crate::project::Project;
use crate::questions::{Ended, Orphan};

/// A session that begins, or is there again.
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
    /// For good: what it has not resolved is abandoned for this reason.
    Over(String),
    /// It goes on under another id (`clear`, `resume`): what it has not resolved is left to whoever comes next.
    GoesOn,
}

impl Memory {
    /// Notes that a session begins. What it left when it was last there is its own again.
    pub fn start_session(&self, session: &NewSession) -> Result<(), MemoryError> {
        self.active.return_to_session(&session.session)?;
        Err(MemoryError::internal("the store is not there yet"))
    }

    /// Notes that a session ends.
    pub fn end_session(&self, session: &SessionId, ending: &Ending) -> Result<Ended, MemoryError> {
        let _ = (session, ending);
        Err(MemoryError::internal("the store is not there yet"))
    }

    /// The session of this project that was last heard of, for those whom nobody tells theirs (MCP, commands).
    pub fn latest_session(&self, project: &Project) -> Result<Option<SessionId>, MemoryError> {
        let _ = project;
        Err(MemoryError::internal("the store is not there yet"))
    }

    /// The latest entry of this project that nobody works on any more.
    pub fn get_orphan(&self, who: &Who, project: Option<&Project>) -> Result<Option<Orphan>, MemoryError> {
        let orphans = self.active.orphans(who, project.map(Project::as_str), self.now())?;
        Ok(orphans.into_iter().next().map(|(entry, last_seen)| Orphan { entry, last_seen }))
    }
}
