//! One append, from the lock to the new head.

use std::fs::File;
use std::io::{self, Write};

use tenter_contract::ports::TrailError;

use super::boot::{self, Boot};
use super::chain::Tip;
use super::draft::Draft;
use super::files::{AuditFiles, unusable};
use super::head::{self, Head, Known};
use super::seal::Key;
use super::step::{Step, Watch};
use super::witness::{self, Gone, Witness};
use super::{lock, lost, mend, merge, quarantine, rotate, spill};
use crate::place::{open_plain, our_file};

/// Options of every writer of a trail.
#[derive(Debug)]
pub(crate) struct WriterOptions {
    /// The size of a full file.
    pub(crate) full_at: u64,
    pub(crate) boot: Boot,
    pub(crate) watch: Watch,
}

/// The locked trail. Dropping it unlocks.
pub(crate) struct Writer<'a> {
    pub(crate) files: &'a AuditFiles,
    pub(crate) trail: File,
    pub(crate) tip: Tip,
    pub(crate) key: Key,
    /// The key was just created, so an existing head cannot be checked.
    key_is_new: bool,
    pub(crate) watch: Watch,
    /// Repairs, for the user.
    pub(crate) notices: &'a mut Vec<String>,
    head: File,
    witness: Witness,
    boot: &'a str,
}

impl<'a> Writer<'a> {
    /// Locks the trail, finds its end, repairs the results of crashes, and rotates if the file is full.
    pub(crate) fn open(
        files: &'a AuditFiles,
        writer_options: &'a WriterOptions,
        notices: &'a mut Vec<String>,
    ) -> Result<Self, TrailError> {
        let head = files.state.open_or_create(&files.head).map_err(unusable(&files.head))?;
        lock::exclusive(&head, &files.head)?;
        (writer_options.watch)(Step::Locked);
        let (recorded, head_bytes) = head::read(&head).map_err(unusable(&files.head))?;
        let (witness, is_witnessed) = Witness::open(files, &head_bytes);
        let (key, key_is_new) = files.key_or_new()?;
        let (trail, length) = open_trail(files)?;

        let (tip, boot, watch) = (Tip::start(), writer_options.boot.id(), writer_options.watch);
        let mut writer = Self { files, trail, tip, key, key_is_new, watch, notices, head, witness, boot };
        match writer.prepare(recorded, is_witnessed, length, writer_options.full_at) {
            Err(TrailError::Damaged { path: _, detail }) => writer.quarantine(detail)?,
            prepared => prepared?,
        }
        Ok(writer)
    }

    /// The records that a witness names and this trail does not have, after the trail was brought up to date.
    #[cold]
    fn compare_witness(&self, last: Known, is_new: bool) -> Option<Gone> {
        let restarted = !is_new && boot::is_restart(&last.boot, self.boot);
        let from = self.tip.due();
        (last.tip.seq >= from).then_some(Gone { from, to: last.tip.seq, hash: last.tip.hash, restarted })
    }

    /// Records the removal in the chain.
    #[cold]
    fn record_removal(&mut self, gone: &Gone) -> Result<(), TrailError> {
        self.witness.add(self.files, gone);
        let what = gone.in_words();
        self.notices.push(format!("the audit trail `{}`: {what}", self.files.trail.display()));
        let record = lost::record(&what).map_err(unusable(&self.files.trail))?;
        self.write_lines(&[record]).map(|_| ())
    }

    fn prepare(
        &mut self,
        recorded: Head,
        is_witnessed: bool,
        length: u64,
        full_at: u64,
    ) -> Result<(), TrailError> {
        let (is_new, named) = match &recorded {
            Head::At(known) => (false, known.tip.seq),
            Head::Blank | Head::Newer { .. } | Head::Unreadable => (true, 0),
        };
        let last = if is_witnessed { None } else { witness::load_all(&self.files.state).last };
        let last = last.filter(|last| last.tip.seq > named);
        self.find_tip(recorded, length)?;
        if let Some(gone) = last.and_then(|last| self.compare_witness(last, is_new)) {
            self.record_removal(&gone)?;
        }
        if spill::may_be_there(self.files) {
            merge::all_spilled(self)?;
        }
        if self.tip.offset >= full_at {
            rotate::rotate(self)?;
        }
        Ok(())
    }

    /// Writes the drafts as lines at once, and returns the number of the first. After an error the trail is as before.
    pub(crate) fn write_lines(&mut self, drafts: &[Draft]) -> Result<u64, TrailError> {
        let first = self.tip.due();
        let mut tip = self.tip.clone();
        let mut bytes = Vec::new();
        for draft in drafts {
            let line = draft.place(tip.due(), &tip.hash, &self.key);
            tip.push(&line);
            bytes.extend_from_slice(&line);
            bytes.push(b'\n');
        }
        self.write(&bytes, &tip).map_err(unusable(&self.files.trail))?;
        self.tip = tip;
        Ok(first)
    }

    /// Writes a head with this end.
    pub(crate) fn set_tip(&mut self, tip: Tip) -> Result<(), TrailError> {
        let line = head::write(&self.head, &tip, self.boot, &self.key).map_err(unusable(&self.files.head))?;
        self.witness.copy(self.files, &line, self.tip.seq, &tip);
        self.tip = tip;
        Ok(())
    }

    /// A full disk may take a part of the lines, so they are cut off again. If that fails too, the next writer finds a torn
    /// line and moves it away.
    fn write(&mut self, bytes: &[u8], tip: &Tip) -> io::Result<()> {
        let written = self.trail.write_all(bytes).and_then(|()| {
            (self.watch)(Step::Written);
            head::write(&self.head, tip, self.boot, &self.key)
        });
        (self.watch)(Step::HeadWritten);
        if let Ok(line) = &written {
            self.witness.copy(self.files, line, self.tip.seq, tip);
        }
        written.map(drop).map_err(|cause| match self.trail.set_len(self.tip.offset) {
            Ok(()) => cause,
            Err(second) => {
                io::Error::new(cause.kind(), format!("{cause}; what was written cannot be undone: {second}"))
            }
        })
    }

    /// Takes the end from the head if the trail has that length.
    fn find_tip(&mut self, recorded: Head, length: u64) -> Result<(), TrailError> {
        match recorded {
            Head::At(known) => self.start_from(known, length),
            // The head is written before the first line, so that a crash in between can be repaired.
            Head::Blank if length == 0 && self.files.all_full()?.is_empty() => {
                self.set_tip(Tip::start())?;
                (self.watch)(Step::Begun);
                Ok(())
            }
            Head::Blank => Err(self.files.damaged("its head is missing or empty".to_owned())),
            Head::Unreadable => Err(self.files.damaged("its head cannot be read".to_owned())),
            Head::Newer { version } => {
                let why = format!("it is of version {version}; this program is too old for it");
                Err(unusable(&self.files.head)(io::Error::new(io::ErrorKind::Unsupported, why)))
            }
        }
    }

    /// Compares the trail with its head. A head of another key is damage: else the next append would confirm a forged end
    /// with a good mac.
    fn start_from(&mut self, known: Known, length: u64) -> Result<(), TrailError> {
        if !known.is_by(&self.key) {
            let what = if self.key_is_new {
                "its key was removed, so no one can say any more who wrote its records"
            } else {
                "the mac of its head is wrong: the head was changed, or the key was replaced"
            };
            return Err(self.files.damaged(what.to_owned()));
        }
        if !known.is_sealed() {
            mend::refuse_old_head(self.files, &self.trail, known.tip.offset)?;
        }
        let offset = known.tip.offset;
        self.tip = known.tip.clone();
        if length == offset {
            Ok(())
        } else if length > offset {
            let (tip, notice) = mend::catch_up(self.files, &self.trail, known, &self.key)?;
            self.notices.push(notice);
            self.tip = tip;
            Ok(())
        } else if rotate::was_interrupted(self, length) {
            rotate::finish(self)
        } else if boot::is_restart(&known.boot, self.boot) {
            self.record_loss(&known)
        } else {
            Err(self.files.damaged(format!("its head says {offset} bytes, but it has {length}")))
        }
    }

    /// Records the loss in the chain.
    #[cold]
    fn record_loss(&mut self, known: &Known) -> Result<(), TrailError> {
        let remaining = lost::find_remaining(self.files, &self.head, &self.trail, known, &self.key)?;
        self.notices.push(remaining.notice);
        self.set_tip(remaining.tip)?;
        (self.watch)(Step::LossKept);
        self.write_lines(&[remaining.record]).map(|_| ())
    }

    /// Quarantines the trail and starts a new one. `verify` reports the old one as long as it is in quarantine.
    #[cold]
    fn quarantine(&mut self, detail: String) -> Result<(), TrailError> {
        let cannot =
            |cause: io::Error| self.files.damaged(format!("{detail}; it cannot be quarantined: {cause}"));
        let folder = quarantine::move_trail(self.files, &self.head, &detail).map_err(cannot)?;
        (self.watch)(Step::MovedAway);
        self.head.set_len(0).map_err(unusable(&self.files.head))?;
        self.set_tip(Tip::start())?;
        self.trail = open_trail(self.files)?.0;
        let damage = self.files.damaged(detail);
        self.notices.push(format!(
            "{damage}; it was quarantined in `{}`, and a new trail was begun",
            folder.display()
        ));
        Ok(())
    }
}

/// Opens the current file; creates it if it does not exist.
pub(crate) fn open_trail(files: &AuditFiles) -> Result<(File, u64), TrailError> {
    let open = || {
        let file = open_plain(our_file().read(true).append(true).create(true), &files.trail)?;
        let length = file.metadata()?.len();
        Ok((file, length))
    };
    open().map_err(unusable(&files.trail))
}
