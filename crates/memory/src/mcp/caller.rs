//! Resolves the caller of a tool: agent, session and project.

use std::path::PathBuf;

use tenter_contract::SessionId;
use tenter_ghap::Who;

use crate::error::MemoryError;
use crate::live::{AgentProcess, LiveSession, LiveSessions, SessionLookup};
use crate::project::Project;
use crate::types::Scope;

/// Resolves callers. The session is looked up at every call, because a process may continue with another session.
#[derive(Debug)]
pub struct Sessions {
    live: LiveSessions,
    folder: PathBuf,
    process: Option<AgentProcess>,
    own: SessionId,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Named {
    pub(super) session: Option<String>,
    pub(super) agent_id: Option<String>,
}

/// The caller of a tool.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The agent of the session.
    pub who: Who,
    /// Its project.
    pub project: Project,
    /// Its folder.
    pub folder: PathBuf,
    /// The name of its client, such as `claude-code`.
    pub client: Option<String>,
}

impl Sessions {
    /// Callers in this folder that this process started. `own` is the session of callers whose session is unknown.
    pub fn new(live: LiveSessions, folder: PathBuf, process: Option<AgentProcess>, own: SessionId) -> Self {
        Self { live, folder, process, own }
    }

    pub(super) fn caller(&self, client: Option<&str>, named: Named) -> Result<Caller, MemoryError> {
        let named_session = named.session.map(|text| {
            SessionId::parse(&text)
                .ok_or_else(|| MemoryError::validation("`session_id` is empty; leave it out or give the id"))
        });
        let named_session = named_session.transpose()?;
        let live = match &named_session {
            Some(session) => {
                let mut all = self.live.all(crate::live::now()).into_iter();
                all.find(|live| live.session == session.as_str())
            }
            None => self.live_session(client),
        };
        // Hooks know the project; the server may run in another folder.
        let here = Project::from_folder(&self.folder);
        let project = match live.as_ref().and_then(|live| live.project.as_deref()) {
            Some(name) if name != here.as_str() => Project::named(name),
            _ => here,
        };
        let session = named_session.or_else(|| SessionId::parse(&live?.session));
        let session = session.unwrap_or_else(|| self.own.clone());
        let who = Who::sub_agent(session, named.agent_id.as_deref().unwrap_or_default());
        Ok(Caller { who, project, folder: self.folder.clone(), client: client.map(str::to_owned) })
    }

    /// The session of a caller that does not name one.
    pub fn current(&self, client: Option<&str>) -> SessionId {
        let live = self.live_session(client).and_then(|live| SessionId::parse(&live.session));
        live.unwrap_or_else(|| self.own.clone())
    }

    fn live_session(&self, client: Option<&str>) -> Option<LiveSession> {
        let project = (!self.is_outside_projects()).then(|| Project::from_folder(&self.folder));
        let project = project.as_ref().map(Project::as_str);
        self.live.find(&SessionLookup { process: self.process.as_ref(), project, client }, crate::live::now())
    }

    /// Whether the folder is the home folder or the root, which are no projects.
    fn is_outside_projects(&self) -> bool {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        self.folder.parent().is_none() || home.is_some_and(|home| home == self.folder)
    }
}

impl Caller {
    pub(super) fn scope(&self) -> Scope {
        Scope::Project(self.project.clone())
    }
}
