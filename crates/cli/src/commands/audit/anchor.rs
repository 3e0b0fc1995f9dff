//! `tenter audit anchor`: a signed note of where the trail ends, to be kept elsewhere.

use tenter_store::audit::anchor::{AnchorError, sign};

use crate::commands::{Ended, json_line, state};
use crate::error::{CliError, exit};
use crate::printer::{self, Printer};

/// Prints the anchor as one line of JSON. Nothing else goes to stdout, for that is what is kept.
pub(crate) fn run(printer: &Printer) -> Ended {
    match sign(&state()?) {
        Ok(anchor) => {
            printer.line(json_line(&anchor));
            Ok(0)
        }
        Err(AnchorError::Trail(error)) => Err(CliError::Trail(error)),
        Err(refusal @ (AnchorError::Empty | AnchorError::Unsound(_))) => {
            printer::write_error(&format!("error: {refusal}\n"));
            Ok(exit::FINDING)
        }
    }
}
