//! `tenter memory stats`: size and location of the memory.

use serde_json::json;

use crate::Opened;
use crate::error::CommandResult;
use tenter_console::arguments::JsonArgument;
use tenter_console::listing::counted;
use tenter_console::places::state;
use tenter_console::printer::Printer;

pub(crate) fn run(opened: &Opened, arguments: &JsonArgument, printer: &Printer) -> CommandResult {
    let stats = opened.memory.stats()?;
    let folder = state()?.path().join("memory");
    let [confirmed, falsified, abandoned] = stats.experiences;
    let [gold, silver, bronze, _] = stats.tiers;
    if arguments.json {
        return Ok(printer.json(&json!({
            "folder": folder,
            "bytes": stats.bytes,
            "projects": stats.projects,
            "experiences": {"confirmed": confirmed, "falsified": falsified, "abandoned": abandoned},
            "tiers": {"gold": gold, "silver": silver, "bronze": bronze},
            "memories": stats.memories,
            "journal": stats.journal,
            "active": stats.active,
            "waiting": stats.waiting,
            "model": stats.model,
        }))?);
    }
    let count = |number: usize, one: &str| counted(number as u64, one);
    printer.line(format!(
        "{}: {confirmed} confirmed, {falsified} falsified, {abandoned} abandoned; {gold} gold, {silver} silver, {bronze} bronze",
        count(confirmed + falsified + abandoned, "experience")
    ));
    printer.line(format!("{} and {} of the journal", memories(stats.memories), count(stats.journal, "page")));
    printer.line(format!("{} active, {} waiting to be stored", entries(stats.active), stats.waiting));
    printer.line(format!("{} in {}", count(stats.projects, "project"), folder.display()));
    printer.line(format!("{} on disk, searched with the model {}", size(stats.bytes), stats.model));
    Ok(0)
}

fn memories(count: usize) -> String {
    if count == 1 { "1 memory".to_owned() } else { format!("{count} memories") }
}

fn entries(count: usize) -> String {
    if count == 1 { "1 entry".to_owned() } else { format!("{count} entries") }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_000 => counted(bytes, "byte"),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}
