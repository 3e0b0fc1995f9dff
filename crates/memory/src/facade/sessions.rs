//! Sessions: when they begin and end, and what they leave behind.

use tenter_contract::SessionId;
use tenter_ghap::{Seeking, Who};

use super::Memory;
use crate::error::MemoryError;
use crate::live::{AgentProcess, LiveSession, LiveSessions};
use crate::project::Project;
use crate::questions::{Ended, Kept, Orphan, Resolved};

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
        self.heard_of(session);
        self.active.return_to_session(&session.session)?;
        // What cannot be used later is told now, when somebody may still do something about it.
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

    /// Leaves word for those whom nobody tells their session (MCP, commands in an agent's shell): it is this one for
    /// whoever is started by the same process.
    pub fn heard_of(&self, session: &NewSession) {
        let live = LiveSession {
            session: session.session.as_str().to_owned(),
            project: session.project.as_ref().map(|project| self.name_of(project)),
            agent: session.agent.clone(),
            process: AgentProcess::above(),
            steady: false,
            heard_ms: 0,
        };
        // Without it they keep a session of their own, or name theirs.
        let _ = self.live().heard(&live);
    }

    /// The sessions that go on.
    pub fn live(&self) -> LiveSessions {
        LiveSessions::new(self.state.clone())
    }

    /// Notes that a session ends. If the store cannot be used a notice says so, and nothing is counted.
    pub fn end_session(&self, session: &SessionId, ending: &Ending) -> Result<Ended, MemoryError> {
        let now = self.now();
        self.live().over(session);
        let left = match ending {
            Ending::Over(reason) => self.active.abandon_session(session, reason, now)?,
            Ending::GoesOn => {
                self.active.leave_session(session, now)?;
                Vec::new()
            }
        };
        let kept = if left.is_empty() { Kept::Stored } else { self.keep() };
        let abandoned = left.into_iter().map(|entry| Resolved { entry, kept: kept.clone() }).collect();
        let resolved = self.with_store(|store| store.ended(Some(session.as_str())));
        // What was abandoned is abandoned, whatever the store says.
        let resolved = resolved.unwrap_or_else(|error| {
            self.tell(error.message);
            [0; 3]
        });
        Ok(Ended { abandoned, resolved })
    }

    /// The latest entry of this project that nobody works on any more.
    pub fn get_orphan(&self, who: &Who, project: Option<&Project>) -> Result<Option<Orphan>, MemoryError> {
        Ok(self.orphans(who, project)?.into_iter().next())
    }

    /// All of them, latest first.
    pub fn orphans(&self, who: &Who, project: Option<&Project>) -> Result<Vec<Orphan>, MemoryError> {
        let mut orphans = Vec::new();
        for name in self.names(project) {
            orphans.extend(self.seeking(who, name.as_deref(), |seeking| self.active.orphans(seeking))?);
        }
        orphans.sort_by_key(|(_, seen)| std::cmp::Reverse(*seen));
        Ok(orphans.into_iter().map(|(entry, last_seen)| Orphan { entry, last_seen }).collect())
    }

    /// Looks for what others left behind, with all that is known of them.
    pub(super) fn seeking<T>(
        &self,
        who: &Who,
        project: Option<&str>,
        look: impl FnOnce(&Seeking<'_>) -> Result<T, MemoryError>,
    ) -> Result<T, MemoryError> {
        let (live, now) = (self.live(), self.now());
        let life = |session: &str| live.life(session, now);
        look(&Seeking { who, project, now, life: &life })
    }
}
