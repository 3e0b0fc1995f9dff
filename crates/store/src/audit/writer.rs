//! One append: from the lock to the new head.

use std::fs::File;
use std::io::{self, Write};

use tenter_contract::ports::TrailError;

use super::aside;
use super::chain::Tip;
use super::files::{AuditFiles, unusable};
use super::head::{self, Head};
use super::{lock, mend};
use crate::place::{check_file, our_file};

/// The trail while we hold its lock. Dropping it unlocks.
pub(crate) struct Writer<'a> {
    files: &'a AuditFiles,
    head: File,
    trail: File,
    tip: Tip,
}

impl<'a> Writer<'a> {
    /// Locks the trail and finds its end. Also says what had to be put right for it.
    pub(crate) fn open(files: &'a AuditFiles) -> Result<(Self, Option<String>), TrailError> {
        let head = files.state.open_or_create(&files.head).map_err(unusable(&files.head))?;
        lock::exclusive(&head, &files.head)?;
        check_file(&head).map_err(unusable(&files.head))?;
        let said = head::read(&head).map_err(unusable(&files.head))?;
        let (trail, length) = open_trail(files)?;

        let mut writer = Self { files, head, trail, tip: Tip::start() };
        let notice = match writer.find_tip(said, length) {
            Err(TrailError::Damaged { path: _, detail }) => Some(writer.begin_anew(detail)?),
            found => found?,
        };
        Ok((writer, notice))
    }

    /// Writes one line for each of `drafts`, all with one write; returns the number of the first. A draft is
    /// told its number and its link. After an error the trail is as it was before.
    pub(crate) fn append<D>(&mut self, drafts: impl Iterator<Item = D>) -> Result<u64, TrailError>
    where
        D: FnOnce(u64, &str) -> serde_json::Result<Vec<u8>>,
    {
        let first = self.tip.due();
        let mut tip = self.tip.clone();
        let mut bytes = Vec::new();
        for draft in drafts {
            let line = draft(tip.due(), &tip.hash)
                .map_err(|problem| unusable(&self.files.trail)(io::Error::from(problem)))?;
            tip.push(&line);
            bytes.extend_from_slice(&line);
            bytes.push(b'\n');
        }
        self.write(&bytes, &tip).map_err(unusable(&self.files.trail))?;
        self.tip = tip;
        Ok(first)
    }

    /// A full disk may take a part of the lines, so they are cut off again. Should even that fail, the next
    /// writer finds a torn line and sets it aside.
    fn write(&mut self, bytes: &[u8], tip: &Tip) -> io::Result<()> {
        let written = self.trail.write_all(bytes).and_then(|()| head::write(&self.head, tip));
        written.map_err(|cause| match self.trail.set_len(self.tip.offset) {
            Ok(()) => cause,
            Err(second) => {
                io::Error::new(cause.kind(), format!("{cause}; what was written cannot be undone: {second}"))
            }
        })
    }

    /// Takes the end from the head if the trail is as long as it says; returns what had to be put right.
    fn find_tip(&mut self, said: Head, length: u64) -> Result<Option<String>, TrailError> {
        match said {
            Head::At(tip) if length == tip.offset => {
                self.tip = tip;
                Ok(None)
            }
            Head::At(tip) if length > tip.offset => {
                let (tip, notice) = mend::catch_up(self.files, &self.trail, tip)?;
                self.tip = tip;
                Ok(Some(notice))
            }
            Head::At(tip) => {
                Err(self.files.damaged(format!("its head says {} bytes, but it has {length}", tip.offset)))
            }
            // The head is written before the first line, so that a crash in between can be put right.
            Head::Blank if length == 0 => {
                head::write(&self.head, &self.tip).map_err(unusable(&self.files.head))?;
                Ok(None)
            }
            Head::Blank => Err(self.files.damaged("its head is missing or empty".to_owned())),
            Head::Unreadable => Err(self.files.damaged("its head cannot be read".to_owned())),
            Head::Newer { version } => {
                let why = format!("it is of version {version}; this program is too old for it");
                Err(unusable(&self.files.head)(io::Error::new(io::ErrorKind::Unsupported, why)))
            }
        }
    }

    /// Recording goes on in a new trail. What was there is kept, and `verify` reports it for as long as it
    /// lies there.
    fn begin_anew(&mut self, detail: String) -> Result<String, TrailError> {
        let folder = aside::set_aside(self.files, &self.head, &detail)
            .map_err(|cause| self.files.damaged(format!("{detail}; it cannot be set aside: {cause}")))?;
        let damage = self.files.damaged(detail);
        self.trail = open_trail(self.files)?.0;
        self.tip = Tip::start();
        Ok(format!("{damage}; it was set aside in `{}`, and a new trail was begun", folder.display()))
    }
}

fn open_trail(files: &AuditFiles) -> Result<(File, u64), TrailError> {
    let open = || {
        let file = our_file().read(true).append(true).create(true).open(&files.trail)?;
        let length = check_file(&file)?.len();
        Ok((file, length))
    };
    open().map_err(unusable(&files.trail))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StateFolder;

    #[test]
    fn a_writer_that_is_stopped_before_its_first_line_leaves_a_head() {
        let home = tempfile::tempdir().unwrap();
        let files = AuditFiles::new(&StateFolder::new(home.path().to_owned()));
        drop(Writer::open(&files).unwrap());
        assert_eq!(head::read(&File::open(&files.head).unwrap()).unwrap(), Head::At(Tip::start()));
        assert_eq!(std::fs::read(&files.trail).unwrap(), b"");
    }

    #[test]
    fn a_draft_that_cannot_be_spelled_leaves_the_trail_as_it_was() {
        let home = tempfile::tempdir().unwrap();
        let files = AuditFiles::new(&StateFolder::new(home.path().to_owned()));
        let (mut writer, _) = Writer::open(&files).unwrap();
        let no_json = |_: u64, _: &str| serde_json::to_vec(&std::collections::BTreeMap::from([((), 0)]));
        assert!(matches!(writer.append([no_json].into_iter()), Err(TrailError::Unusable { .. })));
        let line = |seq: u64, _: &str| Ok(seq.to_string().into_bytes());
        assert_eq!(writer.append([line].into_iter()).unwrap(), 1);
        assert_eq!(std::fs::read(&files.trail).unwrap(), b"1\n");
    }
}
