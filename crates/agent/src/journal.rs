//! A session on disk: one line for the session and one per item, written at once. A killed process loses at most the
//! line it was writing. An unreadable line ends the usable part: it and all lines after it are dropped, reported and
//! quarantined.

use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use tenter_coordinator::StoreError;
use tenter_models::client::{Item, ToolResult};

/// The form of these files. A session of a later form is not touched.
const VERSION: u32 = 1;

const TORN: &str = "it breaks off, as if the program or the machine had been stopped while it was written";

/// Where a session is kept.
#[derive(Debug, Default)]
pub struct Journal {
    /// `None` for a session that is not stored.
    file: Option<File>,
    resumed: Vec<Item>,
    lost_lines: Option<LostLines>,
}

/// The lines of a session that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LostLines {
    /// The file.
    pub path: PathBuf,
    /// Which line cannot be read, from 1.
    pub line: usize,
    /// Why.
    pub why: String,
    /// How many lines are left out, this one included.
    pub lines: usize,
    /// Where the file lies as it was.
    pub whole: PathBuf,
}

/// The first line of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The form of the file.
    pub v: u32,
    /// The session.
    pub session: String,
    /// The project in which it began.
    pub project: String,
    /// When, in milliseconds since 1970.
    pub began: u64,
    /// The model that the user named at the start; older sessions have none. Never a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Entry {
    Item(Item),
    Compacted,
}

/// A session that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSession {
    /// Its file.
    pub path: PathBuf,
    /// Its first line.
    pub head: Head,
    /// The user's first prompt.
    pub first_prompt: Option<String>,
}

impl Journal {
    /// A session that is kept nowhere.
    pub fn none() -> Self {
        Self::default()
    }

    /// A new session in this folder, which is made if it is not there, with the model that is asked.
    pub fn begin(folder: &Path, session: &str, project: &str, model: &str, began: u64) -> io::Result<Self> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let path = folder.join(format!("{session}.jsonl"));
        let mut file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(path)?;
        lock_exclusively(&file)?;
        let (session, project, model) = (session.to_owned(), project.to_owned(), Some(model.to_owned()));
        write_line(&mut file, &Head { v: VERSION, session, project, began, model })?;
        Ok(Self { file: Some(file), ..Self::default() })
    }

    /// Goes on with a session. Calls whose results were never written are answered for, because no API takes a
    /// conversation in which a call has no result.
    pub fn resume(path: &Path) -> io::Result<(Self, Head)> {
        let mut file = OpenOptions::new().read(true).append(true).open(path)?;
        lock_exclusively(&file)?;
        let Session { head, items, usable, corrupt } = read(&file)?;
        let lost_lines = corrupt.map(|corrupt| corrupt.quarantine(path)).transpose()?;
        // Half a line would spoil the next one.
        if usable < file.metadata()?.len() {
            file.set_len(usable)?;
        }
        // A last line may lack its line end.
        file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
        let mut journal = Self { file: Some(file), resumed: items, lost_lines };
        for result in unanswered(&journal.resumed) {
            let item = Item::Result(result);
            journal
                .append(&Entry::Item(item.clone()))
                .map_err(|error| io::Error::other(error.to_string()))?;
            journal.resumed.push(item);
        }
        Ok((journal, head))
    }

    /// The lines that could not be read.
    pub fn lost_lines(&self) -> Option<&LostLines> {
        self.lost_lines.as_ref()
    }

    pub(crate) fn resumed(&self) -> Vec<Item> {
        self.resumed.clone()
    }

    pub(crate) fn append(&mut self, entry: &Entry) -> Result<(), StoreError> {
        match &mut self.file {
            Some(file) => write_line(file, entry).map_err(StoreError::new),
            None => Ok(()),
        }
    }
}

/// The sessions of a folder, latest first. Other files are skipped.
pub fn sessions(folder: &Path) -> io::Result<Vec<StoredSession>> {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_none_or(|end| end != "jsonl") {
            continue;
        }
        let Ok(file) = File::open(&path) else { continue };
        let changed = file.metadata().and_then(|it| it.modified()).ok();
        if let Ok(Session { head, items, .. }) = read(&file) {
            let first_prompt = items.iter().find_map(|item| match item {
                Item::Prompt(text) => Some(text.clone()),
                _ => None,
            });
            found.push((changed, StoredSession { path, head, first_prompt }));
        }
    }
    found.sort_by_key(|(changed, _)| std::cmp::Reverse(*changed));
    Ok(found.into_iter().map(|(_, session)| session).collect())
}

struct Session {
    head: Head,
    /// Items since the last compaction.
    items: Vec<Item>,
    /// Bytes of the file up to the first unreadable line.
    usable: u64,
    corrupt: Option<CorruptLine>,
}

struct CorruptLine {
    /// Which, from 1.
    line: usize,
    why: String,
    at: u64,
    items: usize,
    /// How many lines there are from here on.
    lines: usize,
}

/// Reads a session. An unreadable line before a compaction does no harm.
fn read(file: &File) -> io::Result<Session> {
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    let mut whole = u64::try_from(lines.read_until(b'\n', &mut line)?).unwrap_or(0);
    let head: Head =
        serde_json::from_slice(&line).map_err(|error| not_ours(&format!("line 1: {}", in_line(&error))))?;
    if head.v > VERSION {
        return Err(not_ours(&format!("it is of form {}, and this program knows {VERSION}", head.v)));
    }
    let mut items = Vec::new();
    let mut corrupt: Option<CorruptLine> = None;
    for number in 2.. {
        line.clear();
        let length = lines.read_until(b'\n', &mut line)?;
        if line.is_empty() {
            break;
        }
        let entry = match (serde_json::from_slice(&line), line.ends_with(b"\n")) {
            // The summary should have followed.
            (Err(_) | Ok(Entry::Compacted), false) => Err(TORN.to_owned()),
            (entry, _) => entry.map_err(|error| in_line(&error)),
        };
        match (entry, &mut corrupt) {
            (Ok(Entry::Compacted), _) => {
                items.clear();
                corrupt = None;
            }
            (_, Some(corrupt)) => corrupt.lines += 1,
            (Ok(Entry::Item(item)), None) => items.push(item),
            (Err(why), None) => {
                let (line, at, items) = (number, whole, items.len());
                corrupt = Some(CorruptLine { line, why, at, items, lines: 1 });
            }
        }
        whole += u64::try_from(length).unwrap_or(0);
    }
    if let Some(corrupt) = &corrupt {
        items.truncate(corrupt.items);
        whole = corrupt.at;
    }
    Ok(Session { head, items, usable: whole, corrupt })
}

fn in_line(error: &serde_json::Error) -> String {
    match error.classify() {
        Category::Eof => "it breaks off".to_owned(),
        Category::Syntax => format!("what stands there from column {} on is no JSON", error.column()),
        // The text is always one line.
        Category::Data | Category::Io => error.to_string().replace("at line 1 column", "at column"),
    }
}

impl CorruptLine {
    /// Copies the file before anything is cut off.
    fn quarantine(self, path: &Path) -> io::Result<LostLines> {
        let name = |count: usize| {
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".corrupt-{count}"));
            PathBuf::from(name)
        };
        let options = OpenOptions::new().write(true).create_new(true).mode(0o600).clone();
        let mut count = 1;
        let (whole, mut kept) = loop {
            match options.open(name(count)) {
                Ok(kept) => break (name(count), kept),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => count += 1,
                Err(error) => return Err(error),
            }
        };
        if let Err(error) = io::copy(&mut File::open(path)?, &mut kept).and_then(|_| kept.sync_all()) {
            let _ = fs::remove_file(&whole);
            return Err(error);
        }
        let Self { line, why, lines, .. } = self;
        Ok(LostLines { path: path.to_owned(), line, why, lines, whole })
    }
}

impl fmt::Display for LostLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, why, lines, whole } = self;
        let (path, whole) = (path.display(), whole.display());
        let from =
            if *lines == 1 { "that line is".to_owned() } else { format!("{lines} lines from there on are") };
        write!(
            f,
            "line {line} of {path} cannot be read ({why}), so the session goes on from what stands before it; {from} left \
             out, and the whole file is kept as {whole}. Who mends the line there and puts the file back has all of it"
        )
    }
}

fn not_ours(why: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("it is not a session that can be read: {why}"))
}

/// Of two programs that go on with one session each would know half of it. A lock ends with its process.
fn lock_exclusively(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::Error::new(
            ErrorKind::ResourceBusy,
            "another program is working on it; leave that one first",
        )),
        // File systems without locks are allowed.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// In one piece, so that nothing comes between.
fn write_line(file: &mut File, line: &impl Serialize) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    file.write_all(&bytes)
}

/// Results for the open calls of the last reply.
fn unanswered(items: &[Item]) -> Vec<ToolResult> {
    let Some(last) = items.iter().rposition(|item| matches!(item, Item::Reply(_))) else { return Vec::new() };
    let Some((Item::Reply(reply), after)) = items[last..].split_first() else { return Vec::new() };
    let has_result = |id: &str| after.iter().any(|item| matches!(item, Item::Result(it) if it.call_id == id));
    let calls = reply.calls().filter(|call| !has_result(&call.id));
    calls.map(|call| interrupted_result(&call.id, &call.name)).collect()
}

/// The result of a call whose real result is unknown.
pub(crate) fn interrupted_result(call_id: &str, name: &str) -> ToolResult {
    ToolResult {
        call_id: call_id.to_owned(),
        name: name.to_owned(),
        output: "It was interrupted; whether it had an effect is not known. Check before you repeat it."
            .to_owned(),
        failed: true,
    }
}
