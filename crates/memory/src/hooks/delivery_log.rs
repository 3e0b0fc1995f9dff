//! The delivery log: `memory/given/<session>` has a line for each id that a context received, with its form unless whole. A
//! new context, after a compaction or a clear, has received nothing.
//!
//! It is separate from the session's ledger. The ledger knows whole texts by their digest, and is written after a text was
//! adapted; this log knows ids and forms before a text is composed.

use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use tenter_contract::{ContextId, SessionId};
use tenter_store::{StateFolder, file_name, our_file, read_regular_text};

use crate::context::{Cited, Delivered, Form};

/// The longest log of a session.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

/// Logs of sessions that were inactive for this long are removed.
const KEPT: Duration = Duration::from_hours(60 * 24);

pub(super) struct DeliveryLog {
    places: Vec<Place>,
}

struct Place {
    state: StateFolder,
    path: PathBuf,
}

impl DeliveryLog {
    pub(super) fn new(state: StateFolder, fallback: Option<StateFolder>) -> Self {
        let place = |state: StateFolder| {
            let path = state.path().join("memory").join("given");
            Place { state, path }
        };
        Self { places: std::iter::once(state).chain(fallback).map(place).collect() }
    }

    pub(super) fn known(&self, session: &SessionId, context: &ContextId) -> (Delivered, Option<io::Error>) {
        let begin = prefix(context);
        let (mut known, mut trouble) = (Delivered::new(), None);
        for place in &self.places {
            match read_regular_text(&place.file(session), MOST_BYTES) {
                Ok(text) => {
                    for (id, form) in text.lines().filter_map(|line| parse_line(line.strip_prefix(&begin)?)) {
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

    pub(super) fn add(&self, session: &SessionId, context: &ContextId, cited: &[Cited]) -> io::Result<()> {
        let begin = prefix(context);
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

    pub(super) fn remove_old(&self) {
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

fn prefix(context: &ContextId) -> String {
    let agent = context.agent_id.as_deref().map(file_name).unwrap_or_default();
    format!("{}\t{agent}\t", context.generation)
}

fn parse_line(line: &str) -> Option<(&str, Form)> {
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
        let lists = DeliveryLog::new(StateFolder::new(folder.path().to_path_buf()), None);
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
        let expected: Delivered = expected.map(|(id, form)| (id.to_owned(), form)).into();
        assert_eq!(lists.known(&session, &context(0)).0, expected);
        assert_eq!(lists.known(&session, &context(1)).0, Delivered::new(), "another context");
    }
}
