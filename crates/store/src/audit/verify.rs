//! Checking a trail from its first line to its head.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};

use tenter_contract::ports::TrailError;

use super::boot::{self, Boot};
use super::ending;
use super::files::{AuditFiles, DAMAGED, LOST, TORN, names_in, unusable};
use super::seal::Key;
use super::walk::Walk;
use super::witness::{self, Gone, Testimony};
use super::{secret, snapshot, spill};
use crate::StateFolder;

/// What was found of a trail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verification {
    /// The trail that is being written now.
    pub trail: Condition,
    /// What the macs of its records say.
    pub macs: Macs,
    /// Whether there is something to check them with.
    pub key: KeyFile,
    /// Records of it about records that a power cut took. They are no finding any more once their
    /// folder in `lost` was moved away.
    pub losses: Vec<u64>,
    /// Folders of damaged trails that were quarantined, oldest first. Each is a finding: quarantining must
    /// not hide that something was tampered with. Who has looked at one moves it elsewhere.
    pub quarantined: Vec<PathBuf>,
    /// Folders with evidence of records that a power cut took. Each is a finding, but not of tampering.
    pub lost: Vec<PathBuf>,
    /// Files with half lines that crashes left. Their writers never reported success, so they are no
    /// finding.
    pub torn: Vec<PathBuf>,
    /// Files with records that wait for the next writer to put them into the trail.
    pub spilled: Vec<PathBuf>,
    /// Records that a witness in another folder knows and this trail does not have, or did not have at some time.
    pub gone: Vec<Gone>,
    /// The files of the witnesses. Who has looked at what is gone removes them.
    pub witnesses: Vec<PathBuf>,
    /// Names of witnesses under which something else lies, so that nothing can be copied there. Each is a finding: a
    /// removed trail would not be missed.
    pub unusable_witnesses: Vec<PathBuf>,
}

/// How a trail is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Nothing was ever recorded here.
    Empty,
    /// Every record is there, unchanged and in order, up to the one the head names.
    Intact {
        /// How many.
        records: u64,
        /// Hash of the last one: if it was noted down, it shows later whether the trail was exchanged.
        last_hash: String,
        /// How many of them are after the one the head names, with good macs: their writer was stopped
        /// before it could say so, and the next one does.
        ahead: u64,
    },
    /// The end is missing, and the machine was started anew since: we do not wait for the disk, so a power
    /// cut may take the last records.
    Lost {
        /// Number of the first record that is missing.
        seq: u64,
        /// What is missing.
        what: String,
    },
    /// Something was changed, or is missing.
    Broken {
        /// Number of the first record that is not as it was written.
        seq: u64,
        /// The file it is in, or would be in.
        file: String,
        /// The line of that file.
        line: u64,
        /// What is wrong.
        what: String,
    },
}

/// The file with the key of macs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyFile {
    /// It holds a key.
    Whole,
    /// It is not there.
    Missing,
    /// It is there, but too short or too long for a key. A finding: nothing can be recorded with it.
    Damaged,
}

/// How many records have macs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Macs {
    /// Good ones.
    pub checked: u64,
    /// Records without, from before there were keys: their chain holds, but anyone can make one.
    pub without: u64,
    /// Macs that could not be checked because the key is not there, or is damaged. A finding: to take the key away must not
    /// look like having none.
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

/// Checks a trail. It finds every change that was not made by someone who has the key and also made all
/// later links and the head anew. That is found by [`super::anchor`].
pub fn verify(state: &StateFolder) -> Result<Verification, TrailError> {
    with_hashes(state, &BTreeSet::new()).map(|(verification, _)| verification)
}

/// What is wrong with a trail that was quarantined; `None` if that is nothing that a walk through it finds.
pub fn what_was_wrong(state: &StateFolder, quarantined: &Path) -> Option<Condition> {
    let files = AuditFiles::quarantined(state, quarantined);
    let mut snapshot = snapshot::take(&files).ok()?;
    let head = snapshot.head.as_ref();
    let (key, _) = key_in(&files.key).ok()?;
    let mut walk = Walk::new(key.as_ref(), head);
    let broken = walk.go_to_the_end(&mut snapshot.trail, &BTreeSet::new()).ok()?;
    let found =
        broken.unwrap_or_else(|| ending::judge(&walk.end(), head, key.as_ref(), Boot::default().id()));
    matches!(found, Condition::Broken { .. }).then_some(found)
}

/// Also notes the hashes of these records, as far as they are reached.
pub(crate) fn with_hashes(
    state: &StateFolder,
    asked: &BTreeSet<u64>,
) -> Result<(Verification, BTreeMap<u64, String>), TrailError> {
    let files = AuditFiles::new(state);
    // Before the trail: what is written meanwhile must not look missing.
    let witnesses = witness::hear(state);
    let mut snapshot = snapshot::take(&files)?;
    let head = snapshot.head.as_ref();
    let (key, key_file) = key_in(&files.key).map_err(unusable(&files.key))?;
    let mut walk = Walk::new(key.as_ref(), head);
    let mut asked = asked.clone();
    asked.extend(witnesses.last.iter().map(|known| known.tip.seq));
    let broken = walk.go_to_the_end(&mut snapshot.trail, &asked).map_err(unusable(&snapshot.trail.path))?;
    let trail =
        broken.unwrap_or_else(|| ending::judge(&walk.end(), head, key.as_ref(), Boot::default().id()));
    let gone = missing_now(&trail, &witnesses, &walk.hashes).into_iter().chain(witnesses.gone).collect();
    let verification = Verification {
        trail,
        macs: walk.macs,
        key: key_file,
        losses: walk.losses,
        quarantined: beginning_with(DAMAGED, &files.folder)?,
        lost: beginning_with(LOST, &files.folder)?,
        torn: beginning_with(TORN, &files.folder)?,
        spilled: spill::all(&files).map_err(unusable(&files.spilled))?,
        gone,
        witnesses: witnesses.paths,
        unusable_witnesses: witnesses.unusable,
    };
    Ok((verification, walk.hashes))
}

/// What a witness knows and this trail does not have. A trail that is broken or has lost its end is reported anyway.
fn missing_now(trail: &Condition, witnesses: &Testimony, hashes: &BTreeMap<u64, String>) -> Option<Gone> {
    let known = witnesses.last.as_ref().filter(|known| known.tip.seq > 0)?;
    let (seq, hash) = (known.tip.seq, known.tip.hash.clone());
    let from = match trail {
        Condition::Empty => 1,
        Condition::Intact { records, .. } if *records < seq => records.saturating_add(1),
        Condition::Intact { .. } if hashes.get(&seq) != Some(&hash) => seq,
        Condition::Intact { .. } | Condition::Lost { .. } | Condition::Broken { .. } => return None,
    };
    let restarted = *trail != Condition::Empty && boot::was_between(&known.boot, Boot::default().id());
    Some(Gone { from, to: seq, hash, restarted })
}

/// The key, as far as there is one. Without it the chain can be checked all the same.
fn key_in(path: &Path) -> io::Result<(Option<Key>, KeyFile)> {
    match secret::read(path) {
        Ok(Some(secret)) => Ok((Some(Key::new(secret)), KeyFile::Whole)),
        Ok(None) => Ok((None, KeyFile::Missing)),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => Ok((None, KeyFile::Damaged)),
        Err(error) => Err(error),
    }
}

/// By name, which is by age.
fn beginning_with(prefix: &str, folder: &Path) -> Result<Vec<PathBuf>, TrailError> {
    let names = names_in(folder).map_err(unusable(folder))?;
    Ok(names.iter().filter(|name| name.starts_with(prefix)).map(|name| folder.join(name)).collect())
}
