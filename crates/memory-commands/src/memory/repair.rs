//! `tenter memory repair`: recovers readable data of a damaged memory into a new one.

use tenter_memory::Counts;

use crate::Opened;
use crate::error::CommandResult;
use crate::memory::projects::counts_text;
use tenter_console::arguments::JsonArgument;
use tenter_console::error::exit;
use tenter_console::listing::{counted, visible};
use tenter_console::printer::{Printer, Tone, json_line};

/// Number of lost ids to name.
const NAMED: usize = 10;

pub(crate) fn run(opened: &Opened, arguments: &JsonArgument, printer: &Printer) -> CommandResult {
    let repaired = opened.memory.repair()?;
    let nothing = !repaired.damaged_files.is_empty() && repaired.saved == Counts::default();
    let is_whole = repaired.lost.is_empty() && repaired.missing_pages == 0 && !nothing;
    let code = if is_whole { 0 } else { exit::FINDING };
    if arguments.json {
        printer.line(json_line(&repaired));
        return Ok(code);
    }
    if repaired.damaged_files.is_empty() {
        printer.line(printer.tone(Tone::Good, "the memory is whole; there is nothing to repair"));
        return Ok(0);
    }
    let done = printer.tone(Tone::Good, "repaired:");
    printer.line(format!("{done} {} saved, words and vectors made anew", counts_text(repaired.saved)));
    let lost = repaired.lost.len();
    if lost > 0 {
        let more = if lost > NAMED { format!(" and {} more", lost - NAMED) } else { String::new() };
        let named: Vec<&str> = repaired.lost.iter().take(NAMED).map(String::as_str).collect();
        let text = format!("known to be lost: {}{more}", visible(&named.join(", ")));
        printer.line(printer.tone(Tone::Bad, text));
    }
    if repaired.missing_pages > 0 {
        let text = format!(
            "the file was cut off: {} are gone, and whatever stood on them",
            counted(u64::from(repaired.missing_pages), "page")
        );
        printer.line(printer.tone(Tone::Bad, text));
    } else if nothing {
        printer.line(printer.tone(Tone::Bad, "nothing in it could be read; what was there is lost"));
    } else if lost == 0 {
        printer.line(
            "nothing is known to be lost; of a page that was overwritten nothing is left that would say so",
        );
    }
    if !is_whole {
        printer.line("if you have an export or a backup, `tenter memory import` brings back what is in it");
    }
    for path in &repaired.damaged_files {
        printer.line(format!("the damaged file lies in {}; remove it when you miss nothing", path.display()));
    }
    Ok(code)
}
