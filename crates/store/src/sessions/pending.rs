//! Texts that wait for the next event of their session: `pending/`, one file per event or job that left some.
//!
//! A file gets its name there only when it is complete, and whoever renames it away has it: of many
//! processes exactly one. A session that never left anything has no such folder, and looking costs one call. The
//! name of a file in which nothing is for the agent's context says so, because more events can carry that.

use std::fs::{self, File, ReadDir, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
use tenter_contract::ports::{CrashNotice, Deferred, DeferredText, Wanted};
use tenter_contract::{Level, Message, Timestamp};

use super::folder::SessionFolder;
use super::session_files::read_if_there;
use super::shared_decision::Author;
use crate::injection::InjectionWire;
use crate::json;
use crate::place::open_to_read;

/// The end of the name of a file with messages alone.
const MESSAGES: &str = "-messages";

/// The end of the name of a file for the case that its writer dies. As long as that one lives, it holds a lock on it.
const LAST_WORDS: &str = "-last";

/// Leaves these texts in a file of their own. Names sort by time.
pub(super) fn put(folder: &SessionFolder<'_>, texts: &[Deferred]) -> io::Result<()> {
    leave(folder, texts, "").map(drop)
}

/// The same, for the case that we die.
pub(super) fn put_crash_notice(folder: &SessionFolder<'_>, texts: &[Deferred]) -> io::Result<WordsFile> {
    leave(folder, texts, LAST_WORDS).map(|(path, file)| WordsFile { path, _locked: file })
}

/// A file that we hold a lock on. The system takes that from a process that dies.
pub(super) struct WordsFile {
    path: PathBuf,
    _locked: File,
}

impl CrashNotice for WordsFile {
    fn withdraw(self: Box<Self>) {
        // What cannot be removed is told, wrongly, rather than never.
        drop(fs::remove_file(&self.path));
    }
}

fn leave(folder: &SessionFolder<'_>, texts: &[Deferred], when: &str) -> io::Result<(PathBuf, File)> {
    let wire: Vec<Wire> = texts.iter().map(Wire::of).collect();
    let messages_alone = texts.iter().all(|text| matches!(text.text, DeferredText::Message(_)));
    let kind = if messages_alone { MESSAGES } else { "" };
    let kind = format!("{when}{kind}");
    let (draft, mut file) = folder.draft()?;
    let since_1970 = since_1970();
    let draft_name = draft.file_name().unwrap_or_default().to_string_lossy();
    let path = folder.pending().join(format!("{since_1970:020}-{draft_name}{kind}"));
    let placed = serde_json::to_vec(&wire)
        .map_err(io::Error::from)
        .and_then(|bytes| file.write_all(&bytes))
        .and_then(|()| if when.is_empty() { Ok(()) } else { file.lock() })
        .and_then(|()| place(folder, &draft, &path));
    // An error means that nothing is kept; the first one is the one to tell.
    placed.inspect_err(|_| drop(fs::remove_file(&draft)))?;
    Ok((path, file))
}

/// In nanoseconds.
fn since_1970() -> u128 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos()
}

/// When a file was left, as its name says.
fn kept_at(name: &str) -> Option<u128> {
    name.split_once('-')?.0.parse().ok()
}

/// Whether its writer may still withdraw it.
fn is_held(path: &Path) -> bool {
    let held = |file: &File| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock));
    open_to_read(path).is_ok_and(|file| held(&file))
}

fn place(folder: &SessionFolder<'_>, draft: &Path, path: &Path) -> io::Result<()> {
    match fs::rename(draft, path) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => {
            folder.make(&folder.pending())?;
            fs::rename(draft, path)
        }
        placed => placed,
    }
}

/// Takes what waits and is wanted, oldest first. A file that cannot be read is told, and stays aside as
/// `unread-…`, for people. What is behind it waits for the next time, so that nothing is lost with it.
pub(super) fn take(
    folder: &SessionFolder<'_>,
    wanted: Wanted,
    arrived: Timestamp,
) -> io::Result<Vec<Deferred>> {
    let pending = folder.pending();
    match fs::read_dir(&pending) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        entries => take_from(folder, &pending, entries?, wanted, arrived),
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
    // What seems to come from the future was kept before the clock was set back.
    let meanwhile = u128::from(arrived.unix_ms) * 1_000_000..=since_1970();
    names.retain(|name| kept_at(&name.to_string_lossy()).is_none_or(|kept| !meanwhile.contains(&kept)));
    names.sort();
    let mut texts = Vec::new();
    for name in names {
        let waiting = pending.join(&name);
        if name.to_string_lossy().contains(LAST_WORDS) && is_held(&waiting) {
            continue;
        }
        let ours = folder.beside(&format!("unread-{}", name.to_string_lossy()));
        let taken = fs::rename(&waiting, &ours).and_then(|()| read(&ours));
        match taken {
            Ok(taken) => {
                texts.extend(taken);
                // Nobody looks at it again, so what cannot be removed is only litter.
                drop(fs::remove_file(&ours));
            }
            Err(cause) if cause.kind() == ErrorKind::NotFound => {}
            Err(cause) if texts.is_empty() => return Err(cause),
            // What was read must get to the agent first.
            Err(_) => {
                drop(fs::rename(&ours, &waiting));
                return Ok(texts);
            }
        }
    }
    Ok(texts)
}

fn read(path: &Path) -> io::Result<Vec<Deferred>> {
    let text = read_if_there(path)?.unwrap_or_else(|| "[]".to_owned());
    let wire: Vec<Wire> = json::typed(text.as_bytes())?;
    let read: Option<Vec<Deferred>> = wire.into_iter().map(Wire::text).collect();
    read.ok_or_else(|| {
        io::Error::new(ErrorKind::InvalidData, "it names a layer, role, place or level nobody knows")
    })
}

/// A text as it lies in the file.
#[derive(Serialize, Deserialize)]
struct Wire {
    by: Author,
    #[serde(flatten)]
    text: TextWire,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum TextWire {
    Context(InjectionWire),
    Message { text: String, level: String },
}

impl Wire {
    fn of(deferred: &Deferred) -> Self {
        let text = match &deferred.text {
            DeferredText::Context(injection) => TextWire::Context(InjectionWire::new(injection)),
            DeferredText::Message(Message { text, level }) => {
                TextWire::Message { text: text.clone(), level: level.as_str().to_owned() }
            }
        };
        Self { by: Author::of(&deferred.by), text }
    }

    fn text(self) -> Option<Deferred> {
        let text = match self.text {
            TextWire::Context(wire) => DeferredText::Context(wire.injection()?),
            TextWire::Message { text, level } => {
                DeferredText::Message(Message { text, level: Level::parse(&level)? })
            }
        };
        Some(Deferred { by: self.by.source()?, text })
    }
}
