//! `tenter audit`.

mod anchor;
mod export;
mod sessions;
pub(crate) mod show;
pub(crate) mod verify;

use crate::arguments::AuditCommand;
use crate::error::CommandResult;
use crate::printer::Printer;

pub(crate) fn run(command: &AuditCommand, printer: &Printer) -> CommandResult {
    match command {
        AuditCommand::Show(arguments) => show::run(arguments, printer),
        AuditCommand::Sessions(arguments) => sessions::run(arguments, printer),
        AuditCommand::Verify(arguments) => verify::run(arguments, printer),
        AuditCommand::Anchor => anchor::run(printer),
        AuditCommand::Export(arguments) => export::run(arguments, printer),
    }
}
