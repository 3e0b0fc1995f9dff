//! The session store as the runtime sees it.

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
use crate::place::open_to_read;

/// The sessions of a state folder. Making one touches nothing, and a session of which nothing was ever kept
/// has no folder.
#[derive(Clone, Debug)]
pub struct SessionFolders {
    state: StateFolder,
    /// Where it is noted what was told, if nothing can be written here. It is looked for only then.
    beside: fn() -> Option<StateFolder>,
}

impl SessionFolders {
    /// The sessions in this folder, which need not exist.
    pub fn new(state: &StateFolder) -> Self {
        Self { state: state.clone(), beside: || None }
    }

    /// The same, with a place to note what was told if nothing can be written here.
    #[must_use]
    pub fn beside(self, beside: fn() -> Option<StateFolder>) -> Self {
        Self { beside, ..self }
    }

    /// Switches something off in a session, for a person.
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
        let folder = SessionFolder::new(&self.state, session).beside("switches");
        GrantedFiles::new(&self.state, folder)
    }
}

impl SessionStore for SessionFolders {
    fn recall(&self, session: &SessionId) -> Result<Session, StateError> {
        let path = SessionFolder::new(&self.state, session).root();
        let project_root = read_if_there(&path).map_err(unusable(&path))?;
        Ok(Session { project_root })
    }

    /// The file gets its name only when it is complete, because others read it at any moment, and a link
    /// does not replace one that is there.
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

    /// The text in the file is for people; that the file exists is the claim. A claim whose text cannot be
    /// written is given back, so that an error never means "taken".
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
        self.claim(Some(session), &claim).or_else(|error| match (self.beside)() {
            Some(state) => Self::new(&state).claim(Some(session), &claim),
            None => Err(error),
        })
    }

    /// One look, and of a session that has no folder it finds nothing.
    fn claimed(&self, session: Option<&SessionId>, what: &SessionClaim) -> Result<bool, StateError> {
        let path = SessionFolder::new(&self.state, session).claim(what);
        match std::fs::symlink_metadata(&path) {
            Ok(_) => Ok(true),
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(cause) => Err(unusable(&path)(cause)),
        }
    }

    fn is_switched_off(&self, session: Option<&SessionId>, hook: &HookId) -> Result<bool, StateError> {
        let what = SessionClaim::SwitchedOff(hook.clone());
        if !self.claimed(session, &what)? {
            return Ok(false);
        }
        let path = SessionFolder::new(&self.state, session).claim(&what);
        Ok(self.switches(session).has(&path, what.to_string().as_bytes()))
    }

    /// A claim that nobody made can be given back too.
    fn release(&self, session: Option<&SessionId>, what: &SessionClaim) -> Result<(), StateError> {
        let path = SessionFolder::new(&self.state, session).claim(what);
        match std::fs::remove_file(&path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(unusable(&path)),
        }
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

    /// Files are counted, so that the thousandth is not looked for among the others; a number that is taken is
    /// from a time before that.
    fn keep_context(&self, session: Option<&SessionId>, text: &str) -> Result<String, StateError> {
        let folder = SessionFolder::new(&self.state, session);
        let mut number = self.count(session, &SessionCounter::ContextFiles, CountOp::Increment)?;
        loop {
            let path = folder.beside(&format!("context-{number}.txt"));
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

    /// One look.
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

/// An empty file is what a power cut may leave of a fact; it says nothing.
pub(super) fn read_if_there(path: &Path) -> io::Result<Option<String>> {
    let mut file = match open_to_read(path) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok((!text.is_empty()).then_some(text))
}

pub(super) fn unusable(path: &Path) -> impl FnOnce(io::Error) -> StateError {
    move |cause| StateError { path: path.display().to_string(), cause }
}
