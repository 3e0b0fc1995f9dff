//! Questions to the user and saved answers: `approvals/`, plain files that every process of tenter reads.
//!
//! ```text
//! approvals/questions/<id>/          an open question; its owner, the process that asks, locks `question.json`
//!                    closed-<id>/    answered or too late: further answers are refused
//!                    over-<id>/      finished; only litter
//! approvals/rules/<id>.json          answers that last until they are revoked
//! approvals/watchers/<pid>-<n>       locked while its process watches
//! sessions/<hash>/grants/<id>.json   answers that last until the session ends
//! sessions/<hash>/asked/<id>.json    questions that the agent has asked its own user
//! ```
//!
//! Two renames decide everything. The rename to `closed-…` decides which answer counts: one that was in the folder
//! before and in time, or none. Grants count from the rename to `over-…`. A process that dies before it leaves a question
//! without a lock, which shows that no process waits for the answer.

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
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;
use tenter_contract::ports::{ApprovalRegister, EnteredRequest, StateError};
use tenter_contract::{ApprovalRequest, Cause, Event, Notice, SavedAnswers, SessionId};

pub use questions::{Chosen, NotAnswered, OpenQuestion};
pub use watchers::Watcher;

use crate::granted;
use crate::json;
use crate::place::{if_found, open_private, our_file};
use crate::sessions::unusable;
use crate::{GrantedChange, StateFolder};

/// The questions and saved answers of a state folder. Creating a value touches no file.
#[derive(Clone, Debug)]
pub struct ApprovalFolder {
    state: StateFolder,
    path: PathBuf,
}

impl ApprovalFolder {
    /// The questions and answers of this state, which need not exist.
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
            Some(session) => grants::load_session(self, session)?,
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

/// The characters of ids: none looks like another.
const LETTERS: &[u8] = b"abcdefghjkmnpqrstuvwxyz23456789";

/// A new random id, short enough to type.
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

/// Reads a file; none if it does not exist. An unreadable file is an error: nothing may depend on its content.
fn read_json<T: DeserializeOwned>(path: &Path) -> io::Result<Option<T>> {
    let Some(mut file) = if_found(open_private(path))? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(Some(json::typed(&bytes)?))
}

/// Writes a file that is complete as soon as it has its name. Never replaces a file and never creates the folder, whose
/// absence has a meaning.
fn write_json(path: &Path, value: &impl Serialize) -> io::Result<Vec<u8>> {
    let draft = path.with_file_name(format!("draft-{}-{}", std::process::id(), new_id()));
    let mut file = our_file().write(true).create_new(true).open(&draft)?;
    let bytes = serde_json::to_vec_pretty(value)?;
    let written = file.write_all(&bytes).and_then(|()| name_new(&draft, path));
    drop(fs::remove_file(&draft));
    written.map(|()| bytes)
}

/// Renames a file to a name that is free. A link would leave two names for a moment, and readers refuse such files; it is
/// used only if the file system has no such rename.
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
    if_found(fs::remove_file(path)).map(drop)
}

#[cfg(test)]
mod tests;
