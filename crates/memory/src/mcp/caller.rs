//! Who calls: which agent of which session, in which project.

use std::path::PathBuf;

use tenter_contract::SessionId;
use tenter_ghap::Who;

use crate::error::MemoryError;
use crate::live::{AgentProcess, Asking, LiveSessions};
use crate::project::Project;
use crate::questions::Scope;

/// How callers are told apart. The session is looked up at every call, because one process may go on with another.
#[derive(Debug)]
pub struct Sessions {
    live: LiveSessions,
    folder: PathBuf,
    process: Option<AgentProcess>,
    own: SessionId,
}

/// What a caller says about itself.
#[derive(Clone, Debug, Default)]
pub(super) struct Named {
    pub(super) session: Option<String>,
    pub(super) agent_id: Option<String>,
}

/// Who calls.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The agent of the session.
    pub who: Who,
    /// The project it is in.
    pub project: Project,
    /// The folder it works in.
    pub folder: PathBuf,
    /// What it calls itself, such as `claude-code`.
    pub client: Option<String>,
}

impl Sessions {
    /// Callers that work in this folder and were started by this process. Where nobody knows their session, it is
    /// `own`.
    pub fn new(live: LiveSessions, folder: PathBuf, process: Option<AgentProcess>, own: SessionId) -> Self {
        Self { live, folder, process, own }
    }

    /// Who calls, if the client calls itself so.
    pub(super) fn caller(&self, client: Option<&str>, named: Named) -> Result<Caller, MemoryError> {
        let project = Project::of(&self.folder);
        let session = match named.session {
            Some(text) => SessionId::parse(&text).ok_or_else(|| {
                MemoryError::validation("`session_id` is empty; leave it out or give the id")
            })?,
            None => self.found(client, &project),
        };
        let who = match named.agent_id {
            Some(agent_id) => Who::sub_agent(session, &agent_id),
            None => Who::of(session),
        };
        Ok(Caller { who, project, folder: self.folder.clone(), client: client.map(str::to_owned) })
    }

    /// The session of those who say nothing about it.
    pub fn current(&self, client: Option<&str>) -> SessionId {
        self.found(client, &Project::of(&self.folder))
    }

    fn found(&self, client: Option<&str>, project: &Project) -> SessionId {
        let asking = Asking { process: self.process.as_ref(), project: Some(project.as_str()), client };
        self.live.of(&asking, crate::live::now()).unwrap_or_else(|| self.own.clone())
    }
}

impl Caller {
    pub(super) fn scope(&self) -> Scope {
        Scope::Project(self.project.clone())
    }
}
