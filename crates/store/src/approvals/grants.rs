//! Answers that last until their session ends: one file per question that was answered with "Allow always".

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tenter_contract::ports::StateError;
use tenter_contract::{ApprovalRequest, SessionGrant, SessionId};
use tenter_protocol::v1::approval::GrantV1;

use super::{ApprovalFolder, names_in, remove, unusable, write_json};
use crate::GrantedChange;
use crate::granted::{self, GrantedFiles, is_json};
use crate::json;
use crate::place::{open_plain, open_private, our_file};
use crate::sessions::SessionFolder;

/// A session in which nothing was asked for so long is over, although no event said so.
const IDLE: Duration = Duration::from_hours(24);

/// The folder in a session's folder in which copies of its grants are kept.
const COPIES: &str = "granted";

/// The folder of a session's grants.
fn folder(register: &ApprovalFolder, session: &SessionId) -> PathBuf {
    SessionFolder::new(&register.state, session).beside("grants")
}

/// Keeps what was granted by one question. It counts when the question is over.
pub(super) fn keep(register: &ApprovalFolder, id: &str, granted: &[SessionGrant]) -> Result<(), StateError> {
    let Some(first) = granted.first() else { return Ok(()) };
    let session = SessionFolder::new(&register.state, &first.session);
    let path = session.beside("grants").join(format!("{id}.json"));
    let wire: Vec<GrantV1> = granted.iter().map(GrantV1::new).collect();
    let written = session.make(&session.beside("grants")).and_then(|()| write_json(&path, &wire));
    let copies = copies(register, &session.beside("grants"));
    written.and_then(|bytes| copies.keep(&path, &bytes)).map_err(unusable(&path))
}

/// The copies of the grants in a folder, next to it.
fn copies(register: &ApprovalFolder, grants: &Path) -> GrantedFiles {
    GrantedFiles::new(&register.state, grants.with_file_name(COPIES))
}

/// The grants of every session that are not as tenter wrote them. A grant that is gone grants nothing.
pub(super) fn changes(register: &ApprovalFolder) -> Vec<GrantedChange> {
    let sessions = fs::read_dir(register.state.path().join("sessions")).into_iter().flatten().flatten();
    let folders = sessions.map(|session| session.path().join("grants"));
    let changes = folders.flat_map(|folder| copies(register, &folder).changes(&folder, is_json));
    changes.filter(|change| change.found.is_some()).collect()
}

/// What was granted in a session and still counts, and what does not count. Looking shows that the session is alive.
pub(super) fn of_session(
    register: &ApprovalFolder,
    session: &SessionId,
) -> Result<(Vec<SessionGrant>, Vec<String>), StateError> {
    let folder = folder(register, session);
    let read = || {
        let (mut grants, mut notices) = (Vec::new(), Vec::new());
        let copies = copies(register, &folder);
        for name in names_in(&folder)? {
            let path = folder.join(&name);
            let Some(id) = name.strip_suffix(".json") else { continue };
            if is_idle(&path) {
                end(register, &path)?;
                continue;
            }
            if register.is_on_its_way(id) {
                continue;
            }
            match read_granted(&copies, &path)? {
                Some(wire) => {
                    let found = wire.iter().filter_map(GrantV1::grant);
                    grants.extend(found.filter(|grant| grant.session == *session));
                    touch(&path)?;
                }
                None => notices.push(granted::notice(&path)),
            }
        }
        Ok((grants, notices))
    };
    read().map_err(unusable(&folder))
}

/// Removes a grant and its copy, so that no one can put the file back.
fn end(register: &ApprovalFolder, path: &Path) -> io::Result<()> {
    copies(register, path.parent().unwrap_or(path)).forget(path)?;
    remove(path)
}

/// The grants in a file, if they are what tenter wrote.
fn read_granted(copies: &GrantedFiles, path: &Path) -> io::Result<Option<Vec<GrantV1>>> {
    let mut bytes = Vec::new();
    match open_private(path) {
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(Some(Vec::new())),
        opened => opened?.read_to_end(&mut bytes)?,
    };
    if copies.has(path, &bytes) { Ok(Some(json::typed(&bytes)?)) } else { Ok(None) }
}

fn touch(path: &Path) -> io::Result<()> {
    open_plain(our_file().write(true), path)?.set_modified(SystemTime::now())
}

fn is_idle(path: &Path) -> bool {
    let changed = fs::metadata(path).and_then(|it| it.modified());
    changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age >= IDLE))
}

/// Ends everything that was granted in a session.
pub(super) fn end_session(register: &ApprovalFolder, session: &SessionId) -> Result<(), StateError> {
    let folder = folder(register, session);
    for folder in [folder.with_file_name(COPIES), folder] {
        match fs::remove_dir_all(&folder) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
            removed => removed.map_err(unusable(&folder))?,
        }
    }
    Ok(())
}

/// Ends what was granted by one question.
pub(super) fn revoke_of(register: &ApprovalFolder, request: &ApprovalRequest) -> io::Result<()> {
    let Some(session) = &request.event.session else { return Ok(()) };
    end(register, &folder(register, session).join(format!("{}.json", request.id)))
}

impl ApprovalFolder {
    /// Everything that was granted in any session and still counts.
    pub fn grants(&self) -> Result<Vec<SessionGrant>, StateError> {
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
                let wire = read_granted(&copies(self, &folder), &path).map_err(unusable(&path))?;
                all.extend(wire.unwrap_or_default().iter().filter_map(GrantV1::grant));
            }
        }
        all.sort_by_key(|grant| (grant.at, grant.id.clone()));
        Ok(all)
    }

    /// Ends a grant; says what it was, if there is one of that id.
    pub fn revoke_grant(&self, id: &str) -> Result<Vec<SessionGrant>, StateError> {
        let revoked: Vec<SessionGrant> = self.grants()?.into_iter().filter(|grant| grant.id == id).collect();
        for grant in &revoked {
            let path = folder(self, &grant.session).join(format!("{id}.json"));
            end(self, &path).map_err(unusable(&path))?;
        }
        Ok(revoked)
    }
}
