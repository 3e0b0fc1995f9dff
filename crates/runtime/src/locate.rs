//! Where an event belongs: to which agent, and to which project, which is not where the agent happens to be.

use std::path::Path;

use tenter_contract::Event;
use tenter_contract::ports::Surroundings;

use crate::Runtime;

impl Runtime {
    /// Fills in the project root: the agent's own variable, else the one remembered for the session, else
    /// the git top level, which is remembered. An agent's directory may follow the model's `cd`, so it is
    /// looked at once per session and never taken for the root itself.
    pub(crate) fn locate(&self, mut event: Event) -> Event {
        if event.project_root.is_some() {
            return event;
        }
        // State that cannot be read is told when the record cannot be written; the event goes on.
        let remembered = self.sessions.recall(&event.session).ok().and_then(|session| session.project_root);
        event.project_root = remembered.or_else(|| {
            let root = git_top_level(event.cwd.as_deref()?)?;
            let _ = self.sessions.remember_project_root(&event.session, &root);
            Some(root)
        });
        event
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
