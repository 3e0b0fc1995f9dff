//! `tenter audit`.

pub(crate) mod show;
pub(crate) mod verify;
pub(crate) mod anchor;
mod anchors;

use tenter_store::StateFolder;
use tenter_store::audit::verify::verify;

use crate::printer::{Printer, Tone};

/// Says below what was shown that the trail is not what was written. Nobody should take a forged record for
/// a fact because they did not think of checking first.
pub(crate) fn warn_if_broken(state: &StateFolder, printer: &Printer) {
    let sound = verify(state).map_or(true, |verification| verification.is_sound());
    if !sound {
        let text =
            "warning: the trail is not as it was written; `tenter audit verify` names the first bad record";
        printer.line(printer.tone(Tone::Bad, text));
    }
}
