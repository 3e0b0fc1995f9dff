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
    places: Vec<Place>,
}

/// Where lists lie.
struct Place {
    state: StateFolder,
    path: PathBuf,
}

impl GivenFolder {
    /// Lists lie below the first of these that can be written.
    pub(super) fn new(state: StateFolder, beside: Option<StateFolder>) -> Self {
        let place = |state: StateFolder| {
            let path = state.path().join("memory").join("given");
            Place { state, path }
        };
        Self { places: std::iter::once(state).chain(beside).map(place).collect() }
    }

    /// The ids that this context has, and why some may be missing.
    pub(super) fn known(
        &self,
        session: &SessionId,
        context: &ContextId,
    ) -> (HashSet<String>, Option<io::Error>) {
        let begin = beginning(context);
        let (mut known, mut trouble) = (HashSet::new(), None);
        for place in &self.places {
            match std::fs::read_to_string(place.file(session)) {
                Ok(text) => {
                    known
                        .extend(text.lines().filter_map(|line| line.strip_prefix(&begin)).map(str::to_owned));
                }
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                Err(cause) => trouble = Some(cause),
            }
        }
        (known, trouble)
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
        let mut written = Ok(());
        for place in &self.places {
            written = place.add(session, &lines);
            if written.is_ok() {
                break;
            }
        }
        written
    }

    /// Removes the lists of sessions that nobody goes on with. What cannot be removed stays.
    pub(super) fn tidy_up(&self) {
        let listed = self.places.iter().filter_map(|place| std::fs::read_dir(&place.path).ok());
        for file in listed.flatten().flatten() {
            let modified = file.metadata().and_then(|metadata| metadata.modified());
            let age = modified.ok().and_then(|modified| SystemTime::now().duration_since(modified).ok());
            if age.is_some_and(|age| age > KEPT) {
                let _ = std::fs::remove_file(file.path());
            }
        }
    }
}

impl Place {
    fn add(&self, session: &SessionId, lines: &str) -> io::Result<()> {
        self.state.make_folder(&self.path)?;
        let mut file = our_file().append(true).create(true).open(self.file(session))?;
        file.write_all(lines.as_bytes())
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
