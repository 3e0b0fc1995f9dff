//! What each context has been given: `memory/given/<session>`, an id a line, and in which form unless it was all there
//! is. A context that is begun anew, by a compaction or a clear, has been given nothing.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use tenter_contract::{ContextId, SessionId};
use tenter_store::{StateFolder, file_name, our_file, read_regular_text};

use crate::context::{Cited, Form, Known};

/// No list of a session is longer.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

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

    /// What this context has, and why some of it may be missing.
    pub(super) fn known(&self, session: &SessionId, context: &ContextId) -> (Known, Option<io::Error>) {
        let begin = beginning(context);
        let (mut known, mut trouble) = (Known::new(), None);
        for place in &self.places {
            match read_regular_text(&place.file(session), MOST_BYTES) {
                Ok(text) => {
                    for (id, form) in text.lines().filter_map(|line| given(line.strip_prefix(&begin)?)) {
                        let most = known.entry(id.to_owned()).or_insert(form);
                        *most = form.max(*most);
                    }
                }
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                Err(cause) => trouble = Some(cause),
            }
        }
        (known, trouble)
    }

    /// Notes that the context has these from now on.
    pub(super) fn add(&self, session: &SessionId, context: &ContextId, cited: &[Cited]) -> io::Result<()> {
        let begin = beginning(context);
        let mut lines = String::new();
        for Cited { id, form, .. } in cited {
            lines.extend([begin.as_str(), id]);
            if *form != Form::Whole {
                lines.extend(["\t", form.as_str()]);
            }
            lines.push('\n');
        }
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

/// An id and its form, as they stand behind the context. An older version noted ids alone, and so is what is whole.
fn given(line: &str) -> Option<(&str, Form)> {
    match line.split_once('\t') {
        Some((id, form)) => Some((id, Form::parse(form)?)),
        None => Some((line, Form::Whole)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::context::ContextSource;

    #[test]
    fn what_was_given_is_known_in_the_fullest_form() {
        let folder = tempfile::tempdir().unwrap();
        let lists = GivenFolder::new(StateFolder::new(folder.path().to_path_buf()), None);
        let session = SessionId::parse("s1").unwrap();
        let context = |generation| ContextId { generation, agent_id: None };
        let cited = |id: &str, form| Cited { source: ContextSource::Experiences, id: id.to_owned(), form };
        for (id, form) in [
            ("a", Form::Named),
            ("b", Form::Short),
            ("b", Form::Whole),
            ("c", Form::Whole),
            ("c", Form::Named),
        ] {
            lists.add(&session, &context(0), &[cited(id, form)]).unwrap();
        }
        // A line of a version that knew no forms, and one of a version that knows another.
        let file = folder.path().join("memory/given").join(file_name("s1"));
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("0\t\ta\tnamed\n0\t\tb\tshort\n0\t\tb\n"), "{text}");
        std::fs::write(&file, text + "0\t\told\n0\t\tnew\tsung\n").unwrap();
        let expected = [("a", Form::Named), ("b", Form::Whole), ("c", Form::Whole), ("old", Form::Whole)];
        let expected: Known = expected.map(|(id, form)| (id.to_owned(), form)).into();
        assert_eq!(lists.known(&session, &context(0)).0, expected);
        assert_eq!(lists.known(&session, &context(1)).0, Known::new(), "another context");
    }
}
