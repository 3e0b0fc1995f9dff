//! The memory of this user, as seen from the folder where a command was typed.

use std::path::PathBuf;

use tenter_contract::SessionId;
use tenter_memory::live::{AgentProcess, LiveSessions};
use tenter_memory::mcp::Sessions;
use tenter_memory::{Memory, Project, Scope};

use super::super::state;
use crate::error::CliError;
use crate::printer;

/// The memory, and where we are.
pub(in crate::commands) struct Opened {
    pub(in crate::commands) memory: Memory,
    pub(in crate::commands) project: Project,
    pub(in crate::commands) folder: PathBuf,
}

impl Opened {
    /// Opens it; nothing is touched yet.
    pub(in crate::commands) fn here() -> Result<Self, CliError> {
        let folder = std::env::current_dir().map_err(|error| CliError::BadInput {
            what: "this folder".to_owned(),
            detail: error.to_string(),
            hint: "go to one that is there".to_owned(),
        })?;
        let project = Project::of(&folder);
        Ok(Self { memory: tenter_host::memory::open(state()?), project, folder })
    }

    /// Whose things are looked at.
    pub(in crate::commands) fn scope(&self, all_projects: bool) -> Scope {
        if all_projects { Scope::Everywhere } else { Scope::Project(self.project.clone()) }
    }

    /// How sessions are told apart here: by the agent that has started us, if one has.
    pub(in crate::commands) fn sessions(&self, own: SessionId) -> Result<Sessions, CliError> {
        let live = LiveSessions::new(state()?);
        Ok(Sessions::new(live, self.folder.clone(), AgentProcess::above(), own))
    }

    /// What the user must know besides.
    pub(in crate::commands) fn tell_notices(&self) {
        for notice in self.memory.take_notices() {
            printer::write_error(&format!("warning: {notice}\n"));
        }
    }
}

/// The session of commands: the one a hook's script was told, or one that all terminals of a project share.
pub(in crate::commands) fn own_session(project: &Project) -> SessionId {
    let told = std::env::var("TENTER_SESSION_ID").ok();
    let told = told.and_then(|id| SessionId::parse(&id));
    told.or_else(|| SessionId::parse(&format!("by-hand:{project}"))).unwrap_or_else(SessionId::unknown)
}
