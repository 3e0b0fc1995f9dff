//! `tenter memory forget ID…`: for good, so it asks.

use std::io::{self, BufRead, IsTerminal};

use serde_json::json;

use super::super::{Ended, json_line};
use super::Opened;
use super::left::Left;
use super::shown::cut;
use crate::arguments::MemoryForgetArguments;
use crate::error::{CliError, exit};
use crate::listing::visible;
use crate::printer::{Printer, Tone};

/// Shows what it is, asks, and removes it.
pub(super) fn run(opened: &Opened, arguments: &MemoryForgetArguments, printer: &Printer) -> Ended {
    // All of them, before any is gone: a mistyped id is found while nothing has happened.
    let mut found = Vec::new();
    for id in &arguments.ids {
        found.push((id.trim(), about(opened, id.trim())?));
    }
    if !arguments.yes {
        if !io::stdin().is_terminal() {
            let command = format!("tenter memory forget {} --yes", arguments.ids.join(" "));
            return Err(CliError::NeedsAnswer { command });
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
    let left = Left::of(&found)?;
    if arguments.json {
        let ids: Vec<&str> = found.iter().map(|(id, _)| *id).collect();
        printer.line(json_line(&json!({"forgotten": ids, "remains_in": left.json()})));
        return Ok(0);
    }
    for (id, text) in &found {
        let done = printer.tone(Tone::Good, "forgotten:");
        printer.line(format!("{done} {id}  {}", visible(&cut(text))));
    }
    left.tell(printer);
    Ok(0)
}

/// What it is about.
fn about(opened: &Opened, id: &str) -> Result<String, CliError> {
    let memory = &opened.memory;
    Ok(if id.starts_with("mem_") {
        memory.memory(id)?.content
    } else if id.starts_with("journal_") {
        memory.journal_entry(id, false)?.summary
    } else {
        memory.entry(id)?.entry.goal
    })
}
