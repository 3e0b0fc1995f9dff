//! Spill files: where records are kept while the trail cannot be written.
//!
//! A spill file is written under another name and gets its own only when it is whole, and is never changed
//! after that; so merging it needs no lock of its writer.

use std::fs::DirBuilder;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tenter_contract::ports::TrailError;

use super::draft::Draft;
use super::files::{AuditFiles, TORN, name_of, names_in, unusable};
use super::step::{Step, Watch};
use crate::place::our_file;

const BEGIN: &str = "spill-";
const WHOLE: &str = ".jsonl";
const PART: &str = ".part";
/// A file that has not got its name by then never will.
const STALE: Duration = Duration::from_mins(1);

/// Spills records to a file of their own and returns its path. Each gets an id.
pub(crate) fn keep(files: &AuditFiles, drafts: &[Draft], watch: Watch) -> Result<PathBuf, TrailError> {
    let (key, _) = files.key_or_new()?;
    let pid = std::process::id();
    let write = || {
        let mut start = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let (mut file, part) = loop {
            let part = files.spilled.join(format!("{BEGIN}{pid}-{start}{PART}"));
            make_folder(files)?;
            match our_file().write(true).create_new(true).open(&part) {
                Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => start += 1,
                // Who merged the last file removed the folder just now.
                Err(cause) if cause.kind() == io::ErrorKind::NotFound => {}
                made => break (made?, part),
            }
        };
        let mut bytes = Vec::new();
        for (number, draft) in (1..).zip(drafts) {
            bytes.extend(draft.with_id(&format!("{pid}-{start}-{number}")).without_place(&key));
            bytes.push(b'\n');
        }
        // These are few, so they can wait for the disk.
        file.write_all(&bytes).and_then(|()| file.sync_all()).inspect_err(|_| {
            // Half a spill file is of no use to anyone, and the caller reports the loss.
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

/// Whether there may be spill files. One look, because every append asks.
pub(crate) fn may_be_there(files: &AuditFiles) -> bool {
    rustix::fs::access(&files.spilled, rustix::fs::Access::EXISTS).is_ok()
}

/// The spill files that are whole, in the order they were begun.
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

/// Removes the folder if nothing is left in it. Files whose writers were stopped go where half lines go.
pub(crate) fn tidy(files: &AuditFiles) -> io::Result<()> {
    for name in names_in(&files.spilled)?.iter().filter(|name| name.ends_with(PART)) {
        let path = files.spilled.join(name);
        if is_stale(&path) {
            std::fs::rename(&path, files.folder.join(format!("{TORN}{}", name_of(&path))))?;
        }
    }
    match std::fs::remove_dir(&files.spilled) {
        Err(cause) if cause.kind() == io::ErrorKind::DirectoryNotEmpty => Ok(()),
        removed => removed,
    }
}

fn is_stale(path: &Path) -> bool {
    let written = path.metadata().and_then(|found| found.modified());
    written.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > STALE))
}

fn make_folder(files: &AuditFiles) -> io::Result<()> {
    files.state.make_folder(&files.folder)?;
    match DirBuilder::new().mode(0o700).create(&files.spilled) {
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}
