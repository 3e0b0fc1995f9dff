//! Rotation: starts a new file when the current one is full. The chain continues in the new file.

use tenter_contract::ports::TrailError;

use super::files::unusable;
use super::step::Step;
use super::writer::{Writer, open_trail};

/// Renames the full file and starts a new one. A writer that is stopped in between leaves a head of the renamed file,
/// which the next writer resolves by [`finish`].
#[cold]
pub(crate) fn rotate(writer: &mut Writer<'_>) -> Result<(), TrailError> {
    let files = writer.files;
    let full = files.full(writer.tip.first);
    if full.exists() {
        return Err(files.damaged(format!("there is a `{}` already", full.display())));
    }
    std::fs::rename(&files.trail, &full).map_err(unusable(&full))?;
    (writer.watch)(Step::Renamed);
    finish(writer)
}

/// Whether a writer was stopped between renaming the file and writing the head.
#[cold]
pub(crate) fn was_interrupted(writer: &Writer<'_>, length: u64) -> bool {
    let full = writer.files.full(writer.tip.first);
    length == 0 && full.metadata().is_ok_and(|found| found.len() == writer.tip.offset)
}

/// Starts the new file.
#[cold]
pub(crate) fn finish(writer: &mut Writer<'_>) -> Result<(), TrailError> {
    writer.trail = open_trail(writer.files)?.0;
    writer.set_tip(writer.tip.rotated())?;
    (writer.watch)(Step::Rotated);
    Ok(())
}
