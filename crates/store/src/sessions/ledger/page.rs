//! The ledger as an event finds it, locked until its entries are made.

use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tenter_contract::ports::{LedgerPage, StateError};
use tenter_contract::{
    BudgetCategory, Injection, InjectionStatus, LedgerEntry, Moment, SessionId, Source, Spent,
};

use super::line::{LedgerLine, address};
use crate::StateFolder;
use crate::audit::lock::patient_lock;
use crate::hex;
use crate::place::open_to_read;
use crate::sessions::folder::{SessionFolder, one_of};
use crate::sessions::session_files::{read_if_there, unusable};

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
    ) -> Result<Self, StateError> {
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
            turn: page.last_number(&page.turn_of(BudgetCategory::Hooks))?,
            memory: page.last_number(&page.turn_of(BudgetCategory::Memory))?,
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

    fn turn_of(&self, category: BudgetCategory) -> PathBuf {
        self.file("spent", &format!("{} in turn {}", category.as_str(), self.moment.turn))
    }

    fn context(&self) -> String {
        let context = &self.moment.context;
        format!("{} {:?}", context.generation, context.agent_id)
    }

    /// The file in which a text of this context is looked for. Its lines are a digest and an author. To make a file
    /// takes longer than everything else here, so there is not one for each text.
    fn given(&self, digest: &str) -> PathBuf {
        self.file("given", &format!("{} {}", self.context(), &digest[..1]))
    }

    /// Who has given a text with this digest in this context.
    fn authors_of(&self, digest: &str) -> Result<Vec<String>, StateError> {
        let path = self.given(digest);
        let given = read_if_there(&path).map_err(unusable(&path))?.unwrap_or_default();
        let author = |line: &str| Some(line.strip_prefix(digest)?.strip_prefix(' ')?.to_owned());
        Ok(given.lines().filter_map(author).collect())
    }

    /// The digests of what an author said last.
    fn last_said(&self, author: &str) -> Result<Vec<String>, StateError> {
        let path = self.last(author);
        let said = last_line(&path).map_err(unusable(&path))?;
        Ok(said.split(' ').filter(|digest| !digest.is_empty()).map(str::to_owned).collect())
    }

    fn last(&self, author: &str) -> PathBuf {
        self.file("last", &format!("{} {author}", self.context()))
    }

    fn last_number(&self, path: &Path) -> Result<u64, StateError> {
        last_number(path).map_err(unusable(path))
    }

    fn add(&self, path: &Path, line: &str) -> Result<(), StateError> {
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

    fn add_spent(&self, entries: &[LedgerEntry]) -> Result<(), StateError> {
        let paid = |category: Option<BudgetCategory>| -> u64 {
            let from =
                entries.iter().filter(|entry| category.is_none_or(|category| entry.category == category));
            from.map(|entry| entry.tokens).sum()
        };
        let accounts = [
            (self.turn_of(BudgetCategory::Hooks), self.spent.turn, paid(Some(BudgetCategory::Hooks))),
            (self.turn_of(BudgetCategory::Memory), self.spent.memory, paid(Some(BudgetCategory::Memory))),
            (self.whole(), self.spent.session, paid(None)),
        ];
        for (path, before, now) in accounts {
            if now > 0 {
                self.add(&path, &format!("{:020}\n", before.saturating_add(now)))?;
            }
        }
        Ok(())
    }

    fn add_texts(&self, entries: &[LedgerEntry]) -> Result<(), StateError> {
        // What was left out is what its author said last too, as far as the context has it.
        let mut reports: Vec<(String, Vec<String>)> = Vec::new();
        for entry in entries {
            let digest = text_digest(&entry.injection);
            let said = match entry.status {
                InjectionStatus::Line => true,
                InjectionStatus::LeftOut => {
                    is_said_now(entry, entries) || self.is_latest(&entry.by, &entry.injection)?
                }
                status => status.is_in_context(),
            };
            if !said {
                continue;
            }
            let author = address(&entry.by);
            match reports.iter_mut().find(|(by, _)| *by == author) {
                Some((_, digests)) if digests.len() < REPORT && !digests.contains(&digest) => {
                    digests.push(digest);
                }
                Some(_) => {}
                None => reports.push((author, vec![digest])),
            }
        }
        for entry in entries.iter().filter(|entry| entry.status.is_in_context()) {
            let (author, digest) = (address(&entry.by), text_digest(&entry.injection));
            if !self.authors_of(&digest)?.contains(&author) {
                self.add(&self.given(&digest), &format!("{digest} {author}\n"))?;
            }
        }
        for (author, digests) in reports {
            if self.last_said(&author)? != digests {
                self.add(&self.last(&author), &format!("{}\n", digests.join(" ")))?;
            }
        }
        Ok(())
    }
}

/// Whether a text that is left out stands in the context because of another one of the same event.
fn is_said_now(left_out: &LedgerEntry, entries: &[LedgerEntry]) -> bool {
    let digest = digest_of(&left_out.injection);
    entries.iter().any(|entry| {
        (entry.status.is_in_context() || entry.status == InjectionStatus::Line)
            && (entry.by == left_out.by || left_out.injection.key.is_none())
            && digest_of(&entry.injection) == digest
    })
}

impl LedgerPage for Page {
    fn spent(&self) -> Spent {
        self.spent
    }

    fn is_in_context(&self, by: &Source, injection: &Injection) -> Result<bool, StateError> {
        Ok(self.authors_of(&text_digest(injection))?.contains(&address(by)))
    }

    fn is_latest(&self, by: &Source, injection: &Injection) -> Result<bool, StateError> {
        let digest = text_digest(injection);
        let own = self.last_said(&address(by))?;
        if !own.is_empty() || injection.key.is_some() {
            return Ok(own.contains(&digest));
        }
        for other in self.authors_of(&digest)? {
            if self.last_said(&other)?.contains(&digest) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn enter(mut self: Box<Self>, entries: &[LedgerEntry]) -> Result<(), StateError> {
        if entries.is_empty() {
            return Ok(());
        }
        let path = self.folder().ledger().join("entries");
        self.add_entries(entries).map_err(unusable(&path))?;
        self.add_spent(entries)?;
        self.add_texts(entries)
    }
}

fn text_digest(injection: &Injection) -> String {
    hex::encode(&digest_of(injection))
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
