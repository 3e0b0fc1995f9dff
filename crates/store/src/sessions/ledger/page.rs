//! The ledger as an event finds it, locked until its entries are made.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tenter_contract::ports::{LedgerPage, ShelfError};
use tenter_contract::{Fate, Fund, Injection, LedgerEntry, Moment, SessionId, Source, Spent};

use super::line::{LedgerLine, address};
use crate::StateFolder;
use crate::audit::lock::patient_lock;
use crate::hex::{self, file_name};
use crate::place::open_to_read;
use crate::sessions::folder::{SessionFolder, one_of};
use crate::sessions::shelf::{read_if_there, unusable};

/// A number with its line end; every line is of this length, so that the last one is found without the others.
const NUMBER: usize = 21;
/// So much of the end of a file is looked at for its last line.
const TAIL: u64 = 4096;
/// So many texts of one report are remembered, so that its line stays within the tail.
const REPORT: usize = 60;

/// An open page.
pub(in crate::sessions) struct Page {
    state: StateFolder,
    session: SessionId,
    moment: Moment,
    spent: Spent,
    /// The lock on it is given back when it is closed, also by a process that dies.
    entries: File,
}

impl Page {
    /// Waits for the lock, and reads what was spent.
    pub(in crate::sessions) fn open(
        state: &StateFolder,
        session: &SessionId,
        moment: &Moment,
    ) -> Result<Self, ShelfError> {
        let folder = SessionFolder::new(state, session);
        let path = folder.ledger().join("entries");
        let opened = folder.open_to_add(&path);
        let entries = opened.map_err(unusable(&path))?;
        patient_lock(&entries).map_err(unusable(&path))?;
        let mut page = Self {
            state: state.clone(),
            session: session.clone(),
            moment: moment.clone(),
            spent: Spent::default(),
            entries,
        };
        page.spent = Spent {
            turn: page.last_number(&page.turn_of(Fund::Hooks))?,
            memory: page.last_number(&page.turn_of(Fund::Memory))?,
            session: page.last_number(&page.whole())?,
        };
        Ok(page)
    }

    fn folder(&self) -> SessionFolder<'_> {
        SessionFolder::new(&self.state, &self.session)
    }

    fn file(&self, kind: &str, what: &str) -> PathBuf {
        one_of(&self.folder().ledger(), kind, what)
    }

    fn whole(&self) -> PathBuf {
        self.file("spent", "session")
    }

    fn turn_of(&self, fund: Fund) -> PathBuf {
        self.file("spent", &format!("{} in turn {}", fund.as_str(), self.moment.turn))
    }

    fn context(&self) -> String {
        let context = &self.moment.context;
        format!("{} {:?}", context.generation, context.agent_id)
    }

    /// The file in which a text of this context is looked for, and its line there. To make a file takes longer than
    /// everything else here, so there is not one for each text.
    fn given(&self, by: &Source, injection: &Injection) -> (PathBuf, String) {
        let line = file_name(&format!("{} {}", address(by), hex::encode(&digest_of(injection))));
        (self.file("given", &format!("{} {}", self.context(), &line[..1])), line)
    }

    fn last(&self, by: &Source) -> PathBuf {
        self.file("last", &format!("{} {}", self.context(), address(by)))
    }

    fn last_number(&self, path: &Path) -> Result<u64, ShelfError> {
        last_number(path).map_err(unusable(path))
    }

    fn add(&self, path: &Path, line: &str) -> Result<(), ShelfError> {
        let written = self.folder().open_to_add(path).and_then(|mut file| file.write_all(line.as_bytes()));
        written.map_err(unusable(path))
    }

    /// All lines in one write. What a process that died has left of a line is ended first.
    fn add_entries(&mut self, entries: &[LedgerEntry]) -> io::Result<()> {
        let mut bytes = Vec::new();
        if !ends_whole(&mut self.entries)? {
            bytes.push(b'\n');
        }
        for entry in entries {
            serde_json::to_writer(&mut bytes, &LedgerLine::of(entry, &self.moment))?;
            bytes.push(b'\n');
        }
        self.entries.write_all(&bytes)
    }

    fn add_spent(&self, entries: &[LedgerEntry]) -> Result<(), ShelfError> {
        let paid = |fund: Option<Fund>| -> u64 {
            let from = entries.iter().filter(|entry| fund.is_none_or(|fund| entry.fund == fund));
            from.map(|entry| entry.tokens).sum()
        };
        let accounts = [
            (self.turn_of(Fund::Hooks), self.spent.turn, paid(Some(Fund::Hooks))),
            (self.turn_of(Fund::Memory), self.spent.memory, paid(Some(Fund::Memory))),
            (self.whole(), self.spent.session, paid(None)),
        ];
        for (path, before, now) in accounts {
            if now > 0 {
                self.add(&path, &format!("{:020}\n", before.saturating_add(now)))?;
            }
        }
        Ok(())
    }

    fn add_texts(&self, entries: &[LedgerEntry]) -> Result<(), ShelfError> {
        for entry in entries.iter().filter(|entry| entry.fate.is_in_context()) {
            let (path, line) = self.given(&entry.by, &entry.injection);
            if !self.is_in_context(&entry.by, &entry.injection)? {
                self.add(&path, &format!("{line}\n"))?;
            }
        }
        let mut reports: Vec<(&Source, String)> = Vec::new();
        let said = |entry: &&LedgerEntry| entry.fate.is_in_context() || entry.fate == Fate::Line;
        for entry in entries.iter().filter(said).take(REPORT) {
            let digest = hex::encode(&digest_of(&entry.injection));
            match reports.iter_mut().find(|(by, _)| **by == entry.by) {
                Some((_, line)) => {
                    line.push(' ');
                    line.push_str(&digest);
                }
                None => reports.push((&entry.by, digest)),
            }
        }
        reports.iter().try_for_each(|(by, line)| self.add(&self.last(by), &format!("{line}\n")))
    }
}

impl LedgerPage for Page {
    fn spent(&self) -> Spent {
        self.spent
    }

    fn is_in_context(&self, by: &Source, injection: &Injection) -> Result<bool, ShelfError> {
        let (path, line) = self.given(by, injection);
        let given = read_if_there(&path).map_err(unusable(&path))?;
        Ok(given.is_some_and(|given| given.lines().any(|it| it == line)))
    }

    fn was_said_last(&self, by: &Source, injection: &Injection) -> Result<bool, ShelfError> {
        let path = self.last(by);
        let said = last_line(&path).map_err(unusable(&path))?;
        let digest = hex::encode(&digest_of(injection));
        Ok(said.split(' ').any(|it| it == digest))
    }

    fn enter(mut self: Box<Self>, entries: &[LedgerEntry]) -> Result<(), ShelfError> {
        if entries.is_empty() {
            return Ok(());
        }
        let path = self.folder().ledger().join("entries");
        self.add_entries(entries).map_err(unusable(&path))?;
        self.add_spent(entries)?;
        self.add_texts(entries)
    }
}

/// The hash of what makes a text the same as another one.
pub(super) fn digest_of(injection: &Injection) -> [u8; 32] {
    let mut hash = Sha256::new();
    match (&injection.key, injection.form.shortened()) {
        (Some(key), _) => {
            hash.update("key ");
            hash.update(key);
        }
        (None, Some(it)) => hash.update(format!("{} bytes {:016x}", it.bytes, it.digest)),
        (None, None) => {
            hash.update("text ");
            hash.update(&injection.content);
        }
    }
    hash.finalize().into()
}

/// The last number of a file; nothing was counted in one that does not exist.
fn last_number(path: &Path) -> io::Result<u64> {
    let line = last_line(path)?;
    if line.is_empty() {
        return Ok(0);
    }
    let whole = line.len() == NUMBER - 1;
    line.parse().ok().filter(|_| whole).ok_or_else(|| {
        io::Error::new(
            ErrorKind::InvalidData,
            "its last line is no number; move it away, and counting begins anew",
        )
    })
}

/// The last whole line of a file. Half a line is what a process that died has left.
fn last_line(path: &Path) -> io::Result<String> {
    let mut file = match open_to_read(path) {
        Err(cause) if cause.kind() == ErrorKind::NotFound => return Ok(String::new()),
        opened => opened?,
    };
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let mut tail = String::new();
    file.read_to_string(&mut tail)?;
    let whole = tail.rfind('\n').map_or("", |end| &tail[..end]);
    Ok(whole.rsplit('\n').next().unwrap_or_default().to_owned())
}

fn ends_whole(file: &mut File) -> io::Result<bool> {
    if file.seek(SeekFrom::End(0))? == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == [b'\n'])
}
