//! A session on disk: a line for the session, and one for each thing that was said, written as it is said. A process that
//! is killed loses at most the line it was writing. A line that nobody can read ends what can be gone on with; it and what
//! stands behind it is left out, told, and set aside.

use std::fmt;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::error::Category;
use tenter_coordinator::StoreError;
use tenter_models::talk::{Item, ToolResult};

/// The form of these files. A session of a later form is not touched.
const VERSION: u32 = 1;

/// What is wrong with a last line that has no end.
const TORN: &str = "it breaks off, as if the program or the machine had been stopped while it was written";

/// Where a session is kept.
#[derive(Debug, Default)]
pub struct Journal {
    /// `None` for a session that is not kept.
    file: Option<File>,
    resumed: Vec<Item>,
    left_out: Option<LeftOut>,
}

/// What of a session could not be gone on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
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

/// What a session is, in its first line.
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
    /// The model it began with, as a user names it; sessions from before it was kept have none. It is never a key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// A further line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Entry {
    /// Something was said.
    Item(Item),
    /// All before this became what follows.
    Compacted,
}

/// A session that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its file.
    pub path: PathBuf,
    /// Its first line.
    pub head: Head,
    /// What the user said first.
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
        alone(&file)?;
        let (session, project, model) = (session.to_owned(), project.to_owned(), Some(model.to_owned()));
        write_line(&mut file, &Head { v: VERSION, session, project, began, model })?;
        Ok(Self { file: Some(file), ..Self::default() })
    }

    /// Goes on with a session. Calls whose results were never written are answered for, because no API takes a
    /// conversation in which a call has no result.
    pub fn resume(path: &Path) -> io::Result<(Self, Head)> {
        let mut file = OpenOptions::new().read(true).append(true).open(path)?;
        alone(&file)?;
        let Session { head, items, usable, spoilt } = read(&file)?;
        let left_out = spoilt.map(|spoilt| spoilt.set_aside(path)).transpose()?;
        // Half a line would spoil the next one.
        if usable < file.metadata()?.len() {
            file.set_len(usable)?;
        }
        // Nor is the next one to stand behind a line that has all but its end.
        file.seek(SeekFrom::End(-1))?;
        let mut last = [0];
        file.read_exact(&mut last)?;
        if last != *b"\n" {
            file.write_all(b"\n")?;
        }
        let mut journal = Self { file: Some(file), resumed: items, left_out };
        for result in unanswered(&journal.resumed) {
            let item = Item::Result(result);
            journal
                .append(&Entry::Item(item.clone()))
                .map_err(|error| io::Error::other(error.to_string()))?;
            journal.resumed.push(item);
        }
        Ok((journal, head))
    }

    /// What could not be gone on with, for whoever resumes it.
    pub fn left_out(&self) -> Option<&LeftOut> {
        self.left_out.as_ref()
    }

    /// What was said before it was resumed.
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

/// The sessions of a folder, latest first; files that are none are left out.
pub fn sessions(folder: &Path) -> io::Result<Vec<Found>> {
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
            found.push((changed, Found { path, head, first_prompt }));
        }
    }
    found.sort_by_key(|(changed, _)| std::cmp::Reverse(*changed));
    Ok(found.into_iter().map(|(_, session)| session).collect())
}

/// A session as its file has it.
struct Session {
    head: Head,
    /// What is in force of what was said.
    items: Vec<Item>,
    /// So many bytes of the file can be gone on with.
    usable: u64,
    /// The line that ends them.
    spoilt: Option<Spoilt>,
}

/// A line that cannot be read.
struct Spoilt {
    /// Which, from 1.
    line: usize,
    why: String,
    /// Where it begins.
    at: u64,
    /// How much was in force before it.
    items: usize,
    /// How many lines there are from here on.
    lines: usize,
}

/// Reads a session. What stands before a compaction is not in force any more, so a line there that cannot be read
/// harms nobody.
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
    let mut spoilt: Option<Spoilt> = None;
    for number in 2.. {
        line.clear();
        let length = lines.read_until(b'\n', &mut line)?;
        if line.is_empty() {
            break;
        }
        let entry = match (serde_json::from_slice(&line), line.ends_with(b"\n")) {
            // What it all became was to follow.
            (Err(_) | Ok(Entry::Compacted), false) => Err(TORN.to_owned()),
            (entry, _) => entry.map_err(|error| in_line(&error)),
        };
        match (entry, &mut spoilt) {
            (Ok(Entry::Compacted), _) => {
                items.clear();
                spoilt = None;
            }
            (_, Some(spoilt)) => spoilt.lines += 1,
            (Ok(Entry::Item(item)), None) => items.push(item),
            (Err(why), None) => {
                let (line, at, items) = (number, whole, items.len());
                spoilt = Some(Spoilt { line, why, at, items, lines: 1 });
            }
        }
        whole += u64::try_from(length).unwrap_or(0);
    }
    if let Some(spoilt) = &spoilt {
        items.truncate(spoilt.items);
        whole = spoilt.at;
    }
    Ok(Session { head, items, usable: whole, spoilt })
}

/// What is wrong in a line, for people.
fn in_line(error: &serde_json::Error) -> String {
    match error.classify() {
        Category::Eof => "it breaks off".to_owned(),
        Category::Syntax => format!("what stands there from column {} on is no JSON", error.column()),
        // That it is the first line of its text says nothing.
        Category::Data | Category::Io => error.to_string().replace("at line 1 column", "at column"),
    }
}

impl Spoilt {
    /// Keeps the file as it is beside itself, before anything is cut off it.
    fn set_aside(self, path: &Path) -> io::Result<LeftOut> {
        let name = |count: usize| {
            let mut name = path.as_os_str().to_owned();
            name.push(format!(".spoilt-{count}"));
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
            // Half a copy is no copy, and the session is still there.
            let _ = fs::remove_file(&whole);
            return Err(error);
        }
        let Self { line, why, lines, .. } = self;
        Ok(LeftOut { path: path.to_owned(), line, why, lines, whole })
    }
}

impl fmt::Display for LeftOut {
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
fn alone(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::Error::new(
            ErrorKind::ResourceBusy,
            "another program is working on it; leave that one first",
        )),
        // Where files cannot be locked, nobody is kept from working.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

/// In one piece, so that nothing comes between.
fn write_line(file: &mut File, line: &impl Serialize) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    file.write_all(&bytes)
}

/// Results for the calls of the last reply that have none.
fn unanswered(items: &[Item]) -> Vec<ToolResult> {
    let Some(last) = items.iter().rposition(|item| matches!(item, Item::Reply(_))) else { return Vec::new() };
    let Some((Item::Reply(reply), after)) = items[last..].split_first() else { return Vec::new() };
    let has_result = |id: &str| after.iter().any(|item| matches!(item, Item::Result(it) if it.call_id == id));
    let calls = reply.calls().filter(|call| !has_result(&call.id));
    calls.map(|call| interrupted(&call.id, &call.name)).collect()
}

/// What stands in place of a result that nobody knows.
pub(crate) fn interrupted(call_id: &str, name: &str) -> ToolResult {
    ToolResult {
        call_id: call_id.to_owned(),
        name: name.to_owned(),
        output: "It was interrupted; whether it had an effect is not known. Look before you do it again."
            .to_owned(),
        failed: true,
    }
}
