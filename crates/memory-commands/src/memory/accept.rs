//! `tenter memory accept ID…`: accepts memories that agents propose for all projects.

use std::io::{self, BufRead, IsTerminal};

use serde_json::json;

use crate::Opened;
use crate::arguments::MemoryAcceptArguments;
use crate::error::CommandResult;
use tenter_console::error::{CliError, exit};
use tenter_console::listing::visible;
use tenter_console::person;
use tenter_console::printer::{Printer, Tone};

pub(crate) fn run(opened: &Opened, arguments: &MemoryAcceptArguments, printer: &Printer) -> CommandResult {
    let pending = opened.memory.pending_memories()?;
    if arguments.ids.is_empty() {
        if arguments.json {
            return Ok(printer.json(&json!({"pending": pending}))?);
        }
        for memory in &pending {
            printer.line(format!("{}  {}", memory.id, visible(&memory.content)));
        }
        printer.line(if pending.is_empty() {
            "nothing waits for a yes"
        } else {
            "run `tenter memory accept ID` to use it in all projects, `tenter memory forget ID` to delete it"
        });
        return Ok(0);
    }
    let command = format!("tenter memory accept {}", arguments.ids.join(" "));
    person::require()?;
    if !arguments.yes {
        if !io::stdin().is_terminal() {
            return Err(CliError::needs_answer(format!("{command} --yes")).into());
        }
        for id in &arguments.ids {
            printer.line(format!("{id}  {}", visible(&opened.memory.memory(id.trim())?.content)));
        }
        printer.bytes(b"Type `yes` to give this to agents in all projects: ");
        let mut answer = String::new();
        if io::stdin().lock().read_line(&mut answer).is_err() || answer.trim() != "yes" {
            printer.line("nothing was accepted");
            return Ok(exit::FINDING);
        }
    }
    let mut accepted = Vec::new();
    for id in &arguments.ids {
        accepted.push(opened.memory.accept(id.trim())?);
    }
    if arguments.json {
        return Ok(printer.json(&json!({"accepted": accepted}))?);
    }
    for memory in &accepted {
        let done = printer.tone(Tone::Good, "accepted:");
        printer.line(format!("{done} {}  {}", memory.id, visible(&memory.content)));
    }
    Ok(0)
}
