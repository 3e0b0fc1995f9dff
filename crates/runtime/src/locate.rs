//! Where an event belongs: to which agent, and to which project, which is not where the agent happens to be.

use std::path::Path;

use tenter_contract::ports::{ShelfError, Surroundings};
use tenter_contract::{Event, SessionId};

use crate::Runtime;

/// An event in its place, and what went wrong on the way there.
pub struct Located {
    /// The event.
    pub event: Event,
    /// Why the session's memory could not be used, if so.
    pub trouble: Option<ShelfError>,
}

impl Runtime {
    /// Fills in the project root: the agent's own variable, else the one remembered for the session, else
    /// the git top level, which is remembered. An agent's directory may follow the model's `cd`, so it is
    /// looked at once per session and never taken for the root itself. Events that name no session have nothing in
    /// common: what is remembered of one says nothing about the next.
    pub fn locate(&self, mut event: Event) -> Located {
        if event.project_root.is_some() {
            return Located { event, trouble: None };
        }
        if event.session == SessionId::unknown() {
            event.project_root = event.cwd.as_deref().and_then(git_top_level);
            return Located { event, trouble: None };
        }
        let (remembered, mut trouble) = match self.sessions.recall(&event.session) {
            Ok(session) => (session.project_root, None),
            Err(error) => (None, Some(error)),
        };
        event.project_root = remembered.or_else(|| {
            let root = git_top_level(event.cwd.as_deref()?)?;
            if let Err(error) = self.sessions.remember_project_root(&event.session, &root) {
                trouble.get_or_insert(error);
            }
            Some(root)
        });
        Located { event, trouble }
    }
}

/// The event under the agent id that the command names, if the payload names none.
pub(crate) fn named(mut event: Event, surroundings: &Surroundings) -> Event {
    if event.agent_id.is_none() {
        event.agent_id.clone_from(&surroundings.agent_id);
    }
    event
}

/// The nearest folder at or above that has a `.git`, which is a file in worktrees and submodules.
fn git_top_level(cwd: &str) -> Option<String> {
    let found = Path::new(cwd).ancestors().find(|folder| folder.join(".git").exists())?;
    found.to_str().map(str::to_owned)
}
