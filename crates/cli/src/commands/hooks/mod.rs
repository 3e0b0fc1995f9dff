//! `tenter hooks`.

mod accept;
mod check;
mod disable;
pub(crate) mod explain;
mod list;
mod new;
mod show;
mod stats;
pub(crate) mod test;

use crate::arguments::HooksCommand;
use crate::error::CommandResult;
use crate::printer::Printer;

pub(crate) fn run(command: &HooksCommand, printer: &Printer) -> CommandResult {
    match command {
        HooksCommand::List(arguments) => list::run(arguments, printer),
        HooksCommand::Check(arguments) => check::run(arguments, printer),
        HooksCommand::Show(arguments) => show::run(arguments, printer),
        HooksCommand::Explain(arguments) => explain::run(arguments, printer),
        HooksCommand::Test(arguments) => test::run(arguments, printer),
        HooksCommand::New(arguments) => new::run(arguments, printer),
        HooksCommand::Accept(arguments) => accept::run(arguments, printer),
        HooksCommand::Disable(arguments) => disable::run(arguments, true, printer),
        HooksCommand::Enable(arguments) => disable::run(arguments, false, printer),
        HooksCommand::Stats(arguments) => stats::run(arguments, printer),
    }
}
