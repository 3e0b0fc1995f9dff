//! `tenter approvals`.

pub(crate) mod answer;
mod list;
mod revoke;
mod watch;

use tenter_contract::Policy;

use crate::approvals::rules;
use crate::arguments::ApprovalsCommand;
use crate::error::CommandResult;
use crate::printer::Printer;

pub(crate) fn run(command: &ApprovalsCommand, printer: &Printer) -> CommandResult {
    match command {
        ApprovalsCommand::List(arguments) => list::run(arguments, printer),
        ApprovalsCommand::Watch(arguments) => watch::run(arguments, printer),
        ApprovalsCommand::Answer(arguments) => answer::run(arguments, printer),
        ApprovalsCommand::Allow(arguments) => rules::make(arguments, Policy::Allow, printer),
        ApprovalsCommand::Deny(arguments) => rules::make(arguments, Policy::Deny, printer),
        ApprovalsCommand::Revoke(arguments) => revoke::run(arguments, printer),
    }
}
