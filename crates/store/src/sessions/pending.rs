//! Texts that wait for the next event of their session: `pending/`, one file per event or background job.
//!
//! A file gets its name only when it is complete, and the process that renames it away owns it. A session without such
//! texts has no such folder, and checking costs one system call. The name of a file with messages alone shows that,
//! because more events can deliver messages than context.

use std::fs::{self, File, ReadDir, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tenter_contract::Timestamp;
use tenter_contract::ports::{CrashNotice, Deferred, DeferredText, Wanted};

use super::folder::SessionFolder;
use super::session_files::read_fact;
use crate::clock::since_epoch;
use crate::place::{if_found, open_to_read};

/// The suffix of a file with messages alone.
const MESSAGES: &str = "-messages";

/// The suffix of a file that counts only if its writer dies. The writer holds a lock on it while it lives.
const LAST_WORDS: &str = "-last";

/// Writes these texts to a new file. Names sort by time.
pub(super) fn put(folder: &SessionFolder<'_>, texts: &[Deferred]) -> io::Result<()> {
    write(folder, texts, "").map(drop)
}

/// The same, for the case that this process dies.
pub(super) fn put_crash_notice(folder: &SessionFolder<'_>, texts: &[Deferred]) -> io::Result<WordsFile> {
    write(folder, texts, LAST_WORDS).map(|(path, file)| WordsFile { path, _locked: file })
}

/// A locked file. The system releases the lock if the process dies.
pub(super) struct WordsFile {
    path: PathBuf,
    _locked: File,
}

impl CrashNotice for WordsFile {
    fn withdraw(self: Box<Self>) {
        // A file that cannot be removed is delivered although its writer lives.
        drop(fs::remove_file(&self.path));
    }
}

fn write(folder: &SessionFolder<'_>, texts: &[Deferred], when: &str) -> io::Result<(PathBuf, File)> {
    let messages_alone = texts.iter().all(|text| matches!(text.text, DeferredText::Message(_)));
    let kind = if messages_alone { MESSAGES } else { "" };
    let (draft, mut file) = folder.draft()?;
    let now = since_epoch().as_nanos();
    let draft_name = draft.file_name().unwrap_or_default().to_string_lossy();
    let path = folder.pending().join(format!("{now:020}-{draft_name}{when}{kind}"));
    let placed = serde_json::to_vec(texts)
        .map_err(io::Error::from)
        .and_then(|bytes| file.write_all(&bytes))
        .and_then(|()| if when.is_empty() { Ok(()) } else { file.lock() })
        .and_then(|()| place(folder, &draft, &path));
    // An error means that nothing is kept.
    placed.inspect_err(|_| drop(fs::remove_file(&draft)))?;
    Ok((path, file))
}

/// The time in the name of a file.
fn written_at(name: &str) -> Option<u128> {
    name.split_once('-')?.0.parse().ok()
}

/// Whether its writer may still withdraw it.
fn is_held(path: &Path) -> bool {
    let held = |file: &File| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    open_to_read(path).is_ok_and(|file| held(&file))
}

fn place(folder: &SessionFolder<'_>, draft: &Path, path: &Path) -> io::Result<()> {
    if if_found(fs::rename(draft, path))?.is_none() {
        folder.make(&folder.pending())?;
        fs::rename(draft, path)?;
    }
    Ok(())
}

/// Removes and returns the wanted texts, oldest first. An unreadable file is reported and stays as `unread-…`, for people.
/// Later files wait for the next event, so that nothing else is lost.
pub(super) fn take(
    folder: &SessionFolder<'_>,
    wanted: Wanted,
    arrived: Timestamp,
) -> io::Result<Vec<Deferred>> {
    let pending = folder.pending();
    match if_found(fs::read_dir(&pending))? {
        None => Ok(Vec::new()),
        Some(entries) => take_from(folder, &pending, entries, wanted, arrived),
    }
}

#[inline(never)]
fn take_from(
    folder: &SessionFolder<'_>,
    pending: &Path,
    entries: ReadDir,
    wanted: Wanted,
    arrived: Timestamp,
) -> io::Result<Vec<Deferred>> {
    let mut names = entries.map(|entry| Ok(entry?.file_name())).collect::<io::Result<Vec<_>>>()?;
    if names.is_empty() {
        return Ok(Vec::new());
    }
    names.retain(|name| match wanted {
        Wanted::Everything => true,
        Wanted::Messages => name.as_encoded_bytes().ends_with(MESSAGES.as_bytes()),
    });
    // A time in the future is from before the clock was set back.
    let later = u128::from(arrived.unix_ms) * 1_000_000..=since_epoch().as_nanos();
    names.retain(|name| written_at(&name.to_string_lossy()).is_none_or(|written| !later.contains(&written)));
    names.sort();
    let mut texts = Vec::new();
    for name in names {
        let waiting = pending.join(&name);
        if name.to_string_lossy().contains(LAST_WORDS) && is_held(&waiting) {
            continue;
        }
        let ours = folder.join(&format!("unread-{}", name.to_string_lossy()));
        let taken = fs::rename(&waiting, &ours).and_then(|()| read(&ours));
        match taken {
            Ok(taken) => {
                texts.extend(taken);
                // No process reads it again, so a file that cannot be removed is only litter.
                drop(fs::remove_file(&ours));
            }
            Err(cause) if cause.kind() == ErrorKind::NotFound => {}
            Err(cause) if texts.is_empty() => return Err(cause),
            // The agent must receive the texts that were read before the error is reported.
            Err(_) => {
                drop(fs::rename(&ours, &waiting));
                return Ok(texts);
            }
        }
    }
    Ok(texts)
}

fn read(path: &Path) -> io::Result<Vec<Deferred>> {
    Ok(read_fact(path)?.map_or(Ok(Vec::new()), |text| serde_json::from_str(&text))?)
}
