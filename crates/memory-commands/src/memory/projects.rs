//! `tenter memory projects`, `move` and `link`.

use serde_json::{Value, json};
use tenter_memory::Counts;

use tenter_console::arguments::JsonArgument;

use crate::Opened;
use crate::arguments::MemoryMoveArguments;
use crate::error::CommandResult;
use tenter_console::listing::{columns, counted, visible};
use tenter_console::person;
use tenter_console::printer::{Printer, Tone, json_line};

pub(crate) fn list(opened: &Opened, arguments: &JsonArgument, printer: &Printer) -> CommandResult {
    let known = opened.memory.projects()?;
    let names = opened.memory.names_of(&opened.project);
    let is_here = |name: Option<&String>| name.is_some_and(|name| names.contains(name));
    if arguments.json {
        let all: Vec<Value> = known
            .iter()
            .map(|project| {
                let mut shown = json!(project);
                shown["here"] = json!(is_here(project.name.as_ref()));
                shown
            })
            .collect();
        return Ok(printer.json(&json!({"projects": all}))?);
    }
    let apart = opened.memory.apart(&opened.project);
    if known.is_empty() {
        printer.line("nothing is known of any project yet");
        return Ok(0);
    }
    let row = |project: &tenter_memory::KnownProject| {
        let name = match project.name.as_deref() {
            None => "every project".to_owned(),
            Some("pending:") => "waits for your yes (`tenter memory accept`)".to_owned(),
            Some(name) => visible(name),
        };
        let is_apart = apart.is_some() && project.name == apart;
        let here = match (is_here(project.name.as_ref()), is_apart) {
            (true, _) => "here",
            (false, true) => "apart: `tenter memory link` makes it this clone's too",
            (false, false) => "",
        };
        vec![name, counts_text(project.counts), here.to_owned()]
    };
    for line in columns(&known.iter().map(row).collect::<Vec<_>>()) {
        printer.line(line.trim_end());
    }
    printer.line(
        printer.tone(Tone::Quiet, "`tenter memory move NAME here` makes what is known of one this project's"),
    );
    Ok(0)
}

pub(crate) fn link(opened: &Opened, arguments: &JsonArgument, printer: &Printer) -> CommandResult {
    let Some(name) = opened.memory.apart(&opened.project) else {
        let name = opened.memory.name_of(&opened.project);
        if arguments.json {
            printer.line(json_line(&json!({"linked": false, "project": name})));
        } else {
            printer.line(format!("nothing to link: what is known here is known as {}", visible(&name)));
        }
        return Ok(0);
    };
    person::require()?;
    opened.memory.link(&opened.project)?;
    if arguments.json {
        return Ok(printer.json(&json!({"linked": true, "project": name}))?);
    }
    let done = printer.tone(Tone::Good, "linked:");
    printer.line(format!("{done} this clone shares what is known of {}", visible(&name)));
    Ok(0)
}

pub(crate) fn rename(opened: &Opened, arguments: &MemoryMoveArguments, printer: &Printer) -> CommandResult {
    person::require()?;
    // What is known here may are under several names.
    let from = match arguments.from.as_str() {
        "here" => opened.memory.names_of(&opened.project),
        name => vec![name.to_owned()],
    };
    let to = opened.project_named(&arguments.to);
    let to = tenter_memory::Project::named(opened.memory.name_of(&to));
    let moved = opened.memory.move_project(&from, to.as_str())?;
    if arguments.json {
        return Ok(printer.json(&json!({"from": from, "to": to.as_str(), "moved": moved}))?);
    }
    let done = printer.tone(Tone::Good, "moved:");
    let from = visible(&from.join(", "));
    printer.line(format!("{done} {} from {from} to {}", counts_text(moved), visible(to.as_str())));
    Ok(0)
}

pub(crate) fn counts_text(counts: Counts) -> String {
    let Counts { experiences, memories, journal } = counts;
    let memories_text = if memories == 1 { "1 memory".to_owned() } else { format!("{memories} memories") };
    let parts = [
        (experiences, counted(experiences as u64, "experience")),
        (memories, memories_text),
        (journal, counted(journal as u64, "page") + " of the journal"),
    ];
    let parts: Vec<String> =
        parts.into_iter().filter(|(count, _)| *count > 0).map(|(_, text)| text).collect();
    if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") }
}
