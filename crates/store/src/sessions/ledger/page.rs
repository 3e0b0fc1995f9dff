//! The ledger during one event, locked until its entries are written.

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
use crate::place::{if_found, open_to_read};
use crate::sessions::folder::{SessionFolder, fact_file};
use crate::sessions::session_files::{read_fact, unusable};

/// The length of a line with a number, so that the last one is found without the others.
const NUMBER: usize = 21;
/// The bytes at the end of a file that are searched for its last line.
const TAIL: u64 = 4096;
/// The most texts of one event that `last-…` names, so that the line fits into the tail.
const REPORT: usize = 60;

/// An open page.
pub(in crate::sessions) struct Page {
    state: StateFolder,
    session: SessionId,
    moment: Moment,
    spent: Spent,
    /// Locked until it is closed.
    entries: File,
}

impl Page {
    /// Waits for the lock, and reads the spent tokens.
    pub(in crate::sessions) fn open(
        state: &StateFolder,
        session: &SessionId,
        moment: &Moment,
    ) -> Result<Self, StateError> {
        let folder = SessionFolder::new(state, session);
        let path = folder.ledger().join("entries");
        let entries = folder.open_to_append(&path).map_err(unusable(&path))?;
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
        fact_file(&self.folder().ledger(), kind, what)
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

    /// The file with the texts of this context whose digest begins alike: a line with a digest and an author for each. A
    /// file per text would be too slow to create.
    fn given(&self, digest: &str) -> PathBuf {
        self.file("given", &format!("{} {}", self.context(), &digest[..1]))
    }

    /// The authors of a text with this digest in this context.
    fn authors_of(&self, digest: &str) -> Result<Vec<String>, StateError> {
        let path = self.given(digest);
        let given = read_fact(&path).map_err(unusable(&path))?.unwrap_or_default();
        let author = |line: &str| Some(line.strip_prefix(digest)?.strip_prefix(' ')?.to_owned());
        Ok(given.lines().filter_map(author).collect())
    }

    /// The digests of the last output of an author.
    fn last_output(&self, author: &str) -> Result<Vec<String>, StateError> {
        let path = self.last(author);
        let line = last_line(&path).map_err(unusable(&path))?;
        Ok(line.split(' ').filter(|digest| !digest.is_empty()).map(str::to_owned).collect())
    }

    fn last(&self, author: &str) -> PathBuf {
        self.file("last", &format!("{} {author}", self.context()))
    }

    fn last_number(&self, path: &Path) -> Result<u64, StateError> {
        last_number(path).map_err(unusable(path))
    }

    fn add(&self, path: &Path, line: &str) -> Result<(), StateError> {
        let written = self.folder().open_to_append(path).and_then(|mut file| file.write_all(line.as_bytes()));
        written.map_err(unusable(path))
    }

    /// Writes all lines at once. A torn line of a process that died is ended first.
    fn add_entries(&mut self, entries: &[LedgerEntry]) -> io::Result<()> {
        let mut bytes = Vec::new();
        if !ends_whole(&mut self.entries)? {
            bytes.push(b'\n');
        }
        for entry in entries {
            serde_json::to_writer(&mut bytes, &LedgerLine::new(entry, &self.moment))?;
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
        // A text that is left out is part of the last output too, if the context has it.
        let mut reports: Vec<(String, Vec<String>)> = Vec::new();
        for entry in entries {
            let digest = text_digest(&entry.injection);
            let counts = match entry.status {
                InjectionStatus::Line => true,
                InjectionStatus::LeftOut => {
                    is_injected_now(entry, entries) || self.is_latest(&entry.by, &entry.injection)?
                }
                status => status.is_in_context(),
            };
            if !counts {
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
            if self.last_output(&author)? != digests {
                self.add(&self.last(&author), &format!("{}\n", digests.join(" ")))?;
            }
        }
        Ok(())
    }
}

/// Whether a text that is left out is in the context because of another text of the same event.
fn is_injected_now(left_out: &LedgerEntry, entries: &[LedgerEntry]) -> bool {
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
        let own = self.last_output(&address(by))?;
        if !own.is_empty() || injection.key.is_some() {
            return Ok(own.contains(&digest));
        }
        for other in self.authors_of(&digest)? {
            if self.last_output(&other)?.contains(&digest) {
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

/// The last number of a file; 0 if it does not exist.
fn last_number(path: &Path) -> io::Result<u64> {
    let line = last_line(path)?;
    if line.is_empty() {
        return Ok(0);
    }
    line.parse().ok().filter(|_| line.len() == NUMBER - 1).ok_or_else(|| {
        io::Error::new(
            ErrorKind::InvalidData,
            "its last line is not a number. Move the file to restart counting",
        )
    })
}

/// The last complete line of a file. A process that died may have left a part of a line.
fn last_line(path: &Path) -> io::Result<String> {
    let Some(mut file) = if_found(open_to_read(path))? else { return Ok(String::new()) };
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
