//! `tenter memory …`: one file per command.

mod search;
mod show;
mod list;
mod accept;
mod add;
mod forget;
mod stats;
mod export;
mod projects;
mod repair;
mod reindex;
mod import;

use crate::Opened;
use crate::arguments::MemoryCommand;
use crate::error::CommandResult;
use tenter_console::printer::Printer;

pub(crate) fn run(command: &MemoryCommand, printer: &Printer) -> CommandResult {
    if let MemoryCommand::Reindex(arguments) = command {
        reindex::choose(arguments)?;
    }
    let opened = Opened::here()?;
    // Anyone who repairs has a look at the store before anybody else opens it.
    if !matches!(command, MemoryCommand::Repair(_)) {
        opened.memory.note_project(&opened.project);
    }
    let ended = match command {
        MemoryCommand::Search(arguments) => search::run(&opened, arguments, printer),
        MemoryCommand::Show(arguments) => show::run(&opened, arguments, printer),
        MemoryCommand::List(arguments) => list::run(&opened, arguments, printer),
        MemoryCommand::Add(arguments) => add::run(&opened, arguments, printer),
        MemoryCommand::Forget(arguments) => forget::run(&opened, arguments, printer),
        MemoryCommand::Stats(arguments) => stats::run(&opened, arguments, printer),
        MemoryCommand::Export(arguments) => export::run(&opened, arguments, printer),
        MemoryCommand::Import(arguments) => import::run(&opened, arguments, printer),
        MemoryCommand::Projects(arguments) => projects::list(&opened, arguments, printer),
        MemoryCommand::Move(arguments) => projects::rename(&opened, arguments, printer),
        MemoryCommand::Link(arguments) => projects::link(&opened, arguments, printer),
        MemoryCommand::Accept(arguments) => accept::run(&opened, arguments, printer),
        MemoryCommand::Repair(arguments) => repair::run(&opened, arguments, printer),
        MemoryCommand::Reindex(arguments) => reindex::run(&opened, arguments, printer),
    };
    opened.print_notices();
    ended
}
