//! Which session somebody belongs to whom nobody tells: an MCP server, a command in an agent's shell.
//!
//! Hooks know the agent's id of the session, an MCP server does not: the protocol has no word for it. Both are started
//! by the agent's own process, and that is what they have in common. So whoever hears of a session leaves a file in
//! `memory/sessions` that says by which process ([`AgentProcess`]), and whoever wants to know theirs looks for the file
//! of the process that started them. Two agents in one project are two processes and never mix; one process whose
//! session goes on under another id (`clear`, `resume`) has two files, and the later one counts.
//!
//! Editors may start servers from another process than hooks. Then a session counts if it is the only one of that
//! agent in the project; of two nobody can say which, and the server keeps a session of its own.

mod process;

use std::io::Write;
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tenter_contract::{SessionId, Timestamp};
use tenter_store::{StateFolder, file_name, our_file};

pub use process::AgentProcess;

/// After so many milliseconds without a word a session of a process that cannot be looked at is taken for gone: half
/// a day.
const FORGOTTEN_MS: u64 = 12 * 60 * 60 * 1000;

/// The sessions that go on, as far as hooks have told. Making one touches nothing.
#[derive(Debug)]
pub struct LiveSessions {
    state: StateFolder,
    folder: PathBuf,
}

/// A session that goes on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LiveSession {
    /// The agent's id of it.
    pub session: String,
    /// The project it is in.
    pub project: Option<String>,
    /// The agent's name, such as `claude`.
    pub agent: Option<String>,
    /// The process that started the hook.
    pub process: Option<AgentProcess>,
    /// When something was last heard of it.
    #[serde(skip)]
    pub heard_ms: u64,
}

/// Who wants to know their session.
#[derive(Clone, Debug, Default)]
pub struct Asking<'a> {
    /// The process that started them.
    pub process: Option<&'a AgentProcess>,
    /// The project they are in; none if they stand in none, as servers of some editors do.
    pub project: Option<&'a str>,
    /// What their agent calls itself, such as `claude-code`; none if nobody knows.
    pub client: Option<&'a str>,
}

impl LiveSessions {
    /// Those below this state folder.
    pub fn new(state: StateFolder) -> Self {
        let folder = state.path().join("memory").join("sessions");
        Self { state, folder }
    }

    /// Something was heard of a session.
    pub fn heard(&self, session: &LiveSession) -> std::io::Result<()> {
        let path = self.file(&session.session);
        let draft = path.with_extension(format!("{}.new", std::process::id()));
        self.state.make_folder(&self.folder)?;
        let mut file = our_file().write(true).create(true).truncate(true).open(&draft)?;
        file.write_all(&serde_json::to_vec(session)?)?;
        std::fs::rename(draft, path)
    }

    /// A session is over.
    pub fn over(&self, session: &SessionId) {
        // One that stays is found out by its process.
        let _ = std::fs::remove_file(self.file(session.as_str()));
    }

    /// Every session that goes on, latest first. Files of processes that are gone are removed on the way.
    pub fn all(&self, now: Timestamp) -> Vec<LiveSession> {
        let listed = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let files = listed.map(|file| file.path()).filter(|path| path.extension().is_none());
        let mut all: Vec<LiveSession> = files
            .filter_map(|path| {
                let mut session: LiveSession = serde_json::from_slice(&std::fs::read(&path).ok()?).ok()?;
                let since = path.metadata().ok()?.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
                session.heard_ms = u64::try_from(since.as_millis()).ok()?;
                if !session.goes_on(now) {
                    let _ = std::fs::remove_file(path);
                    return None;
                }
                Some(session)
            })
            .collect();
        all.sort_by_key(|session| std::cmp::Reverse(session.heard_ms));
        all
    }

    /// The session of whoever asks; none if nobody can tell.
    pub fn of(&self, asking: &Asking<'_>, now: Timestamp) -> Option<LiveSession> {
        chosen(&self.all(now), asking).cloned()
    }

    fn file(&self, session: &str) -> PathBuf {
        self.folder.join(file_name(session))
    }
}

impl LiveSession {
    fn goes_on(&self, now: Timestamp) -> bool {
        match self.process.as_ref().and_then(AgentProcess::is_alive) {
            Some(alive) => alive,
            None => now.unix_ms.saturating_sub(self.heard_ms) < FORGOTTEN_MS,
        }
    }
}

/// Of these, latest first, the one of whoever asks.
fn chosen<'a>(all: &'a [LiveSession], asking: &Asking<'_>) -> Option<&'a LiveSession> {
    let by_process = asking
        .process
        .and_then(|process| all.iter().find(|session| session.process.as_ref() == Some(process)));
    by_process.or_else(|| {
        let client = asking.client?;
        let mut like = all.iter().filter(|session| {
            asking.project.is_none_or(|project| session.project.as_deref() == Some(project))
                && session.agent.as_deref().is_some_and(|agent| is_named(client, agent))
        });
        like.next().filter(|_| like.next().is_none())
    })
}

/// Whether a client that calls itself so may be this agent: `claude-code` is `claude`, `Visual Studio Code` is
/// `vscode`.
fn is_named(client: &str, agent: &str) -> bool {
    let client: String = client.to_lowercase().chars().filter(char::is_ascii_alphanumeric).collect();
    let client = client.replace("visualstudiocode", "vscode").replace("githubcopilot", "copilot");
    client.contains(agent)
}

/// The moment as files have it.
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
            heard_ms: 0,
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
            // Of several nobody can say which.
            (Some(9), Some("github.com/ann/shop"), Some("claude-code"), None),
            (None, Some("github.com/ann/shop"), Some("claude-code"), None),
        ];
        for (process, project, client, expected) in rows {
            let process = process.map(AgentProcess::made_up);
            let asking = Asking { process: process.as_ref(), project, client };
            let found = chosen(&all, &asking).map(|session| session.session.as_str());
            assert_eq!(found, expected, "{asking:?}");
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
            let asking = Asking { process: None, project, client: Some(client) };
            let found = chosen(&all, &asking).map(|session| session.session.as_str());
            assert_eq!(found, expected, "{asking:?}");
        }
    }

    #[test]
    fn sessions_are_found_again_until_they_are_over_or_their_process_is_gone() {
        let folder = tempfile::tempdir().unwrap();
        let live = LiveSessions::new(StateFolder::new(folder.path().to_owned()));
        assert_eq!(live.all(now()), []);
        let unlooked = |id: &str| LiveSession { process: None, ..session(id, "claude", 0) };
        for id in ["one", "two"] {
            live.heard(&unlooked(id)).unwrap();
        }
        // Nobody has this number, or it is another process of that number.
        live.heard(&session("gone", "claude", u32::MAX)).unwrap();
        let ids = |now| {
            let mut ids: Vec<String> = live.all(now).into_iter().map(|session| session.session).collect();
            ids.sort();
            ids
        };
        if cfg!(target_os = "linux") {
            assert_eq!(ids(now()), ["one", "two"]);
        }
        live.over(&SessionId::parse("one").unwrap());
        live.over(&SessionId::parse("gone").unwrap());
        assert_eq!(ids(now()), ["two"]);
        let tomorrow = Timestamp::from_unix_ms(now().unix_ms + 2 * FORGOTTEN_MS);
        assert_eq!(ids(tomorrow), [""; 0]);
    }
}
