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

/// The format of these files. A session of a later format is not changed.
const VERSION: u32 = 1;

const TORN: &str = "it is cut off, as after a crash while it was written";

/// The file of a session.
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
    /// The first unreadable line, from 1.
    pub line: usize,
    /// The reason.
    pub why: String,
    /// The number of lines that are left out, this one included.
    pub lines: usize,
    /// The copy of the original file.
    pub original: PathBuf,
}

/// The first line of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The format of the file.
    pub v: u32,
    /// The session.
    pub session: String,
    /// The project in which it began.
    pub project: String,
    /// The start, in milliseconds since 1970.
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

/// A session on disk.
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
    /// A session that is not stored.
    pub fn none() -> Self {
        Self::default()
    }

    /// A new session in this folder, which is created if necessary.
    pub fn begin(folder: &Path, session: &str, project: &str, model: &str, began: u64) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let path = folder.join(format!("{session}.jsonl"));
        let mut file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(path)?;
        lock_exclusively(&file)?;
        let (session, project, model) = (session.to_owned(), project.to_owned(), Some(model.to_owned()));
        write_line(&mut file, &Head { v: VERSION, session, project, began, model })?;
        Ok(Self { file: Some(file), ..Self::default() })
    }

    /// Continues a session. Calls without a result get one, because no API accepts a call without a result.
    pub fn resume(path: &Path) -> io::Result<(Self, Head)> {
        let mut file = OpenOptions::new().read(true).append(true).open(path)?;
        lock_exclusively(&file)?;
        let Session { head, items, usable, corrupt } = read(&file)?;
        let lost_lines = corrupt.map(|corrupt| corrupt.quarantine(path)).transpose()?;
        // An incomplete line would corrupt the next one.
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
            let appended = journal.append(&Entry::Item(item.clone()));
            appended.map_err(|error| io::Error::other(error.to_string()))?;
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
    let entries = match fs::read_dir(folder) {
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
            let prompt = |item: &Item| if let Item::Prompt(text) = item { Some(text.clone()) } else { None };
            let first_prompt = items.iter().find_map(prompt);
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
    /// Its number, from 1.
    line: usize,
    why: String,
    at: u64,
    items: usize,
    /// The number of lines from here on.
    lines: usize,
}

/// Reads a session. An unreadable line before a compaction does no harm.
fn read(file: &File) -> io::Result<Session> {
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    let mut usable = u64::try_from(lines.read_until(b'\n', &mut line)?).unwrap_or(0);
    let head: Head =
        serde_json::from_slice(&line).map_err(|error| invalid(&format!("line 1: {}", line_error(&error))))?;
    if head.v > VERSION {
        return Err(invalid(&format!("its format is {}, and this program knows {VERSION}", head.v)));
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
            (entry, _) => entry.map_err(|error| line_error(&error)),
        };
        match (entry, &mut corrupt) {
            (Ok(Entry::Compacted), _) => {
                items.clear();
                corrupt = None;
            }
            (_, Some(corrupt)) => corrupt.lines += 1,
            (Ok(Entry::Item(item)), None) => items.push(item),
            (Err(why), None) => {
                let (line, at, items) = (number, usable, items.len());
                corrupt = Some(CorruptLine { line, why, at, items, lines: 1 });
            }
        }
        usable += u64::try_from(length).unwrap_or(0);
    }
    if let Some(corrupt) = &corrupt {
        items.truncate(corrupt.items);
        usable = corrupt.at;
    }
    Ok(Session { head, items, usable, corrupt })
}

fn line_error(error: &serde_json::Error) -> String {
    match error.classify() {
        Category::Eof => "it is cut off".to_owned(),
        Category::Syntax => format!("invalid JSON at column {}", error.column()),
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
        let (original, mut copy) = loop {
            match options.open(name(count)) {
                Ok(copy) => break (name(count), copy),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => count += 1,
                Err(error) => return Err(error),
            }
        };
        if let Err(error) = io::copy(&mut File::open(path)?, &mut copy).and_then(|_| copy.sync_all()) {
            let _ = fs::remove_file(&original);
            return Err(error);
        }
        let Self { line, why, lines, .. } = self;
        Ok(LostLines { path: path.to_owned(), line, why, lines, original })
    }
}

impl fmt::Display for LostLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { path, line, why, lines, original } = self;
        let (path, original) = (path.display(), original.display());
        let lost = if *lines == 1 { "that line is".to_owned() } else { format!("{lines} lines are") };
        write!(
            f,
            "line {line} of {path} cannot be read ({why}). The session continues from the lines before it; {lost} left \
             out. The original file is kept as {original}. To recover it, correct the line there and move the file back"
        )
    }
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, format!("it is not a readable session: {why}"))
}

/// Two programs must not continue one session: each would know half of it. A lock ends with its process.
fn lock_exclusively(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            let why = "another program is using it; quit that program first";
            Err(io::Error::new(ErrorKind::ResourceBusy, why))
        }
        // File systems without locks are allowed.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// Writes a line at once, so that no other line can come between.
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
