//! The session store: implements the port of the runtime.

use std::io::{self, Read, Write};
use std::path::Path;
use std::time::Instant;

use tenter_contract::ports::{
    CallIdentity, ClaimOutcome, CountOp, CrashNotice, Deferred, DuplicateCheck, LedgerPage, SessionStore,
    StateError, Wanted,
};
use tenter_contract::{Cause, HookId, Moment, Session, SessionClaim, SessionCounter, SessionId, Timestamp};

use super::folder::SessionFolder;
use super::ledger::Page;
use super::{calls, pending, tally};
use crate::StateFolder;
use crate::granted::GrantedFiles;
use crate::place::{if_found, open_to_read};

/// The sessions of a state folder. Creating a value touches no file, and a session without stored facts has no folder.
#[derive(Clone, Debug)]
pub struct SessionFolders {
    state: StateFolder,
    /// Finds another state folder for claims of notices, called only if this one cannot be written.
    fallback: fn() -> Option<StateFolder>,
}

impl SessionFolders {
    /// The sessions in this folder, which need not exist.
    pub fn new(state: &StateFolder) -> Self {
        Self { state: state.clone(), fallback: || None }
    }

    /// The same, with another state folder for claims of notices if this one cannot be written.
    #[must_use]
    pub fn with_fallback(self, fallback: fn() -> Option<StateFolder>) -> Self {
        Self { fallback, ..self }
    }

    /// Switches a hook off in a session.
    pub fn switch_off(&self, session: &SessionId, hook: &HookId) -> Result<(), StateError> {
        let what = SessionClaim::SwitchedOff(hook.clone());
        self.claim(Some(session), &what)?;
        let path = SessionFolder::new(&self.state, session).claim(&what);
        self.switches(Some(session)).keep(&path, what.to_string().as_bytes()).map_err(unusable(&path))
    }

    /// Switches it on again.
    pub fn switch_on(&self, session: &SessionId, hook: &HookId) -> Result<(), StateError> {
        let what = SessionClaim::SwitchedOff(hook.clone());
        let path = SessionFolder::new(&self.state, session).claim(&what);
        self.switches(Some(session)).forget(&path).map_err(unusable(&path))?;
        self.release(Some(session), &what)
    }

    fn switches(&self, session: Option<&SessionId>) -> GrantedFiles {
        let folder = SessionFolder::new(&self.state, session).join("switches");
        GrantedFiles::new(&self.state, folder)
    }
}

impl SessionStore for SessionFolders {
    fn recall(&self, session: &SessionId) -> Result<Session, StateError> {
        let path = SessionFolder::new(&self.state, session).root();
        let project_root = read_fact(&path).map_err(unusable(&path))?;
        Ok(Session { project_root })
    }

    /// The file gets its name only when it is complete, and a link never replaces an existing file.
    fn remember_project_root(&self, session: &SessionId, root: &str) -> Result<(), StateError> {
        let folder = SessionFolder::new(&self.state, session);
        let path = folder.root();
        let (draft, mut file) = folder.draft().map_err(unusable(&path))?;
        let linked = file.write_all(root.as_bytes()).and_then(|()| std::fs::hard_link(&draft, &path));
        let removed = std::fs::remove_file(&draft);
        match linked {
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => removed,
            linked => linked.and(removed),
        }
        .map_err(unusable(&path))
    }

    /// The existence of the file is the claim; its text is for people. If the text cannot be written, the claim is
    /// released, so that an error never means "taken".
    fn claim(&self, session: Option<&SessionId>, what: &SessionClaim) -> Result<ClaimOutcome, StateError> {
        let folder = SessionFolder::new(&self.state, session);
        let path = folder.claim(what);
        match folder.create_new(&path) {
            Ok(mut file) => {
                file.write_all(what.to_string().as_bytes())
                    .map_err(|cause| std::fs::remove_file(&path).err().unwrap_or(cause))
                    .map_err(unusable(&path))?;
                Ok(ClaimOutcome::Granted)
            }
            Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(ClaimOutcome::Taken),
            Err(cause) => Err(unusable(&path)(cause)),
        }
    }

    fn claim_notice(&self, session: &SessionId, cause: &Cause) -> Result<ClaimOutcome, StateError> {
        let claim = SessionClaim::Notified(cause.clone());
        self.claim(Some(session), &claim).or_else(|error| match (self.fallback)() {
            Some(state) => Self::new(&state).claim(Some(session), &claim),
            None => Err(error),
        })
    }

    /// Costs one system call.
    fn claimed(&self, session: Option<&SessionId>, what: &SessionClaim) -> Result<bool, StateError> {
        let path = SessionFolder::new(&self.state, session).claim(what);
        if_found(std::fs::symlink_metadata(&path)).map(|found| found.is_some()).map_err(unusable(&path))
    }

    fn is_switched_off(&self, session: Option<&SessionId>, hook: &HookId) -> Result<bool, StateError> {
        let what = SessionClaim::SwitchedOff(hook.clone());
        if !self.claimed(session, &what)? {
            return Ok(false);
        }
        let path = SessionFolder::new(&self.state, session).claim(&what);
        Ok(self.switches(session).has(&path, what.to_string().as_bytes()))
    }

    /// A claim that does not exist can be released too.
    fn release(&self, session: Option<&SessionId>, what: &SessionClaim) -> Result<(), StateError> {
        let path = SessionFolder::new(&self.state, session).claim(what);
        if_found(std::fs::remove_file(&path)).map(drop).map_err(unusable(&path))
    }

    fn count(
        &self,
        session: Option<&SessionId>,
        what: &SessionCounter,
        mark: CountOp,
    ) -> Result<u64, StateError> {
        let folder = SessionFolder::new(&self.state, session);
        let path = folder.counter(what);
        tally::add(&folder, &path, mark).map_err(unusable(&path))
    }

    /// Files are numbered by a counter, so that the folder is not searched. A number that is taken is from before the
    /// counter.
    fn keep_context(&self, session: Option<&SessionId>, text: &str) -> Result<String, StateError> {
        let folder = SessionFolder::new(&self.state, session);
        let mut number = self.count(session, &SessionCounter::ContextFiles, CountOp::Increment)?;
        loop {
            let path = folder.join(&format!("context-{number}.txt"));
            match folder.create_new(&path) {
                Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => number += 1,
                created => {
                    return created
                        .and_then(|mut file| file.write_all(text.as_bytes()))
                        .map(|()| path.display().to_string())
                        .map_err(unusable(&path));
                }
            }
        }
    }

    fn defer(&self, session: &SessionId, texts: &[Deferred]) -> Result<(), StateError> {
        let folder = SessionFolder::new(&self.state, session);
        pending::put(&folder, texts).map_err(unusable(&folder.pending()))
    }

    fn take_deferred(
        &self,
        session: &SessionId,
        wanted: Wanted,
        arrived: Timestamp,
    ) -> Result<Vec<Deferred>, StateError> {
        let folder = SessionFolder::new(&self.state, session);
        pending::take(&folder, wanted, arrived).map_err(unusable(&folder.pending()))
    }

    fn keep_crash_notice(
        &self,
        session: &SessionId,
        texts: &[Deferred],
    ) -> Result<Option<Box<dyn CrashNotice>>, StateError> {
        let folder = SessionFolder::new(&self.state, session);
        let words = pending::put_crash_notice(&folder, texts).map_err(unusable(&folder.pending()))?;
        Ok(Some(Box::new(words)))
    }

    /// Costs one system call.
    fn has_ledger(&self, session: &SessionId) -> Result<bool, StateError> {
        let path = SessionFolder::new(&self.state, session).ledger();
        path.try_exists().map_err(unusable(&path))
    }

    fn open_ledger(&self, session: &SessionId, moment: &Moment) -> Result<Box<dyn LedgerPage>, StateError> {
        Ok(Box::new(Page::open(&self.state, session, moment)?))
    }

    fn check_duplicate(
        &self,
        session: &SessionId,
        call: &CallIdentity,
        until: Instant,
    ) -> Result<DuplicateCheck, StateError> {
        calls::check_duplicate(&SessionFolder::new(&self.state, session), call, until)
    }
}

/// The text of a file, if it exists. A power cut may leave an empty file, which has no text.
pub(super) fn read_fact(path: &Path) -> io::Result<Option<String>> {
    let Some(mut file) = if_found(open_to_read(path))? else { return Ok(None) };
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok((!text.is_empty()).then_some(text))
}

pub(crate) fn unusable(path: &Path) -> impl FnOnce(io::Error) -> StateError {
    move |cause| StateError { path: path.display().to_string(), cause }
}
