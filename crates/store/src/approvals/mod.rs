//! Questions to people, and saved answers: `approvals/`, plain files that every program of ours reads.
//!
//! ```text
//! approvals/questions/<id>/          an open question; `question.json` is locked by the asker
//!                    closed-<id>/    its time is up or it was answered: no one can answer any more
//!                    over-<id>/      all is done; only litter
//! approvals/rules/<id>.json          answers that last until they are revoked
//! approvals/watchers/<pid>-<n>       locked as long as that one watches
//! sessions/<hash>/grants/<id>.json   answers that last until the session ends
//! sessions/<hash>/asked/<id>.json    questions that the agent has put to its own user
//! ```
//!
//! Two renames decide everything. The first, to `closed-…`, decides which answer counts: one that was put into the
//! folder before and in time, or none. The second, to `over-…`, is the moment from which grants count. A process that dies
//! before it leaves a question that differs from an open one, because the system takes its lock away.

mod questions;
mod entered;
mod deadline;
mod orphans;
mod owner;
mod grants;
mod rules;
mod host;
mod watchers;

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tenter_contract::ports::{ApprovalRegister, EnteredRequest, StateError};
use tenter_contract::{ApprovalRequest, Cause, Event, Notice, SavedAnswers, SessionId};

pub use questions::{Chosen, NotAnswered, OpenQuestion};
pub use watchers::Watcher;

use crate::granted;
use crate::json;
use crate::place::{open_private, our_file};
use crate::{GrantedChange, StateFolder};

/// The questions and saved answers of a state folder. Making one touches nothing.
#[derive(Clone, Debug)]
pub struct ApprovalFolder {
    state: StateFolder,
    path: PathBuf,
}

impl ApprovalFolder {
    /// Those in this folder, which need not exist.
    pub fn new(state: &StateFolder) -> Self {
        Self { path: state.path().join("approvals"), state: state.clone() }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl ApprovalRegister for ApprovalFolder {
    fn enter(&self, request: ApprovalRequest) -> Result<Box<dyn EnteredRequest>, StateError> {
        Ok(Box::new(entered::enter(self, &request).map_err(unusable(&self.path))?))
    }

    fn saved_answers(&self, event: &Event) -> Result<SavedAnswers, StateError> {
        let (grants, mut texts) = match &event.session {
            Some(session) => grants::of_session(self, session)?,
            None => (Vec::new(), Vec::new()),
        };
        texts.extend(self.changed_rules().iter().map(|change| granted::notice(&change.path)));
        let notice = |text: String| Notice::error(Cause::Approval(text.clone()), text);
        let notices = texts.into_iter().map(notice).collect();
        Ok(SavedAnswers { grants, rules: self.rules()?, notices })
    }

    fn end_session(&self, session: &SessionId) -> Result<(), StateError> {
        grants::end_session(self, session)
    }

    fn left_to_host(&self, request: &ApprovalRequest) -> Result<(), StateError> {
        host::keep(self, request)
    }

    fn settled_by(&self, event: &Event) -> Result<Vec<ApprovalRequest>, StateError> {
        host::settled_by(self, event)
    }

    fn withdraw_orphans(
        &self,
        record: &mut dyn FnMut(&ApprovalRequest, &str) -> bool,
    ) -> Result<(), StateError> {
        orphans::withdraw(self, record).map_err(unusable(&self.path))
    }
}

/// Which of our letters an id is made of: none that looks like another.
const LETTERS: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";

/// An id that is short enough to be typed and that no one else has.
pub fn new_id() -> String {
    use std::hash::{BuildHasher, Hasher, RandomState};
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u32(std::process::id());
    let mut number = hasher.finish();
    let letter = |_| {
        let count = LETTERS.len() as u64;
        let at = usize::try_from(number % count).unwrap_or_default();
        number /= count;
        char::from(LETTERS[at])
    };
    (0..8).map(letter).collect()
}

fn unusable(path: &Path) -> impl FnOnce(io::Error) -> StateError {
    move |cause| StateError { path: path.display().to_string(), cause }
}

/// The names in a folder; none if it is not there.
fn names_in(folder: &Path) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let names = entries.map(|entry| Ok(entry?.file_name().into_string().unwrap_or_default()));
    let mut names = names.collect::<io::Result<Vec<_>>>()?;
    names.sort();
    Ok(names)
}

/// Reads a file of ours; none if it is not there. One that cannot be understood is an error: what it says is not
/// known, so nothing may rest on it.
fn read_json<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    let mut file = match open_private(path) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(json::typed(&bytes)?))
}

/// Writes a file that is whole as soon as it has its name. Never in the place of another, and never makes a folder:
/// one that is gone is gone for a reason.
fn write_json(path: &Path, value: &impl Serialize) -> io::Result<Vec<u8>> {
    let draft = path.with_file_name(format!("draft-{}-{}", std::process::id(), new_id()));
    let mut file = our_file().write(true).create_new(true).open(&draft)?;
    let bytes = serde_json::to_vec_pretty(value)?;
    let written = file.write_all(&bytes).and_then(|()| name_new(&draft, path));
    drop(fs::remove_file(&draft));
    written.map(|()| bytes)
}

/// Gives a file a name that no other has. A rename never leaves two names, of which a reader would refuse both; where
/// the file system has no such rename, a link does it.
fn name_new(draft: &Path, path: &Path) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        match renameat_with(CWD, draft, CWD, path, RenameFlags::NOREPLACE) {
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => {}
            renamed => return renamed.map_err(io::Error::from),
        }
    }
    fs::hard_link(draft, path)
}

/// The files of rules and grants that are not as tenter wrote them.
pub(crate) fn changes(state: &StateFolder) -> Vec<GrantedChange> {
    let register = ApprovalFolder::new(state);
    let mut changes = register.changed_rules();
    changes.extend(grants::changes(&register));
    changes
}

/// Removes a file that may be gone already.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests;
