//! `tenter hooks accept`: accepts changes of protected files that were made while an agent was working.

use std::io::{self, IsTerminal};

use tenter_contract::HookChange;
use tenter_host::Places;
use tenter_host::pending_changes::{PendingChange, PendingChanges};
use tenter_host::trust::project::here;

use crate::arguments::AcceptArguments;
use crate::change_log;
use crate::confirm;
use crate::error::{CliError, CommandResult, exit};
use crate::install::settings::diff;
use crate::listing::visible;
use crate::printer::{Printer, Tone};

pub(crate) fn run(arguments: &AcceptArguments, printer: &Printer) -> CommandResult {
    let places = Places::of_process();
    let held = PendingChanges::new(&places).ok_or(CliError::no_state())?;
    let is_named =
        |file: &PendingChange| arguments.files.is_empty() || arguments.files.iter().any(|name| file.is(name));
    let files: Vec<PendingChange> =
        held.all(&places, here().as_deref()).into_iter().filter(is_named).collect();
    if files.is_empty() {
        printer.line("no changes to accept");
        return Ok(0);
    }
    for file in &files {
        let path = file.path.display().to_string();
        printer.line(format!(
            "{}: {}",
            printer.tone(Tone::Heading, visible(&path)),
            visible(file.reason.lines().next().unwrap_or_default())
        ));
        printer.line(visible(&diff(&path, &file.active_text, file.found.as_deref().unwrap_or_default())));
        if file.found.is_none() {
            printer.line(format!("{} is gone or cannot be read", visible(&path)));
        }
    }
    if !arguments.yes && !io::stdin().is_terminal() {
        return Err(CliError::needs_answer("tenter hooks accept --yes"));
    }
    let what = if files.len() == 1 { "this change" } else { "these changes" };
    if !arguments.yes && !confirm::typed_yes(&format!("Type `yes` to accept {what}: "), printer) {
        printer.line("nothing was accepted");
        return Ok(exit::FINDING);
    }
    for file in &files {
        let path = file.path.display().to_string();
        // Accepts the printed text, even if the file has changed since.
        held.accept(file).map_err(|cause| CliError::not_written(path.clone(), cause))?;
        change_log::record(HookChange::Accepted { file: path.clone(), content: file.hash() })?;
        printer.line(printer.tone(Tone::Good, format!("accepted: {}", visible(&path))));
    }
    Ok(0)
}
