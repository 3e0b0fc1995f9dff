//! `tenter memory accept ID…`: lets what an agent wants told in every project count.

use std::io::{self, BufRead, IsTerminal};

use serde_json::json;

use super::super::{Ended, json_line, person};
use super::Opened;
use crate::arguments::MemoryAcceptArguments;
use crate::error::{CliError, exit};
use crate::listing::visible;
use crate::printer::{Printer, Tone};

/// Lists what waits, or accepts what is named.
pub(super) fn run(opened: &Opened, arguments: &MemoryAcceptArguments, printer: &Printer) -> Ended {
    let pending = opened.memory.pending_memories()?;
    if arguments.ids.is_empty() {
        if arguments.json {
            printer.line(json_line(&json!({"pending": pending})));
            return Ok(0);
        }
        for memory in &pending {
            printer.line(format!("{}  {}", memory.id, visible(&memory.content)));
        }
        printer.line(if pending.is_empty() {
            "nothing waits for a yes"
        } else {
            "`tenter memory accept ID` tells it in every project, `tenter memory forget ID` removes it"
        });
        return Ok(0);
    }
    let command = format!("tenter memory accept {}", arguments.ids.join(" "));
    person::require()?;
    if !arguments.yes {
        if !io::stdin().is_terminal() {
            return Err(CliError::NeedsAnswer { command: format!("{command} --yes") });
        }
        for id in &arguments.ids {
            printer.line(format!("{id}  {}", visible(&opened.memory.memory(id.trim())?.content)));
        }
        printer.bytes(b"Type `yes` to have agents told of this in every project: ");
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
        printer.line(json_line(&json!({"accepted": accepted})));
        return Ok(0);
    }
    for memory in &accepted {
        let done = printer.tone(Tone::Good, "accepted:");
        printer.line(format!("{done} {}  {}", memory.id, visible(&memory.content)));
    }
    Ok(0)
}
