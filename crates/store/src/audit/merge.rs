//! Merges spilled records into the trail.

use std::collections::BTreeSet;
use std::io::{self, BufReader};
use std::path::Path;

use tenter_contract::ports::TrailError;

use super::draft::{self, Draft};
use super::files::unusable;
use super::lines::{Line, Lines};
use super::seal::Key;
use super::step::Step;
use super::writer::Writer;
use super::{quarantine, spill};
use crate::place::open_to_read;

/// Appends the records of all spill files in order, and removes each file after its records are in trail and head. After
/// an interruption the file is read again, and records with known ids are not written twice. The trail is not rotated in
/// between, so they are in the current file.
#[cold]
pub(crate) fn all_spilled(writer: &mut Writer<'_>) -> Result<(), TrailError> {
    let files = writer.files;
    for path in spill::all(files).map_err(unusable(&files.spilled))? {
        match drafts_of(&path, &writer.key) {
            Ok(drafts) => {
                let known = ids(&files.trail).map_err(unusable(&files.trail))?;
                let new: Vec<Draft> = drafts
                    .into_iter()
                    .filter(|draft| draft.id().is_none_or(|id| !known.contains(id)))
                    .collect();
                writer.write_lines(&new)?;
                (writer.watch)(Step::Merged);
                std::fs::remove_file(&path).map_err(unusable(&path))?;
                (writer.watch)(Step::SpillRemoved);
            }
            Err(problem) => {
                let why =
                    format!("records that were spilled to `{}` cannot be used: {problem}", path.display());
                let folder = quarantine::move_file(files, &path, &why).map_err(unusable(&path))?;
                writer.notices.push(format!("{why}; the file was quarantined in `{}`", folder.display()));
            }
        }
    }
    spill::tidy(files).map_err(unusable(&files.spilled))
}

fn drafts_of(path: &Path, key: &Key) -> io::Result<Vec<Draft>> {
    let mut lines = Lines::new(BufReader::new(open_to_read(path)?));
    let mut drafts = Vec::new();
    while let Some(line) = lines.next()? {
        match line {
            Line::Whole(line) => drafts.push(Draft::from_spilled(line, key)?),
            Line::Torn(_) => return Err(io::Error::new(io::ErrorKind::InvalidData, "its last line is torn")),
        }
    }
    Ok(drafts)
}

fn ids(trail: &Path) -> io::Result<BTreeSet<Vec<u8>>> {
    let mut lines = Lines::new(BufReader::with_capacity(64 * 1024, open_to_read(trail)?));
    let mut ids = BTreeSet::new();
    while let Some(Line::Whole(line)) = lines.next()? {
        ids.extend(draft::id_of(line).map(<[u8]>::to_vec));
    }
    Ok(ids)
}
