//! Finds the session of a process that does not know it: an MCP server, or a command in an agent's shell.
//!
//! Hooks know the session id, but MCP has no field for it. The agent's process starts both, so every hook writes a file to
//! `memory/sessions` that names this process ([`AgentProcess`]), and other processes search for the file of their parent.
//! Two agents in one project are two processes and never mix. If a process continues with another session id (`clear`,
//! `resume`), its latest file counts.
//!
//! Editors may start servers from another process than hooks. Then the only session of that agent in the project counts;
//! if there are two, the server keeps a session of its own.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tenter_contract::{SessionId, Timestamp};
use tenter_ghap::Liveness;
use tenter_store::{StateFolder, file_name, our_file, read_plain};

pub use tenter_store::AgentProcess;

/// Inactivity after which a session whose process is unknown counts as ended: half a day.
const FORGOTTEN_MS: u64 = 12 * 60 * 60 * 1000;

/// The live sessions that hooks reported. Creating a value touches no file.
#[derive(Debug)]
pub struct LiveSessions {
    state: StateFolder,
    folder: PathBuf,
}

/// A live session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveSession {
    /// Its id.
    pub session: String,
    /// Its project.
    pub project: Option<String>,
    /// The agent's name, such as `claude`.
    pub agent: Option<String>,
    /// The process that started the hook.
    pub process: Option<AgentProcess>,
    /// Whether that process outlived a hook, so that its end is the agent's end. Some agents start a short-lived process
    /// for each hook.
    #[serde(default)]
    pub steady: bool,
    /// The time of its last event.
    #[serde(skip)]
    pub last_event_ms: u64,
}

/// A search for the session of a process.
#[derive(Clone, Debug, Default)]
pub struct SessionLookup<'a> {
    /// The parent process.
    pub process: Option<&'a AgentProcess>,
    /// The project; none for servers of some editors.
    pub project: Option<&'a str>,
    /// The name of the client, such as `claude-code`, if known.
    pub client: Option<&'a str>,
}

impl LiveSessions {
    /// The sessions in this state folder.
    pub fn new(state: StateFolder) -> Self {
        let folder = state.path().join("memory").join("sessions");
        Self { state, folder }
    }

    /// Records a session. A process that was recorded before is steady.
    pub fn record(&self, session: &LiveSession) -> std::io::Result<()> {
        let before = self.read(&self.file(&session.session));
        let again = before.is_some_and(|before| before.process == session.process);
        let steady = session.process.is_some() && (session.steady || again);
        self.write(&LiveSession { steady, ..session.clone() })
    }

    /// Notes that the session starts or adopts an entry: if its process is alive, it is steady.
    pub fn mark_active(&self, session: &SessionId) -> std::io::Result<()> {
        match self.read(&self.file(session.as_str())) {
            Some(live) if !live.steady && live.is_alive() == Some(true) => {
                self.write(&LiveSession { steady: true, ..live })
            }
            _ => Ok(()),
        }
    }

    fn read(&self, path: &Path) -> Option<LiveSession> {
        let mut session: LiveSession = serde_json::from_slice(&read_plain(path).ok()?).ok()?;
        let since = path.metadata().ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        session.last_event_ms = u64::try_from(since.as_millis()).ok()?;
        Some(session)
    }

    fn write(&self, session: &LiveSession) -> std::io::Result<()> {
        let path = self.file(&session.session);
        let draft = path.with_extension(format!("{}.new", std::process::id()));
        self.state.make_folder(&self.folder)?;
        let mut file = our_file().write(true).create(true).truncate(true).open(&draft)?;
        file.write_all(&serde_json::to_vec(session)?)?;
        std::fs::rename(draft, path)
    }

    /// Removes an ended session.
    pub fn remove(&self, session: &SessionId) {
        // A file that stays is detected by its process.
        let _ = std::fs::remove_file(self.file(session.as_str()));
    }

    /// Every live session, latest first.
    pub fn all(&self, now: Timestamp) -> Vec<LiveSession> {
        let mut all = self.noted(now);
        all.retain(|session| session.goes_on(now));
        all.sort_by_key(|session| std::cmp::Reverse(session.last_event_ms));
        all
    }

    /// Whether the session with this id is alive. A live process proves that only for its latest session.
    pub fn life(&self, session: &str, now: Timestamp) -> Liveness {
        let noted = self.noted(now);
        let Some(own) = noted.iter().find(|live| live.session == session) else { return Liveness::Unknown };
        let later =
            |other: &&LiveSession| other.process == own.process && other.last_event_ms > own.last_event_ms;
        match own.is_alive() {
            Some(true) if noted.iter().find(later).is_none() => Liveness::GoesOn,
            Some(false) if own.steady => Liveness::Gone,
            _ => Liveness::Unknown,
        }
    }

    /// Every recorded session, in no order. Removes the files of sessions that ended long ago.
    fn noted(&self, now: Timestamp) -> Vec<LiveSession> {
        let listed = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let files = listed.map(|file| file.path()).filter(|path| path.extension().is_none());
        files
            .filter_map(|path| {
                let session = self.read(&path)?;
                if session.is_recent(now) || session.is_alive() == Some(true) {
                    return Some(session);
                }
                let _ = std::fs::remove_file(path);
                None
            })
            .collect()
    }

    /// The session of the caller, if known.
    pub fn find(&self, lookup: &SessionLookup<'_>, now: Timestamp) -> Option<LiveSession> {
        select(&self.all(now), lookup).cloned()
    }

    fn file(&self, session: &str) -> PathBuf {
        self.folder.join(file_name(session))
    }
}

impl LiveSession {
    fn goes_on(&self, now: Timestamp) -> bool {
        self.is_alive().unwrap_or_else(|| self.is_recent(now))
    }

    fn is_alive(&self) -> Option<bool> {
        self.process.as_ref().and_then(AgentProcess::is_alive)
    }

    fn is_recent(&self, now: Timestamp) -> bool {
        now.unix_ms.saturating_sub(self.last_event_ms) < FORGOTTEN_MS
    }
}

fn select<'a>(all: &'a [LiveSession], lookup: &SessionLookup<'_>) -> Option<&'a LiveSession> {
    let by_process = lookup
        .process
        .and_then(|process| all.iter().find(|session| session.process.as_ref() == Some(process)));
    by_process.or_else(|| {
        let client = lookup.client?;
        let mut like = all.iter().filter(|session| {
            lookup.project.is_none_or(|project| session.project.as_deref() == Some(project))
                && session.agent.as_deref().is_some_and(|agent| is_named(client, agent))
        });
        like.next().filter(|_| like.next().is_none())
    })
}

/// Whether a client name belongs to this agent: `claude-code` is `claude`, `Visual Studio Code` is `vscode`.
fn is_named(client: &str, agent: &str) -> bool {
    let client: String = client.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    let client = client.replace("visualstudiocode", "vscode").replace("githubcopilot", "copilot");
    client.contains(agent)
}

pub(crate) fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_unix_ms(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: &str, agent: &str, process: u32) -> LiveSession {
        LiveSession {
            session: id.to_owned(),
            project: Some("github.com/ann/shop".to_owned()),
            agent: Some(agent.to_owned()),
            process: Some(AgentProcess::made_up(process)),
            steady: false,
            last_event_ms: 0,
        }
    }

    #[test]
    fn a_server_belongs_to_the_session_of_the_process_that_started_it() {
        let all =
            [session("later", "claude", 7), session("earlier", "claude", 7), session("other", "claude", 8)];
        let rows = [
            // process, project, client, session
            (Some(7), Some("github.com/ann/shop"), Some("claude-code"), Some("later")),
            (Some(8), Some("github.com/ann/shop"), Some("claude-code"), Some("other")),
            // A folder does not matter where the process is known: agents change theirs.
            (Some(8), None, None, Some("other")),
            // Of several the right one is unknown.
            (Some(9), Some("github.com/ann/shop"), Some("claude-code"), None),
            (None, Some("github.com/ann/shop"), Some("claude-code"), None),
        ];
        for (process, project, client, expected) in rows {
            let process = process.map(AgentProcess::made_up);
            let lookup = SessionLookup { process: process.as_ref(), project, client };
            let found = select(&all, &lookup).map(|session| session.session.as_str());
            assert_eq!(found, expected, "{lookup:?}");
        }
    }

    #[test]
    fn the_only_session_of_that_agent_counts_where_servers_have_another_parent() {
        let all = [session("a", "cursor", 7), session("b", "claude", 8), session("c", "vscode", 9)];
        let rows = [
            ("cursor-vscode", "github.com/ann/shop", None),
            ("cursor", "github.com/ann/shop", Some("a")),
            ("claude-code", "github.com/ann/shop", Some("b")),
            ("Visual Studio Code", "github.com/ann/shop", Some("c")),
            ("claude-code", "github.com/ann/other", None),
            ("codex-mcp-client", "github.com/ann/shop", None),
            // Servers of some editors are started nowhere in particular.
            ("cursor", "", Some("a")),
        ];
        for (client, project, expected) in rows {
            let project = Some(project).filter(|project| !project.is_empty());
            let lookup = SessionLookup { process: None, project, client: Some(client) };
            let found = select(&all, &lookup).map(|session| session.session.as_str());
            assert_eq!(found, expected, "{lookup:?}");
        }
    }

    #[test]
    fn sessions_are_found_again_until_they_are_over_or_their_process_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let live = LiveSessions::new(StateFolder::new(folder.path().to_owned()));
        assert_eq!(live.all(now()), []);
        let without_process = |id: &str| LiveSession { process: None, ..session(id, "claude", 0) };
        for id in ["one", "two"] {
            live.record(&without_process(id)).unwrap();
        }
        // No process has this number, or it is another process of that number.
        live.record(&session("gone", "claude", u32::MAX)).unwrap();
        let ids = |now| {
            let mut ids: Vec<String> = live.all(now).into_iter().map(|session| session.session).collect();
            ids.sort();
            ids
        };
        if cfg!(target_os = "linux") {
            assert_eq!(ids(now()), ["one", "two"]);
        }
        live.remove(&SessionId::parse("one").unwrap());
        live.remove(&SessionId::parse("gone").unwrap());
        assert_eq!(ids(now()), ["two"]);
        let tomorrow = Timestamp::from_unix_ms(now().unix_ms + 2 * FORGOTTEN_MS);
        assert_eq!(ids(tomorrow), [""; 0]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_session_goes_on_with_its_process_if_that_is_known_to_stay() {
        let folder = tempfile::tempdir().unwrap();
        let live = LiveSessions::new(StateFolder::new(folder.path().to_owned()));
        let of =
            |id: &str, process: Option<AgentProcess>| LiveSession { process, ..session(id, "claude", 0) };
        let (this, gone) = (AgentProcess::this(), Some(AgentProcess::made_up(u32::MAX)));
        assert_eq!(live.life("never heard of", now()), Liveness::Unknown);
        live.record(&of("s", None)).unwrap();
        assert_eq!(live.life("s", now()), Liveness::Unknown, "nobody knows its process");
        live.record(&of("s", gone.clone())).unwrap();
        assert_eq!(live.life("s", now()), Liveness::Unknown, "the process may have been in between");
        live.mark_active(&SessionId::parse("s").unwrap()).unwrap();
        assert_eq!(live.life("s", now()), Liveness::Unknown, "the session outlives it");
        live.record(&of("s", gone)).unwrap();
        assert_eq!(live.life("s", now()), Liveness::Gone, "two hooks had the same");
        live.record(&of("s", this.clone())).unwrap();
        assert_eq!(live.life("s", now()), Liveness::GoesOn);
        live.mark_active(&SessionId::parse("s").unwrap()).unwrap();
        assert!(live.all(now())[0].steady, "it works, and its process is there");
        let tomorrow = Timestamp::from_unix_ms(now().unix_ms + 2 * FORGOTTEN_MS);
        assert_eq!(live.life("s", tomorrow), Liveness::GoesOn, "however long it is silent");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_with_several_sessions_speaks_for_the_latest() {
        let folder = tempfile::tempdir().unwrap();
        let live = LiveSessions::new(StateFolder::new(folder.path().to_owned()));
        for (id, age) in [("earlier", 60), ("later", 0)] {
            live.record(&LiveSession { process: AgentProcess::this(), ..session(id, "cursor", 0) }).unwrap();
            let heard = SystemTime::now() - std::time::Duration::from_secs(age);
            std::fs::File::open(live.file(id)).unwrap().set_modified(heard).unwrap();
        }
        assert_eq!(live.life("earlier", now()), Liveness::Unknown);
        assert_eq!(live.life("later", now()), Liveness::GoesOn);
    }
}
