//! The memory of this user, as seen from the folder where a command was typed.

use std::path::PathBuf;

use tenter_contract::SessionId;
use tenter_ghap::Who;
use tenter_memory::live::{AgentProcess, LiveSession, LiveSessions};
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

    /// The project that somebody names: `here` is this one.
    pub(in crate::commands) fn named(&self, name: &str) -> Project {
        if name == "here" { self.project.clone() } else { Project::named(name) }
    }

    /// How a server tells sessions apart: by the agent that has started it, if one has.
    pub(in crate::commands) fn sessions_of_server(&self, own: SessionId) -> Result<Sessions, CliError> {
        let live = LiveSessions::new(state()?);
        // Its own session goes on as long as it does. Whoever cannot note that is judged by silence.
        let _ = live.heard(&LiveSession {
            session: own.as_str().to_owned(),
            project: Some(self.project.as_str().to_owned()),
            agent: None,
            process: AgentProcess::this(),
            steady: true,
            heard_ms: 0,
        });
        Ok(Sessions::new(live, self.folder.clone(), AgentProcess::above(), own))
    }

    /// The same for a command. A hook's script is told its session, and that counts; an agent's shell is found by the
    /// agent; all terminals of a project share a session of their own.
    pub(in crate::commands) fn sessions(&self) -> Result<Sessions, CliError> {
        let told = std::env::var("TENTER_SESSION_ID").ok().and_then(|id| SessionId::parse(&id));
        let process = if told.is_some() { None } else { AgentProcess::above() };
        let own = told.or_else(|| self.by_hand()).unwrap_or_else(SessionId::unknown);
        Ok(Sessions::new(LiveSessions::new(state()?), self.folder.clone(), process, own))
    }

    /// The session of all terminals of the project. What was begun under an earlier name of it goes on under that one.
    fn by_hand(&self) -> Option<SessionId> {
        let of = |name: &str| Who::by_hand(name);
        let sessions = self.memory.names_of(&self.project).into_iter().filter_map(|name| of(&name));
        let is_used =
            |session: &SessionId| matches!(self.memory.active_ghap(&Who::of(session.clone())), Ok(Some(_)));
        let mut sessions = sessions.filter(is_used);
        sessions.next().or_else(|| of(&self.memory.name_of(&self.project)))
    }

    /// What the user must know besides.
    pub(in crate::commands) fn tell_notices(&self) {
        for notice in self.memory.take_notices() {
            printer::write_error(&format!("warning: {notice}\n"));
        }
    }
}
