//! Whether what must be kept can be kept: a trial where events, sessions, questions and answers are written.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};
use tenter_store::{open_plain, our_file};

use crate::commands::doctor::check::{Check, typed};

/// What lies below the state folder, and what is lost where it cannot be written.
const PLACES: [(&str, &str); 5] = [
    ("", "nothing is kept"),
    ("audit", "no event is recorded"),
    ("sessions", "nothing is remembered of sessions"),
    ("approvals", "no question can be kept, so each is denied"),
    ("cache", "every hook is read and run anew"),
];
/// The files of the trail that every event writes.
const TRAIL_FILES: [&str; 2] = ["trail.jsonl", "head"];

/// Tries each place. Whatever one cause makes unusable is reported once.
pub(crate) fn check(about: &'static str, folder: &Path) -> Vec<Check> {
    let mut checks: Vec<Check> = Vec::new();
    for (place, lost) in PLACES {
        // Joined with nothing, a path would end with a slash.
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

/// Writes something that has no name and is gone with the file. What is not there yet will be made by the first
/// event, if that may.
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
            // What cannot even be looked at lies below the folder that is to be opened.
            let closed = path.ancestors().find(|above| above.exists()).unwrap_or(path);
            return Err(at(closed)(cause));
        }
        Ok(_) => {}
    }
    if !path.is_dir() {
        return Err(at(path)(ErrorKind::NotADirectory.into()));
    }
    let trial = tempfile::tempfile_in(path).and_then(|mut trial| trial.write_all(b"tenter doctor"));
    // The message of the trial names a file that no one will find.
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

/// The line that makes it possible, or that shows what is in the way.
fn repair(folder: &Path, path: &Path, cause: &io::Error) -> String {
    match cause.kind() {
        // A pipe, a device or a link is refused as invalid.
        ErrorKind::NotADirectory | ErrorKind::IsADirectory | ErrorKind::InvalidInput => {
            format!("mv {0} {0}.old", typed(path))
        }
        // Everything below may be closed in the same way; what lies above is not ours to open in depth.
        ErrorKind::PermissionDenied if path.starts_with(folder) => {
            format!("chmod -R u+rwX {}", typed(folder))
        }
        ErrorKind::PermissionDenied => format!("chmod u+rwx {}", typed(path)),
        _ => format!("df -h {}", typed(path)),
    }
}
