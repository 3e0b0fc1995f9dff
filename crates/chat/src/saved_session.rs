//! Saved sessions: their ids, and which one to resume.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;

use tenter_agent::Journal;
use tenter_agent::journal::{StoredSession, sessions};
use tenter_contract::Timestamp;
use tenter_store::StateFolder;

use crate::error;
use tenter_console::change_log::now;
use tenter_console::error::CliError;
use tenter_console::listing::visible;
use tenter_console::printer::write_error;

/// Number of sessions to name in an error.
const NAMED: usize = 3;

#[derive(Clone, Debug)]
pub(crate) struct SavedSessions {
    folder: PathBuf,
    project: String,
}

pub(crate) struct Opened {
    pub(crate) id: String,
    pub(crate) journal: Journal,
    pub(crate) resumed: bool,
    pub(crate) project: String,
    pub(crate) model: Option<String>,
}

impl SavedSessions {
    pub(crate) fn new(state: &StateFolder, project: String) -> Self {
        Self { folder: state.path().join("chats"), project }
    }

    /// Starts a session with a model.
    pub(crate) fn begin(&self, model: &str) -> Result<Opened, CliError> {
        let at = now();
        let id = new_id(at);
        let model = lasting(model);
        let journal = Journal::begin(&self.folder, &id, &self.project, &model, at.unix_ms)
            .map_err(|cause| error::chat_session_unusable(&self.folder.display().to_string(), &cause))?;
        Ok(Opened { id, journal, resumed: false, project: self.project.clone(), model: Some(model) })
    }

    /// Finds a session by its id or a prefix; without one, the latest of this project.
    pub(crate) fn resume(&self, which: &str) -> Result<Opened, CliError> {
        let all = self.all()?;
        let found = if which.is_empty() {
            let latest = || ids(&all);
            let here = all.iter().find(|it| it.head.project == self.project);
            here.ok_or_else(|| error::no_chat_session(&latest()))?
        } else {
            let is_it = |found: &&StoredSession| found.head.session.starts_with(which);
            let exactly = all.iter().find(|found| found.head.session == which);
            let mut begun = all.iter().filter(is_it);
            let only = begun.next().filter(|_| begun.next().is_none());
            let unknown = || self.unreadable(which).unwrap_or_else(|| unknown_session(which, &all));
            exactly.or(only).ok_or_else(unknown)?
        };
        let what = format!("session {}", found.head.session);
        let (journal, head) =
            Journal::resume(&found.path).map_err(|cause| error::chat_session_unusable(&what, &cause))?;
        if let Some(left_out) = journal.lost_lines() {
            write_error(&format!("warning: {}\n", visible(&left_out.to_string())));
        }
        Ok(Opened { id: head.session, journal, resumed: true, project: head.project, model: head.model })
    }

    /// The reason why an existing session file cannot be read, for that session only.
    fn unreadable(&self, id: &str) -> Option<CliError> {
        let path = self.folder.join(format!("{id}.jsonl"));
        if id.contains(['/', '\0']) || !path.is_file() {
            return None;
        }
        let cause = Journal::resume(&path).err()?;
        Some(error::chat_session_unusable(&path.display().to_string(), &cause))
    }

    /// All sessions: those of this project, then others, latest first.
    pub(crate) fn listed(&self) -> Result<(Vec<StoredSession>, Vec<StoredSession>), CliError> {
        Ok(self.all()?.into_iter().partition(|found| found.head.project == self.project))
    }

    fn all(&self) -> Result<Vec<StoredSession>, CliError> {
        sessions(&self.folder)
            .map_err(|cause| error::chat_session_unusable(&self.folder.display().to_string(), &cause))
    }
}

/// A model name that is valid in every folder: a script file gets its absolute path.
pub(crate) fn lasting(model: &str) -> String {
    let script = model.split_once(':').filter(|(word, _)| word.split('+').next() == Some("scripted"));
    let whole = script.and_then(|(word, file)| Some((word, std::path::absolute(file).ok()?)));
    whole.map_or_else(|| model.to_owned(), |(word, file)| format!("{word}:{}", file.display()))
}

fn unknown_session(id: &str, all: &[StoredSession]) -> CliError {
    error::unknown_chat_session(id, &ids(all))
}

fn ids(found: &[StoredSession]) -> Vec<String> {
    found.iter().take(NAMED).map(|found| found.head.session.clone()).collect()
}

/// `chat-20261116-1324-k3f9`: the start time and four random letters.
fn new_id(at: Timestamp) -> String {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let when: String = at.to_string().chars().filter(char::is_ascii_digit).take(12).collect();
    let (day, minute) = when.split_at(8);
    let mut random = RandomState::new().build_hasher().finish();
    let mut letter = || {
        let letter = LETTERS[usize::try_from(random % 32).unwrap_or(0)];
        random /= 32;
        char::from(letter)
    };
    let letters: String = (0..4).map(|_| letter()).collect();
    format!("chat-{day}-{minute}-{letters}")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn kept(folder: &std::path::Path, project: &str) -> SavedSessions {
        SavedSessions::new(&StateFolder::new(folder.to_path_buf()), project.to_owned())
    }

    #[test]
    fn ids_have_a_start_time_and_are_unique() {
        let at = Timestamp::parse("2026-11-16T13:24:05Z").unwrap();
        let (one, other) = (new_id(at), new_id(at));
        assert!(one.starts_with("chat-20261116-1324-"), "{one}");
        assert_ne!(one, other);
    }

    #[test]
    fn session_stores_an_absolute_model_name() {
        let folder = tempfile::tempdir().unwrap();
        let kept = kept(folder.path(), "/here");
        let here = std::env::current_dir().unwrap();
        for (named, expected) in [
            ("openai:gpt-5", "openai:gpt-5".to_owned()),
            ("http://h:1/v1#a:b", "http://h:1/v1#a:b".to_owned()),
            ("scripted:/a/b.yaml", "scripted:/a/b.yaml".to_owned()),
            ("scripted+gemini:b.yaml", format!("scripted+gemini:{}", here.join("b.yaml").display())),
        ] {
            let id = kept.begin(named).unwrap().id;
            assert_eq!(kept.resume(&id).unwrap().model, Some(expected));
        }
    }

    #[test]
    fn session_files_are_private() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let kept = kept(&state, "/here");
        kept.begin("anthropic:m").unwrap();
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let file = sessions(&kept.folder).unwrap().remove(0).path;
        assert_eq!((mode(&state), mode(&kept.folder), mode(&file)), (0o700, 0o700, 0o600));
    }

    fn error(resumed: Result<Opened, CliError>) -> String {
        resumed.map(|_| ()).unwrap_err().happened()
    }

    #[test]
    fn resume_picks_latest_session_of_project() {
        let folder = tempfile::tempdir().unwrap();
        let (here, there) = (kept(folder.path(), "/here"), kept(folder.path(), "/there"));
        assert_eq!(error(here.resume("")), "this project has no session to resume");
        let first = here.begin("anthropic:m").unwrap().id;
        there.begin("anthropic:m").unwrap();
        let resumed = here.resume("").unwrap();
        assert_eq!((resumed.id.as_str(), resumed.resumed), (first.as_str(), true));
        assert!(error(there.resume(&first)).contains("cannot be used: "), "two at once");
        drop(resumed);
        assert_eq!(there.resume(&first).unwrap().id, first);
        assert_eq!(error(here.resume("chat-")), "session `chat-` not found");
        assert_eq!(here.listed().unwrap().0.len(), 1);
    }

    #[test]
    fn unreadable_session_is_named_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let kept = kept(folder.path(), "/here");
        let id = kept.begin("anthropic:m").unwrap().id;
        let file = kept.folder.join(format!("{id}.jsonl"));
        std::fs::write(&file, "{\"v\": oops\n").unwrap();
        let said = error(kept.resume(&id));
        assert!(said.starts_with(&format!("{} cannot be used: ", file.display())), "{said}");
        assert!(said.ends_with("line 1: invalid JSON at column 7"), "{said}");
        assert_eq!(error(kept.resume("../other")), "session `../other` not found");
    }
}
