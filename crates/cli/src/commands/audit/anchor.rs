//! `tenter audit anchor`: prints a signed note of the end of the trail, to be kept on another machine.

use tenter_store::audit::anchor::{AnchorError, sign};

use crate::error::{CliError, CommandResult, exit};
use crate::places::state;
use crate::printer;
use crate::printer::{Printer, json_line};

/// Nothing but the anchor goes to stdout.
pub(crate) fn run(printer: &Printer) -> CommandResult {
    match sign(&state()?) {
        Ok(anchor) => {
            printer.line(json_line(&anchor));
            Ok(0)
        }
        Err(AnchorError::Trail(error)) => Err(CliError::from(error)),
        Err(refusal @ AnchorError::Empty) => Ok(refused(
            &refusal,
            "`tenter init claude` lets an agent record its events; `tenter emit session:start` makes a first record",
        )),
        Err(refusal @ AnchorError::Unsound(_)) => Ok(refused(&refusal, "type `tenter audit verify`")),
    }
}

fn refused(refusal: &AnchorError, hint: &str) -> u8 {
    printer::write_error(&format!("error: {refusal}\nhint: {hint}\n"));
    exit::FINDING
}
