//! Opens the user's memory for the current folder.

use std::path::PathBuf;

use tenter_contract::SessionId;
use tenter_ghap::Who;
use tenter_memory::live::{AgentProcess, LiveSession, LiveSessions};
use tenter_memory::mcp::Sessions;
use tenter_memory::{Memory, Project, Scope};

use tenter_console::error::CliError;
use tenter_console::places::state;
use tenter_console::printer;

/// The memory, and the project of the current folder.
pub struct Opened {
    /// The memory of this user.
    pub memory: Memory,
    pub(crate) project: Project,
    pub(crate) folder: PathBuf,
}

impl Opened {
    /// Opens the memory. This reads and writes nothing yet.
    pub fn here() -> Result<Self, CliError> {
        let folder = std::env::current_dir().map_err(|error| {
            CliError::bad_input("this folder", error.to_string(), "go to one that is there")
        })?;
        let project = Project::from_folder(&folder);
        Ok(Self { memory: tenter_host::memory::open(state()?), project, folder })
    }

    pub(crate) fn scope(&self, all_projects: bool) -> Scope {
        if all_projects { Scope::Everywhere } else { Scope::Project(self.project.clone()) }
    }

    /// The project with this name; `here` is the current one.
    pub(crate) fn project_named(&self, name: &str) -> Project {
        if name == "here" { self.project.clone() } else { Project::named(name) }
    }

    /// The sessions that a server serves: that of the agent which started it, or its own.
    pub fn sessions_of_server(&self, own: SessionId) -> Result<Sessions, CliError> {
        let live = LiveSessions::new(state()?);
        // Its own session goes on as long as it does. Anyone who cannot note that is judged by silence.
        let _ = live.record(&LiveSession {
            session: own.as_str().to_owned(),
            project: Some(self.project.as_str().to_owned()),
            agent: None,
            process: AgentProcess::this(),
            steady: true,
            last_event_ms: 0,
        });
        Ok(Sessions::new(live, self.folder.clone(), AgentProcess::above(), own))
    }

    /// The same for a command: the session in `TENTER_SESSION_ID` (set for hooks), that of the agent which runs the
    /// shell, or the one that all terminals of the project share.
    pub(crate) fn sessions(&self) -> Result<Sessions, CliError> {
        let from_hook = std::env::var("TENTER_SESSION_ID").ok().and_then(|id| SessionId::parse(&id));
        let process = if from_hook.is_some() { None } else { AgentProcess::above() };
        let own = from_hook.or_else(|| self.by_hand()).unwrap_or_else(SessionId::shared);
        Ok(Sessions::new(LiveSessions::new(state()?), self.folder.clone(), process, own))
    }

    /// The shared session of all terminals of the project. An active entry under an earlier name of the project keeps
    /// that name.
    fn by_hand(&self) -> Option<SessionId> {
        let of = |name: &str| Who::by_hand(name);
        let sessions = self.memory.names_of(&self.project).into_iter().filter_map(|name| of(&name));
        let is_used =
            |session: &SessionId| matches!(self.memory.active_ghap(&Who::new(session.clone())), Ok(Some(_)));
        let mut sessions = sessions.filter(is_used);
        sessions.next().or_else(|| of(&self.memory.name_of(&self.project)))
    }

    /// Prints notices of the memory.
    pub(crate) fn print_notices(&self) {
        for notice in self.memory.take_notices() {
            printer::warn(&notice);
        }
    }
}
