//! A session on disk: a line for the session, and one for each thing that was said, written as it is said. A process that
//! is killed loses at most the line it was writing, and that one is recognised and left out.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tenter_coordinator::StoreError;
use tenter_models::talk::{Item, ToolResult};

/// The form of these files. A session of a later form is not touched.
const VERSION: u32 = 1;

/// Where a session is kept.
#[derive(Debug, Default)]
pub struct Journal {
    /// `None` for a session that is not kept.
    file: Option<File>,
    resumed: Vec<Item>,
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

    /// A new session in this folder, which is made if it is not there.
    pub fn begin(folder: &Path, session: &str, project: &str, began: u64) -> io::Result<Self> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let path = folder.join(format!("{session}.jsonl"));
        let mut file = OpenOptions::new().append(true).create_new(true).mode(0o600).open(path)?;
        alone(&file)?;
        let (session, project) = (session.to_owned(), project.to_owned());
        write_line(&mut file, &Head { v: VERSION, session, project, began })?;
        Ok(Self { file: Some(file), resumed: Vec::new() })
    }

    /// Goes on with a session. Calls whose results were never written are answered for, because no API takes a
    /// conversation in which a call has no result.
    pub fn resume(path: &Path) -> io::Result<(Self, Head)> {
        let mut file = OpenOptions::new().read(true).append(true).open(path)?;
        alone(&file)?;
        let (head, items, whole) = read(&file)?;
        // Half a line would spoil the next one.
        if whole < file.metadata()?.len() {
            file.set_len(whole)?;
        }
        file.seek(SeekFrom::End(0))?;
        let mut journal = Self { file: Some(file), resumed: items };
        for result in unanswered(&journal.resumed) {
            let item = Item::Result(result);
            journal
                .append(&Entry::Item(item.clone()))
                .map_err(|error| io::Error::other(error.to_string()))?;
            journal.resumed.push(item);
        }
        Ok((journal, head))
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
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let Ok(file) = File::open(&path) else { continue };
        let changed = file.metadata().and_then(|it| it.modified()).ok();
        if let Ok((head, items, _)) = read(&file) {
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

/// The head, what is in force of the rest, and how many bytes of the file are whole lines.
fn read(file: &File) -> io::Result<(Head, Vec<Item>, u64)> {
    let mut lines = BufReader::new(file);
    let mut line = Vec::new();
    let mut whole = u64::try_from(lines.read_until(b'\n', &mut line)?).unwrap_or(0);
    let head: Head = serde_json::from_slice(&line).map_err(|error| not_ours(&error.to_string()))?;
    if head.v > VERSION {
        return Err(not_ours(&format!("it is of form {}, and this program knows {VERSION}", head.v)));
    }
    let mut items = Vec::new();
    loop {
        line.clear();
        let length = lines.read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            return Ok((head, items, whole));
        }
        match serde_json::from_slice(&line) {
            Ok(Entry::Item(item)) => items.push(item),
            Ok(Entry::Compacted) => items.clear(),
            Err(error) => return Err(not_ours(&format!("after {whole} bytes: {error}"))),
        }
        whole += u64::try_from(length).unwrap_or(0);
    }
}

fn not_ours(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("it is not a session that can be read: {why}"))
}

/// Of two programs that go on with one session each would know half of it. A lock ends with its process.
fn alone(file: &File) -> io::Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(io::Error::new(
            io::ErrorKind::ResourceBusy,
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
