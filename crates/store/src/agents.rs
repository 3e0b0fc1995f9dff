//! The agents that run now: the process of each session, and whether the session is in a turn.
//!
//! One file per session below `agents` in the state folder names the process. A second file exists while the session
//! is in a turn: from a prompt or a tool call until the agent stops. It ends with the agent's process. The first one
//! stays for 30 days: a session without one that sent events before was removed from the register.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tenter_contract::SessionId;

use crate::clock::is_older;
use crate::hex::file_name;
use crate::place::{our_file, read_plain, write_whole};
use crate::{AgentProcess, StateFolder};

/// An agent whose process cannot be examined counts as running for this time after its last prompt.
const UNKNOWN_FOR: Duration = Duration::from_hours(12);

/// How long a session that has ended is remembered.
const KEPT_FOR: Duration = Duration::from_hours(30 * 24);

const TURN: &str = "turn";

/// The register of running agents. Creating a value touches no file.
#[derive(Clone, Debug)]
pub struct RunningAgents {
    state: StateFolder,
    folder: PathBuf,
}

/// One session of an agent that runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunningAgent {
    /// The agent, such as `claude`.
    pub agent: String,
    /// The agent's id of the session.
    pub session: String,
    /// Its process.
    pub process: AgentProcess,
    /// Whether it has sent a prompt: then no turn begins without one.
    #[serde(default)]
    pub prompts: bool,
    /// Whether the session is in a turn.
    #[serde(skip)]
    pub in_turn: bool,
}

impl RunningAgents {
    /// The register below this state folder.
    pub fn new(state: &StateFolder) -> Self {
        Self { state: state.clone(), folder: state.path().join("agents") }
    }

    /// Whether the session is in a turn. This costs one system call.
    pub fn is_in_turn(&self, session: &SessionId) -> bool {
        self.file(session).with_extension(TURN).exists()
    }

    /// Registers the agent that started this process. Without an agent, such as when a person pipes a payload into
    /// tenter, nothing is registered and the result is false.
    pub fn register(&self, session: &SessionId, agent: &str, prompts: bool) -> io::Result<bool> {
        let Some(process) = AgentProcess::above() else { return Ok(false) };
        let known = self.find(session).filter(|known| known.process == process);
        let prompts = prompts || known.is_some_and(|known| known.prompts);
        let running = RunningAgent {
            agent: agent.to_owned(),
            session: session.as_str().to_owned(),
            process,
            prompts,
            in_turn: false,
        };
        self.write(session, &running)?;
        Ok(true)
    }

    fn write(&self, session: &SessionId, running: &RunningAgent) -> io::Result<()> {
        self.state.make_folder(&self.folder)?;
        write_whole(&self.file(session), &serde_json::to_vec(running)?)
    }

    /// The process that is registered for a session, if it runs.
    pub fn process(&self, session: &SessionId) -> Option<AgentProcess> {
        self.find(session).map(|running| running.process).filter(|it| it.is_alive() == Some(true))
    }

    /// Whether a tool call of this session comes without its turn: no prompt has begun one, or the register no longer
    /// knows the session.
    pub fn lacks_turn(&self, session: &SessionId) -> bool {
        if self.is_in_turn(session) {
            return false;
        }
        match self.find(session) {
            Some(running) => running.prompts && running.process.is_alive() == Some(true),
            None => self.state.path().join("sessions").join(file_name(session.as_str())).exists(),
        }
    }

    fn find(&self, session: &SessionId) -> Option<RunningAgent> {
        serde_json::from_slice(&read_plain(&self.file(session)).ok()?).ok()
    }

    /// A registered session begins a turn.
    pub fn begin_turn(&self, session: &SessionId) -> io::Result<()> {
        let path = self.file(session).with_extension(TURN);
        our_file().write(true).create(true).truncate(false).open(path).map(drop)
    }

    /// A session ends its turn.
    pub fn end_turn(&self, session: &SessionId) {
        // A file that cannot be removed ends with the agent's process.
        let _ = fs::remove_file(self.file(session).with_extension(TURN));
    }

    /// A session ends. The register remembers it, with no process.
    pub fn end(&self, session: &SessionId) {
        self.end_turn(session);
        if let Some(running) = self.find(session) {
            let ended = RunningAgent { process: AgentProcess::ended(), ..running };
            // If it cannot be written, the entry ends with the agent's process.
            let _ = self.write(session, &ended);
        }
    }

    /// All sessions whose agent runs. Files of agents that ended long ago are removed.
    pub fn all(&self) -> Vec<RunningAgent> {
        let Ok(found) = fs::read_dir(&self.folder) else { return Vec::new() };
        let files = found.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_none());
        files
            .filter_map(|path| {
                let mut running: RunningAgent = serde_json::from_slice(&read_plain(&path).ok()?).ok()?;
                if running.process.is_alive().unwrap_or_else(|| !is_older(&path, UNKNOWN_FOR)) {
                    running.in_turn = path.with_extension(TURN).exists();
                    return Some(running);
                }
                let _ = fs::remove_file(path.with_extension(TURN));
                if is_older(&path, KEPT_FOR) {
                    let _ = fs::remove_file(path);
                }
                None
            })
            .collect()
    }

    fn file(&self, session: &SessionId) -> PathBuf {
        self.folder.join(file_name(session.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn register(home: &tempfile::TempDir) -> RunningAgents {
        RunningAgents::new(&StateFolder::new(home.path().join("state")))
    }

    fn session(id: &str) -> SessionId {
        SessionId::parse(id).unwrap()
    }

    fn add(register: &RunningAgents, id: &str, process: AgentProcess) {
        register.state.make_folder(&register.folder).unwrap();
        let running = RunningAgent {
            agent: "claude".into(),
            session: id.into(),
            process,
            prompts: true,
            in_turn: false,
        };
        fs::write(register.file(&session(id)), serde_json::to_vec(&running).unwrap()).unwrap();
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn agent_is_listed_until_its_process_or_session_ends() {
        let home = tempfile::tempdir().unwrap();
        let register = register(&home);
        assert_eq!(register.all(), []);
        add(&register, "gone", AgentProcess::made_up(u32::MAX));
        add(&register, "here", AgentProcess::this().unwrap());
        register.begin_turn(&session("gone")).unwrap();
        assert_eq!(register.all().len(), 1);
        assert!(!register.is_in_turn(&session("gone")), "its files are removed");
        assert!(!register.all()[0].in_turn);
        register.begin_turn(&session("here")).unwrap();
        assert!(register.is_in_turn(&session("here")) && register.all()[0].in_turn);
        register.end_turn(&session("here"));
        assert!(!register.all()[0].in_turn);
        register.end(&session("here"));
        assert_eq!(register.all(), []);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn tool_call_outside_of_a_turn_lacks_it() {
        let home = tempfile::tempdir().unwrap();
        let register = register(&home);
        let here = session("here");
        assert!(!register.lacks_turn(&here), "the first event of a session");
        fs::create_dir_all(home.path().join("state/sessions").join(file_name("here"))).unwrap();
        assert!(register.lacks_turn(&here), "the session is not in the register any more");
        add(&register, "here", AgentProcess::this().unwrap());
        assert!(register.lacks_turn(&here), "its prompts begin turns");
        register.begin_turn(&here).unwrap();
        assert!(!register.lacks_turn(&here));
        register.end(&here);
        assert!(!register.lacks_turn(&here), "another process goes on with the session");
        assert_eq!(register.all(), []);
    }

    #[test]
    fn damaged_entries_are_no_agents() {
        let home = tempfile::tempdir().unwrap();
        let register = register(&home);
        register.state.make_folder(&register.folder).unwrap();
        fs::write(register.file(&session("s")), "{").unwrap();
        assert_eq!(register.all(), []);
    }
}
