//! Spill files: records that wait while the trail cannot be written.
//!
//! A spill file gets its name only when it is complete, and never changes after that, so merging it needs no lock of its
//! writer.

use std::fs::DirBuilder;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::time::Duration;

use tenter_contract::ports::TrailError;

use super::draft::Draft;
use super::files::{AuditFiles, TORN, unusable};
use super::step::{Step, Watch};
use crate::clock::{is_older, since_epoch};
use crate::place::{names_in, our_file};

const BEGIN: &str = "spill-";
const WHOLE: &str = ".jsonl";
const PART: &str = ".part";
/// A partial file of this age was abandoned.
const STALE: Duration = Duration::from_mins(1);

/// Writes records to a spill file, each with an id, and returns its path.
pub(crate) fn keep(files: &AuditFiles, drafts: &[Draft], watch: Watch) -> Result<PathBuf, TrailError> {
    let (key, _) = files.key_or_new()?;
    let pid = std::process::id();
    let write = || {
        let mut start = since_epoch().as_nanos();
        let (mut file, part) = loop {
            let part = files.spilled.join(format!("{BEGIN}{pid}-{start}{PART}"));
            make_folder(files)?;
            match our_file().write(true).create_new(true).open(&part) {
                Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => start += 1,
                // The process that merged the last file has just removed the folder.
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                made => break (made?, part),
            }
        };
        let mut bytes = Vec::new();
        for (number, draft) in (1..).zip(drafts) {
            bytes.extend(draft.with_id(&format!("{pid}-{start}-{number}")).without_place(&key));
            bytes.push(b'\n');
        }
        // Spill files are rare, so they wait for the disk.
        file.write_all(&bytes).and_then(|()| file.sync_all()).inspect_err(|_| {
            // A partial spill file is useless, and the caller reports the loss.
            let _ = std::fs::remove_file(&part);
        })?;
        watch(Step::SpillWritten);
        let whole = part.with_extension(&WHOLE[1..]);
        std::fs::rename(&part, &whole)?;
        watch(Step::Spilled);
        Ok(whole)
    };
    write().map_err(unusable(&files.spilled))
}

/// Whether there may be spill files. One system call, because every append checks it.
pub(crate) fn may_be_there(files: &AuditFiles) -> bool {
    rustix::fs::access(&files.spilled, rustix::fs::Access::EXISTS).is_ok()
}

/// The complete spill files, in the order of their start.
pub(crate) fn all(files: &AuditFiles) -> io::Result<Vec<PathBuf>> {
    let mut found: Vec<(u128, u32, PathBuf)> = names_in(&files.spilled)?
        .into_iter()
        .filter_map(|name| {
            let (pid, start) = name.strip_prefix(BEGIN)?.strip_suffix(WHOLE)?.split_once('-')?;
            Some((start.parse().ok()?, pid.parse().ok()?, files.spilled.join(&name)))
        })
        .collect();
    found.sort();
    Ok(found.into_iter().map(|(_, _, path)| path).collect())
}

/// Removes the folder if it is empty. Abandoned files are moved to the torn lines.
pub(crate) fn tidy(files: &AuditFiles) -> io::Result<()> {
    for name in names_in(&files.spilled)?.iter().filter(|name| name.ends_with(PART)) {
        let path = files.spilled.join(name);
        if is_older(&path, STALE) {
            std::fs::rename(&path, files.folder.join(format!("{TORN}{name}")))?;
        }
    }
    match std::fs::remove_dir(&files.spilled) {
        Err(cause) if cause.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
        removed => removed,
    }
}

fn make_folder(files: &AuditFiles) -> io::Result<()> {
    files.state.make_folder(&files.folder)?;
    match DirBuilder::new().mode(0o700).create(&files.spilled) {
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}
