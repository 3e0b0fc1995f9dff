//! Witnesses: copies of the head in other folders than the trail's.
//!
//! A trail that is removed or replaced together with its head looks like a new or an older one, but a witness still names
//! the last record. `witness` in the state folder is written with every append. Another one, in the folder of the user's
//! hook files, survives the removal of the state folder; it is written at the first record and every 256 records.
//!
//! A witness begins with a head. A line of JSON follows for each loss that was found, so that another removal does not
//! hide the first. The user removes the file after a look at it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::chain::Tip;
use super::files::AuditFiles;
use super::head::{self, Head, Known, WIDTH};
use crate::StateFolder;
use crate::hex;
use crate::place::{if_found, open_plain, open_to_read, our_file};

/// The far witness is at most this many records late.
const FAR_EVERY: u64 = 256;
/// The most bytes of a witness that are read. Later losses are not shown.
const LARGEST: u64 = 64 * 1024;

/// Records that a witness names and the trail does not have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gone {
    /// The number of the first missing record.
    pub from: u64,
    /// The number of the last record that the witness names.
    pub to: u64,
    /// The hash of that record.
    pub hash: String,
    /// Whether the machine was restarted in between, so that a power cut may have taken them.
    #[serde(default)]
    pub restarted: bool,
}

/// The content of all witnesses of a trail.
#[derive(Debug, Default)]
pub(crate) struct Witnesses {
    /// The last end that one of them names.
    pub(crate) last: Option<Known>,
    /// Losses that were found before.
    pub(crate) gone: Vec<Gone>,
    /// Their files.
    pub(crate) paths: Vec<PathBuf>,
    /// Unreadable witnesses, such as a pipe or a folder of that name.
    pub(crate) unusable: Vec<PathBuf>,
}

impl Gone {
    /// A sentence about the missing records.
    pub fn in_words(&self) -> String {
        let hash = &self.hash[..self.hash.len().min(16)];
        let which = if self.from == self.to {
            format!("record {} is gone", self.from)
        } else {
            format!("records {} to {} are gone", self.from, self.to)
        };
        let how = if self.restarted {
            "; the machine was restarted since, so a power cut may have taken them"
        } else {
            ": the trail and its head were removed or replaced"
        };
        format!("{which}{how}. The last known hash is {hash}")
    }
}

/// The witness in the state folder.
pub(crate) fn near(state: &StateFolder) -> PathBuf {
    state.path().join("witness")
}

/// The witness in the other folder. Two state folders may share one configuration.
fn far(state: &StateFolder) -> Option<PathBuf> {
    let folder = state.witness_folder()?;
    let name = hex::sha256(state.path().as_os_str().as_encoded_bytes());
    Some(folder.join(format!(".trail-witness-{}", &name[..12])))
}

/// The near witness, open during an append.
#[derive(Debug)]
pub(crate) struct Witness {
    near: Option<File>,
}

impl Witness {
    /// Opens the near witness, and returns whether it is a copy of this head. An error is ignored, because the trail itself
    /// is more important.
    pub(crate) fn open(files: &AuditFiles, head: &[u8]) -> (Self, bool) {
        let near = files.state.open_or_create(&files.witness).ok();
        let mut line = [0; WIDTH];
        let length = near.as_ref().map_or(0, |file| file.read_at(&mut line, 0).unwrap_or(0));
        (Self { near }, length > 0 && line[..length] == *head)
    }

    /// Copies a head that was just written.
    pub(crate) fn copy(&self, files: &AuditFiles, line: &[u8], before: u64, tip: &Tip) {
        if let Some(file) = &self.near {
            let _ = file.write_all_at(line, 0);
        }
        if before / FAR_EVERY != tip.seq / FAR_EVERY || before == 0 {
            copy_far(&files.state, line);
        }
    }

    /// Adds a loss to every witness.
    pub(crate) fn add(&self, files: &AuditFiles, gone: &Gone) {
        let Ok(mut line) = serde_json::to_vec(gone) else { return };
        line.push(b'\n');
        for path in [Some(files.witness.clone()), far(&files.state)].into_iter().flatten() {
            let _ = open_plain(our_file().append(true), &path).and_then(|mut file| file.write_all(&line));
        }
    }
}

#[cold]
fn copy_far(state: &StateFolder, line: &[u8]) {
    let Some(path) = far(state) else { return };
    // Root may use the configuration of another user, who could not write a file of root.
    let owner = path.parent().and_then(|folder| folder.metadata().ok()).map(|folder| folder.uid());
    if owner != Some(rustix::process::geteuid().as_raw()) {
        return;
    }
    // The folder belongs to the user and is not created here.
    let opened = open_plain(our_file().write(true).create(true).truncate(false), &path);
    let _ = opened.and_then(|file| file.write_all_at(line, 0));
}

/// Reads all witnesses.
#[cold]
pub(crate) fn load_all(state: &StateFolder) -> Witnesses {
    let mut all = Witnesses::default();
    for path in [Some(near(state)), far(state)].into_iter().flatten() {
        let bytes = match if_found(read(&path)) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => continue,
            Err(_) => {
                all.unusable.push(path);
                continue;
            }
        };
        let (line, rest) = bytes.split_at(bytes.len().min(WIDTH));
        if let Head::At(known) = head::parse(line)
            && all.last.as_ref().is_none_or(|last| last.tip.seq < known.tip.seq)
        {
            all.last = Some(known);
        }
        let lines = rest.split(|byte| *byte == b'\n');
        for gone in lines.filter_map(|line| serde_json::from_slice::<Gone>(line).ok()) {
            if !all.gone.contains(&gone) {
                all.gone.push(gone);
            }
        }
        all.paths.push(path);
    }
    all
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_to_read(path)?.take(LARGEST).read_to_end(&mut bytes)?;
    Ok(bytes)
}
