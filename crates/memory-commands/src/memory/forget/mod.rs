//! `tenter memory forget ID…`: deletes permanently, after a confirmation.

pub(crate) mod traces;

use std::io::{self, BufRead, IsTerminal};

use serde_json::json;

use crate::Opened;
use crate::arguments::MemoryForgetArguments;
use crate::error::{CommandError, CommandResult};
use crate::memory::forget::traces::Left;
use crate::render::cut;
use tenter_console::error::{CliError, exit};
use tenter_console::listing::visible;
use tenter_console::printer::{Printer, Tone};

pub(crate) fn run(opened: &Opened, arguments: &MemoryForgetArguments, printer: &Printer) -> CommandResult {
    // All of them, before any is gone: a mistyped id is found while nothing has happened.
    let mut found = Vec::new();
    for id in &arguments.ids {
        found.push((id.trim(), summary(opened, id.trim())?));
    }
    if !arguments.yes {
        if !io::stdin().is_terminal() {
            let command = format!("tenter memory forget {} --yes", arguments.ids.join(" "));
            return Err(CliError::needs_answer(command).into());
        }
        for (id, text) in &found {
            printer.line(format!("{id}  {}", visible(&cut(text))));
        }
        printer.bytes(b"Type `yes` to remove this for good: ");
        let mut answer = String::new();
        if io::stdin().lock().read_line(&mut answer).is_err() || answer.trim() != "yes" {
            printer.line("nothing was forgotten");
            return Ok(exit::FINDING);
        }
    }
    for (id, _) in &found {
        opened.memory.forget(id)?;
    }
    let left = Left::find(&found)?;
    if arguments.json {
        let ids: Vec<&str> = found.iter().map(|(id, _)| *id).collect();
        return Ok(printer.json(&json!({"forgotten": ids, "remains_in": left.json()}))?);
    }
    for (id, text) in &found {
        let done = printer.tone(Tone::Good, "forgotten:");
        printer.line(format!("{done} {id}  {}", visible(&cut(text))));
    }
    left.print(printer);
    Ok(0)
}

fn summary(opened: &Opened, id: &str) -> Result<String, CommandError> {
    let memory = &opened.memory;
    Ok(if id.starts_with("mem_") {
        memory.memory(id)?.content
    } else if id.starts_with("journal_") {
        memory.journal_entry(id, false)?.summary
    } else {
        memory.entry(id)?.entry.goal
    })
}
