//! Who calls: which agent of which session, in which project.

use std::path::PathBuf;

use tenter_contract::SessionId;
use tenter_ghap::Who;

use crate::error::MemoryError;
use crate::live::{AgentProcess, LiveSession, LiveSessions, SessionLookup};
use crate::project::Project;
use crate::types::Scope;

/// How callers are shown apart. The session is checked up at every call, because one process may go on with another.
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
    /// Callers that work in this folder and were started by this process. Where their session is unknown, it is
    /// `own`.
    pub fn new(live: LiveSessions, folder: PathBuf, process: Option<AgentProcess>, own: SessionId) -> Self {
        Self { live, folder, process, own }
    }

    pub(super) fn caller(&self, client: Option<&str>, named: Named) -> Result<Caller, MemoryError> {
        let named_session = named.session.map(|text| {
            SessionId::parse(&text)
                .ok_or_else(|| MemoryError::validation("`session_id` is empty; leave it out or give the id"))
        });
        let live = match named_session.transpose()? {
            Some(session) => self.named(&session),
            None => self.resolve_session(client),
        };
        // Hooks know the project; where a server is may be anywhere.
        let here = Project::from_folder(&self.folder);
        let project = match live.project {
            Some(name) if name != here.as_str() => Project::named(name),
            _ => here,
        };
        let session = SessionId::parse(&live.session).unwrap_or_else(|| self.own.clone());
        let who = match named.agent_id {
            Some(agent_id) => Who::sub_agent(session, &agent_id),
            None => Who::new(session),
        };
        Ok(Caller { who, project, folder: self.folder.clone(), client: client.map(str::to_owned) })
    }

    /// The session of those who say nothing about it.
    pub fn current(&self, client: Option<&str>) -> SessionId {
        SessionId::parse(&self.resolve_session(client).session).unwrap_or_else(|| self.own.clone())
    }

    fn resolve_session(&self, client: Option<&str>) -> LiveSession {
        let project = (!self.is_outside_projects()).then(|| Project::from_folder(&self.folder));
        let project = project.as_ref().map(Project::as_str);
        let lookup = SessionLookup { process: self.process.as_ref(), project, client };
        self.live.find(&lookup, crate::live::now()).unwrap_or_else(|| unknown_session(&self.own))
    }

    fn named(&self, session: &SessionId) -> LiveSession {
        let mut all = self.live.all(crate::live::now()).into_iter();
        all.find(|live| live.session == session.as_str()).unwrap_or_else(|| unknown_session(session))
    }

    /// In the home folder or above everything, where no project is.
    fn is_outside_projects(&self) -> bool {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        self.folder.parent().is_none() || home.is_some_and(|home| home == self.folder)
    }
}

fn unknown_session(session: &SessionId) -> LiveSession {
    LiveSession {
        session: session.as_str().to_owned(),
        project: None,
        agent: None,
        process: None,
        steady: false,
        last_event_ms: 0,
    }
}

impl Caller {
    pub(super) fn scope(&self) -> Scope {
        Scope::Project(self.project.clone())
    }
}
