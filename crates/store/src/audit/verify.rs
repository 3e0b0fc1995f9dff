//! Checks a trail from its first line to its head.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use tenter_contract::ports::TrailError;

use super::boot::{self, Boot};
use super::ending;
use super::files::{AuditFiles, DAMAGED, LOST, TORN, unusable};
use super::seal::Key;
use super::snapshot::Snapshot;
use super::walk::Walk;
use super::witness::{self, Gone, Witnesses};
use super::{secret, spill};
use crate::StateFolder;
use crate::place::names_in;

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// The present trail.
    pub trail: Condition,
    /// The macs of its records.
    pub macs: Macs,
    /// The key that checks them.
    pub key: KeyFile,
    /// The numbers of records about a loss. They are a finding only as long as their folder in `lost` exists.
    pub losses: Vec<u64>,
    /// Folders of quarantined trails, oldest first. Each is a finding, so that quarantine does not hide a manipulation,
    /// until the user moves it elsewhere.
    pub quarantined: Vec<PathBuf>,
    /// Folders with evidence of records lost in a power cut. Each is a finding, but not of a manipulation.
    pub lost: Vec<PathBuf>,
    /// Files with torn lines after crashes. Their writers never reported success, so they are no finding.
    pub torn: Vec<PathBuf>,
    /// Spill files, which wait for the next writer.
    pub spilled: Vec<PathBuf>,
    /// Records that a witness in another folder names and this trail does not have, or did not have at some time.
    pub gone: Vec<Gone>,
    /// The files of the witnesses. The user removes them after a look at the findings.
    pub witnesses: Vec<PathBuf>,
    /// Witnesses that cannot be read or written, such as a folder of that name. Each is a finding, because a removed trail
    /// would go unnoticed.
    pub unusable_witnesses: Vec<PathBuf>,
}

/// The condition of a trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It has no records.
    Empty,
    /// Every record exists, unchanged and in order, up to the one that the head names.
    Intact {
        /// The number of records.
        records: u64,
        /// The hash of the last one. A copy of it shows later whether the trail was exchanged.
        last_hash: String,
        /// The number of records behind the one that the head names, with good macs: their writer was stopped before it
        /// wrote the head, and the next one will.
        ahead: u64,
    },
    /// The end is missing, and the machine was restarted since: tenter does not wait for the disk, so a power cut may take
    /// the last records.
    Lost {
        /// The number of the first missing record.
        seq: u64,
        /// What is missing.
        what: String,
    },
    /// A record was changed, or is missing.
    Broken {
        /// The number of the first record that is not as it was written.
        seq: u64,
        /// The file it is in, or would be in.
        file: String,
        /// The line of that file.
        line: u64,
        /// What is wrong.
        what: String,
    },
}

/// The key file of macs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFile {
    /// It has a key.
    Whole,
    /// It does not exist.
    Missing,
    /// It is too short or too long for a key. A finding, because no record can be written.
    Damaged,
}

/// The numbers of records by their macs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Macs {
    /// Good macs.
    pub checked: u64,
    /// Records without a mac, from before keys existed. Anyone can make such a chain.
    pub without: u64,
    /// Macs that could not be checked because the key is missing or damaged. A finding, because a removed key must not
    /// look like a trail without one.
    pub unchecked: u64,
}

impl Verification {
    /// Whether there is no finding.
    pub fn is_sound(&self) -> bool {
        let sound = match &self.trail {
            Condition::Empty | Condition::Intact { .. } => true,
            Condition::Lost { .. } | Condition::Broken { .. } => false,
        };
        let keyed = self.macs.unchecked == 0 && self.key != KeyFile::Damaged;
        let witnessed = self.gone.is_empty() && self.unusable_witnesses.is_empty();
        sound && keyed && witnessed && self.quarantined.is_empty() && self.lost.is_empty()
    }
}

/// Checks a trail. It finds every change, except one by a process with the key that also recomputed all later links and
/// the head; [`super::anchor`] finds that.
pub fn verify(state: &StateFolder) -> Result<Verification, TrailError> {
    with_hashes(state, &BTreeSet::new()).map(|(verification, _)| verification)
}

/// What is wrong with a quarantined trail; `None` if a walk through it finds nothing.
pub fn what_was_wrong(state: &StateFolder, quarantined: &Path) -> Option<Condition> {
    let files = AuditFiles::quarantined(state, quarantined);
    let mut snapshot = Snapshot::load(&files).ok()?;
    let head = snapshot.head.as_ref();
    let (key, _) = key_in(&files.key).ok()?;
    let mut walk = Walk::new(key.as_ref(), head);
    let broken = walk.run(&mut snapshot.trail, &BTreeSet::new()).ok()?;
    let found = broken.unwrap_or_else(|| ending::judge(&walk, head, key.as_ref(), Boot::default().id()));
    matches!(found, Condition::Broken { .. }).then_some(found)
}

/// The same, with the hashes of these records as far as the walk reaches them.
pub(crate) fn with_hashes(
    state: &StateFolder,
    wanted: &BTreeSet<u64>,
) -> Result<(Verification, BTreeMap<u64, String>), TrailError> {
    let files = AuditFiles::new(state);
    // Read before the trail, so that records written in between do not look missing.
    let witnesses = witness::load_all(state);
    let mut snapshot = Snapshot::load(&files)?;
    let head = snapshot.head.as_ref();
    let (key, key_file) = key_in(&files.key).map_err(unusable(&files.key))?;
    let mut walk = Walk::new(key.as_ref(), head);
    let mut wanted = wanted.clone();
    wanted.extend(witnesses.last.iter().map(|known| known.tip.seq));
    let broken = walk.run(&mut snapshot.trail, &wanted).map_err(unusable(&snapshot.trail.path))?;
    let trail = broken.unwrap_or_else(|| ending::judge(&walk, head, key.as_ref(), Boot::default().id()));
    let gone = missing_now(&trail, &witnesses, &walk.hashes).into_iter().chain(witnesses.gone).collect();
    let verification = Verification {
        trail,
        macs: walk.macs,
        key: key_file,
        losses: walk.losses,
        quarantined: files_with_prefix(DAMAGED, &files.folder)?,
        lost: files_with_prefix(LOST, &files.folder)?,
        torn: files_with_prefix(TORN, &files.folder)?,
        spilled: spill::all(&files).map_err(unusable(&files.spilled))?,
        gone,
        witnesses: witnesses.paths,
        unusable_witnesses: witnesses.unusable,
    };
    Ok((verification, walk.hashes))
}

/// The records that a witness names and this trail does not have. A broken trail is reported anyway.
fn missing_now(trail: &Condition, witnesses: &Witnesses, hashes: &BTreeMap<u64, String>) -> Option<Gone> {
    let known = witnesses.last.as_ref().filter(|known| known.tip.seq > 0)?;
    let (seq, hash) = (known.tip.seq, known.tip.hash.clone());
    let from = match trail {
        Condition::Empty => 1,
        Condition::Intact { records, .. } if *records < seq => records.saturating_add(1),
        Condition::Intact { .. } if hashes.get(&seq) != Some(&hash) => seq,
        Condition::Intact { .. } | Condition::Lost { .. } | Condition::Broken { .. } => return None,
    };
    let restarted = *trail != Condition::Empty && boot::is_restart(&known.boot, Boot::default().id());
    Some(Gone { from, to: seq, hash, restarted })
}

/// The key, if there is one. The chain can be checked without it.
fn key_in(path: &Path) -> io::Result<(Option<Key>, KeyFile)> {
    match secret::read(path) {
        Ok(Some(secret)) => Ok((Some(Key::new(secret)), KeyFile::Whole)),
        Ok(None) => Ok((None, KeyFile::Missing)),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok((None, KeyFile::Damaged)),
        Err(error) => Err(error),
    }
}

/// The files with this prefix, by name, which is by age.
fn files_with_prefix(prefix: &str, folder: &Path) -> Result<Vec<PathBuf>, TrailError> {
    let names = names_in(folder).map_err(unusable(folder))?;
    Ok(names.iter().filter(|name| name.starts_with(prefix)).map(|name| folder.join(name)).collect())
}
