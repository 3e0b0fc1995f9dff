//! Answers that stand until their session ends: one file per question that was answered with "Allow always".

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use tenter_contract::ports::ShelfError;
use tenter_contract::{Inquiry, SessionGrant, SessionId};
use tenter_protocol::v1::approval::GrantV1;

use super::{ApprovalFolder, names_in, read_json, remove, unusable, write_json};
use crate::place::{open_plain, our_file};
use crate::sessions::SessionFolder;

/// A session in which nothing was asked for so long is over, although nobody said so.
const IDLE: Duration = Duration::from_hours(24);

/// The folder of a session's grants.
fn folder(register: &ApprovalFolder, session: &SessionId) -> PathBuf {
    SessionFolder::new(&register.state, session).beside("grants")
}

/// Keeps what was granted by one question. It counts when the question is over.
pub(super) fn keep(register: &ApprovalFolder, id: &str, granted: &[SessionGrant]) -> Result<(), ShelfError> {
    let Some(first) = granted.first() else { return Ok(()) };
    let session = SessionFolder::new(&register.state, &first.session);
    let path = session.beside("grants").join(format!("{id}.json"));
    let wire: Vec<GrantV1> = granted.iter().map(GrantV1::of).collect();
    session.make(&session.beside("grants")).and_then(|()| write_json(&path, &wire)).map_err(unusable(&path))
}

/// What was granted in a session and still counts. Looking shows that the session is alive.
pub(super) fn of_session(
    register: &ApprovalFolder,
    session: &SessionId,
) -> Result<Vec<SessionGrant>, ShelfError> {
    // Strangers share that one.
    if *session == SessionId::unknown() {
        return Ok(Vec::new());
    }
    let folder = folder(register, session);
    let read = || {
        let mut grants = Vec::new();
        for name in names_in(&folder)? {
            let path = folder.join(&name);
            let Some(id) = name.strip_suffix(".json") else { continue };
            if is_idle(&path) {
                remove(&path)?;
                continue;
            }
            if register.is_on_its_way(id) {
                continue;
            }
            let wire: Vec<GrantV1> = read_json(&path)?.unwrap_or_default();
            grants.extend(wire.iter().filter_map(GrantV1::grant).filter(|grant| grant.session == *session));
            touch(&path)?;
        }
        Ok(grants)
    };
    read().map_err(unusable(&folder))
}

fn touch(path: &std::path::Path) -> io::Result<()> {
    open_plain(our_file().write(true), path)?.set_modified(SystemTime::now())
}

fn is_idle(path: &std::path::Path) -> bool {
    let changed = fs::metadata(path).and_then(|it| it.modified());
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age >= IDLE))
}

/// Ends everything that was granted in a session.
pub(super) fn end_session(register: &ApprovalFolder, session: &SessionId) -> Result<(), ShelfError> {
    let folder = folder(register, session);
    match fs::remove_dir_all(&folder) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(unusable(&folder)),
    }
}

/// Ends what was granted by one question.
pub(super) fn revoke_of(register: &ApprovalFolder, inquiry: &Inquiry) -> io::Result<()> {
    remove(&folder(register, &inquiry.event.session).join(format!("{}.json", inquiry.id)))
}

impl ApprovalFolder {
    /// Everything that was granted in any session and still counts.
    pub fn grants(&self) -> Result<Vec<SessionGrant>, ShelfError> {
        let sessions = self.state.path().join("sessions");
        let names = names_in(&sessions).map_err(unusable(&sessions))?;
        let mut all = Vec::new();
        for name in names {
            let folder = sessions.join(name).join("grants");
            for file in names_in(&folder).map_err(unusable(&folder))? {
                let path = folder.join(&file);
                let Some(id) = file.strip_suffix(".json").filter(|id| !self.is_on_its_way(id)) else {
                    continue;
                };
                if is_idle(&path) || id.is_empty() {
                    continue;
                }
                let wire: Option<Vec<GrantV1>> = read_json(&path).map_err(unusable(&path))?;
                all.extend(wire.unwrap_or_default().iter().filter_map(GrantV1::grant));
            }
        }
        all.sort_by_key(|grant| (grant.at, grant.id.clone()));
        Ok(all)
    }

    /// Ends a grant; says what it was, if there is one of that id.
    pub fn revoke_grant(&self, id: &str) -> Result<Vec<SessionGrant>, ShelfError> {
        let revoked: Vec<SessionGrant> = self.grants()?.into_iter().filter(|grant| grant.id == id).collect();
        for grant in &revoked {
            let path = folder(self, &grant.session).join(format!("{id}.json"));
            remove(&path).map_err(unusable(&path))?;
        }
        Ok(revoked)
    }
}
