//! Checks whether events, sessions, questions and replies can be written.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use tenter_store::{open_plain, our_file};

use crate::commands::doctor::check::{Check, typed};

/// Folders in the state folder, and the loss if they cannot be written.
const PLACES: [(&str, &str); 5] = [
    ("", "nothing is kept"),
    ("audit", "no event is recorded"),
    ("sessions", "nothing is remembered of sessions"),
    ("approvals", "no question can be kept, so each is denied"),
    ("cache", "every hook is read and run anew"),
];
/// The files that every event writes.
const TRAIL_FILES: [&str; 2] = ["trail.jsonl", "head"];

/// Checks each folder. A cause that affects all of them is reported once.
pub(crate) fn check(about: &'static str, folder: &Path) -> Vec<Check> {
    let mut checks: Vec<Check> = Vec::new();
    for (place, lost) in PLACES {
        // `join("")` would add a slash.
        let path = if place.is_empty() { folder.to_owned() } else { folder.join(place) };
        let Err((path, cause)) = written(&path, place.is_empty()) else { continue };
        checks.push(Check::problem(
            about,
            format!("{} cannot be written, so {lost}: {cause}", path.display()),
            repair(folder, &path, &cause),
        ));
        if place.is_empty() {
            break;
        }
    }
    checks
}

/// Writes an unnamed temporary file. The first event creates a missing folder, if its parent permits that.
fn written(path: &Path, whole: bool) -> Result<(), (PathBuf, io::Error)> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |cause: io::Error| (path, cause)
    };
    match fs::metadata(path) {
        Err(cause) if cause.kind() == ErrorKind::NotFound && whole => {
            let above = path.ancestors().find(|above| above.exists()).unwrap_or(path);
            return access(above, Access::WRITE_OK | Access::EXEC_OK)
                .map_err(|cause| at(above)(cause.into()));
        }
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(()),
        Err(cause) => {
            // A folder above it cannot be opened.
            let closed = path.ancestors().find(|above| above.exists()).unwrap_or(path);
            return Err(at(closed)(cause));
        }
        Ok(_) => {}
    }
    if !path.is_dir() {
        return Err(at(path)(ErrorKind::NotADirectory.into()));
    }
    let trial = tempfile::tempfile_in(path).and_then(|mut trial| trial.write_all(b"tenter doctor"));
    // The message of the error has the name of a temporary file.
    trial.map_err(|cause| at(path)(cause.kind().into()))?;
    for name in TRAIL_FILES {
        let file = path.join(name);
        match open_plain(our_file().append(true), &file) {
            Err(cause) if cause.kind() != ErrorKind::NotFound => return Err(at(&file)(cause)),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(())
}

/// The command that repairs it or shows the cause.
fn repair(folder: &Path, path: &Path, cause: &io::Error) -> String {
    match cause.kind() {
        ErrorKind::NotADirectory | ErrorKind::IsADirectory | ErrorKind::InvalidInput => {
            format!("mv {0} {0}.old", typed(path))
        }
        // Folders below may have the same permissions; those above are not ours.
        ErrorKind::PermissionDenied if path.starts_with(folder) => {
            format!("chmod -R u+rwX {}", typed(folder))
        }
        ErrorKind::PermissionDenied => format!("chmod u+rwx {}", typed(path)),
        _ => format!("df -h {}", typed(path)),
    }
}
