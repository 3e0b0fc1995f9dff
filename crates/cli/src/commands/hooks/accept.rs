//! `tenter hooks accept`: takes over changes of protected files that were made while an agent was working.

use std::io::{self, BufRead, IsTerminal};

use tenter_contract::HookChange;
use tenter_host::Places;
use tenter_host::pending_changes::{PendingChange, PendingChanges};
use tenter_host::trust::project::here;

use crate::arguments::AcceptArguments;
use crate::change_log;
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
        printer.line("no change waits for your yes");
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
    if !arguments.yes && !agree(files.len(), printer)? {
        printer.line("nothing was accepted");
        return Ok(exit::FINDING);
    }
    for file in &files {
        let path = file.path.display().to_string();
        // The text that was shown, not the one that may be there by now.
        held.accept(file).map_err(|cause| CliError::not_written(path.clone(), cause))?;
        change_log::record(HookChange::Accepted { file: path.clone(), content: file.hash() })?;
        printer.line(printer.tone(Tone::Good, format!("accepted: {}", visible(&path))));
    }
    Ok(0)
}

fn agree(count: usize, printer: &Printer) -> Result<bool, CliError> {
    if !io::stdin().is_terminal() {
        return Err(CliError::needs_answer("tenter hooks accept --yes"));
    }
    let what = if count == 1 { "this change" } else { "these changes" };
    printer.bytes(format!("Type `yes` to accept {what}: ").as_bytes());
    let mut answer = String::new();
    Ok(io::stdin().lock().read_line(&mut answer).is_ok() && answer.trim() == "yes")
}
