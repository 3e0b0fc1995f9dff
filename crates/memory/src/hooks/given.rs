//! What each context has been given: `memory/given/<session>`, an id a line. A context that is begun anew, by a
//! compaction or a clear, has been given nothing.

use std::collections::HashSet;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use tenter_contract::{ContextId, SessionId};
use tenter_store::{StateFolder, file_name, our_file};

/// Nobody goes on with a session that was silent for so long.
const KEPT: Duration = Duration::from_hours(60 * 24);

/// The lists of all sessions. Making one touches nothing.
pub(super) struct GivenFolder {
    state: StateFolder,
    path: PathBuf,
}

impl GivenFolder {
    pub(super) fn new(state: StateFolder) -> Self {
        let path = state.path().join("memory").join("given");
        Self { state, path }
    }

    /// The ids that this context has.
    pub(super) fn known(&self, session: &SessionId, context: &ContextId) -> io::Result<HashSet<String>> {
        let text = match std::fs::read_to_string(self.file(session)) {
            Ok(text) => text,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(HashSet::new()),
            Err(cause) => return Err(cause),
        };
        let begin = beginning(context);
        Ok(text.lines().filter_map(|line| line.strip_prefix(&begin)).map(str::to_owned).collect())
    }

    /// Notes that the context has these from now on.
    pub(super) fn add<'i>(
        &self,
        session: &SessionId,
        context: &ContextId,
        ids: impl Iterator<Item = &'i str>,
    ) -> io::Result<()> {
        let begin = beginning(context);
        let lines: String = ids.flat_map(|id| [begin.as_str(), id, "\n"]).collect();
        if lines.is_empty() {
            return Ok(());
        }
        self.state.make_folder(&self.path)?;
        our_file().append(true).create(true).open(self.file(session))?.write_all(lines.as_bytes())
    }

    /// Removes the lists of sessions that nobody goes on with. What cannot be removed stays.
    pub(super) fn tidy_up(&self) {
        let listed = std::fs::read_dir(&self.path).into_iter().flatten().flatten();
        for file in listed {
            let modified = file.metadata().and_then(|metadata| metadata.modified());
            let age = modified.ok().and_then(|modified| SystemTime::now().duration_since(modified).ok());
            if age.is_some_and(|age| age > KEPT) {
                let _ = std::fs::remove_file(file.path());
            }
        }
    }

    fn file(&self, session: &SessionId) -> PathBuf {
        self.path.join(file_name(session.as_str()))
    }
}

/// What stands before an id, in words that no other context of the session has.
fn beginning(context: &ContextId) -> String {
    let agent = context.agent_id.as_deref().map(file_name).unwrap_or_default();
    format!("{}\t{agent}\t", context.generation)
}
