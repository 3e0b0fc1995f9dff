//! Turning over to a new file when the one that is being written is full. The chain goes on: the first line
//! of the new file is tied to the last one of the old.

use tenter_contract::ports::TrailError;

use super::files::unusable;
use super::step::Step;
use super::writer::{Writer, open_trail};

/// Gives the file its name among the full ones and begins a new one. A writer that is stopped in between
/// leaves a head that speaks of a file which has another name now; see [`finish`].
#[cold]
pub(crate) fn turn_over(writer: &mut Writer<'_>) -> Result<(), TrailError> {
    let files = writer.files;
    let full = files.full(writer.tip.first);
    if full.exists() {
        return Err(files.damaged(format!("there is a `{}` already", full.display())));
    }
    std::fs::rename(&files.trail, &full).map_err(unusable(&full))?;
    (writer.watch)(Step::Renamed);
    finish(writer)
}

/// Whether a writer was stopped between giving the file its name and saying so in the head.
#[cold]
pub(crate) fn was_interrupted(writer: &Writer<'_>, length: u64) -> bool {
    let full = writer.files.full(writer.tip.first);
    length == 0 && full.metadata().is_ok_and(|found| found.len() == writer.tip.offset)
}

/// Begins the new file.
#[cold]
pub(crate) fn finish(writer: &mut Writer<'_>) -> Result<(), TrailError> {
    writer.trail = open_trail(writer.files)?.0;
    writer.set_tip(writer.tip.rotated())?;
    (writer.watch)(Step::TurnedOver);
    Ok(())
}
