//! Grants of sessions: one file per question that was answered with "Allow always".

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tenter_contract::ports::StateError;
use tenter_contract::{ApprovalRequest, SessionGrant, SessionId};
use tenter_protocol::v1::approval::GrantV1;

use super::{ApprovalFolder, remove, unusable, write_json};
use crate::GrantedChange;
use crate::clock::is_older;
use crate::granted::{self, GrantedFiles, is_json};
use crate::json;
use crate::place::{if_found, names_in, open_plain, open_private, our_file};
use crate::sessions::SessionFolder;

/// A session without a question for this long is over, even without an event that ends it.
const IDLE: Duration = Duration::from_hours(24);

/// The folder in a session's folder in which copies of its grants are kept.
const COPIES: &str = "granted";

fn folder(register: &ApprovalFolder, session: &SessionId) -> PathBuf {
    SessionFolder::new(&register.state, session).join("grants")
}

/// Keeps the grants of one question. They count when the question is over.
pub(super) fn keep(register: &ApprovalFolder, id: &str, granted: &[SessionGrant]) -> Result<(), StateError> {
    let Some(first) = granted.first() else { return Ok(()) };
    let session = SessionFolder::new(&register.state, &first.session);
    let folder = session.join("grants");
    let path = folder.join(format!("{id}.json"));
    let wire: Vec<GrantV1> = granted.iter().map(GrantV1::new).collect();
    let written = session.make(&folder).and_then(|()| write_json(&path, &wire));
    let copies = copies(register, &folder);
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

/// The grants of a session that still count, and notices about files that do not. Reading them keeps the session alive.
pub(super) fn load_session(
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
            if is_older(&path, IDLE) {
                end(register, &path)?;
                continue;
            }
            if register.is_undecided(id) {
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

/// Removes a grant and its copy, so that the file cannot be restored.
fn end(register: &ApprovalFolder, path: &Path) -> io::Result<()> {
    copies(register, path.parent().unwrap_or(path)).forget(path)?;
    remove(path)
}

/// The grants in a file, if they are what tenter wrote.
fn read_granted(copies: &GrantedFiles, path: &Path) -> io::Result<Option<Vec<GrantV1>>> {
    let mut bytes = Vec::new();
    let Some(mut file) = if_found(open_private(path))? else { return Ok(Some(Vec::new())) };
    file.read_to_end(&mut bytes)?;
    if copies.has(path, &bytes) { Ok(Some(json::typed(&bytes)?)) } else { Ok(None) }
}

fn touch(path: &Path) -> io::Result<()> {
    open_plain(our_file().write(true), path)?.set_modified(SystemTime::now())
}

/// Ends all grants of a session.
pub(super) fn end_session(register: &ApprovalFolder, session: &SessionId) -> Result<(), StateError> {
    let folder = folder(register, session);
    for folder in [folder.with_file_name(COPIES), folder] {
        if_found(fs::remove_dir_all(&folder)).map_err(unusable(&folder))?;
    }
    Ok(())
}

/// Ends the grants of one question.
pub(super) fn revoke_question(register: &ApprovalFolder, request: &ApprovalRequest) -> io::Result<()> {
    let Some(session) = &request.event.session else { return Ok(()) };
    end(register, &folder(register, session).join(format!("{}.json", request.id)))
}

impl ApprovalFolder {
    /// All grants of all sessions that still count.
    pub fn grants(&self) -> Result<Vec<SessionGrant>, StateError> {
        let sessions = self.state.path().join("sessions");
        let names = names_in(&sessions).map_err(unusable(&sessions))?;
        let mut all = Vec::new();
        for name in names {
            let folder = sessions.join(name).join("grants");
            for file in names_in(&folder).map_err(unusable(&folder))? {
                let path = folder.join(&file);
                let Some(id) = file.strip_suffix(".json").filter(|id| !self.is_undecided(id)) else {
                    continue;
                };
                if is_older(&path, IDLE) || id.is_empty() {
                    continue;
                }
                let wire = read_granted(&copies(self, &folder), &path).map_err(unusable(&path))?;
                all.extend(wire.unwrap_or_default().iter().filter_map(GrantV1::grant));
            }
        }
        all.sort_by_key(|grant| (grant.at, grant.id.clone()));
        Ok(all)
    }

    /// Ends the grants with this id and returns them.
    pub fn revoke_grant(&self, id: &str) -> Result<Vec<SessionGrant>, StateError> {
        let revoked: Vec<SessionGrant> = self.grants()?.into_iter().filter(|grant| grant.id == id).collect();
        for grant in &revoked {
            let path = folder(self, &grant.session).join(format!("{id}.json"));
            end(self, &path).map_err(unusable(&path))?;
        }
        Ok(revoked)
    }
}
