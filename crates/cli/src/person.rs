//! Commands that need a person: they change trust, guards, approvals or the installation.

use tenter_console::person::require_in;
use tenter_host::Places;
use tenter_host::pending_changes::{PendingChanges, WrittenFiles};
use tenter_host::trust::project::here;

use crate::arguments::{ApprovalsCommand, Command, HooksCommand, ProfileCommand, TrustCommand};
use crate::error::CliError;

/// Checks that a person runs the command, if it needs one. The result takes over what the command writes.
pub(crate) fn check(command: &Command) -> Result<Option<WrittenFiles>, CliError> {
    if !needs_person(command) {
        return Ok(None);
    }
    let places = require_in(Places::of_process())?;
    Ok(PendingChanges::new(&places).map(|held| held.before_writing(&places, here().as_deref())))
}

fn needs_person(command: &Command) -> bool {
    match command {
        Command::Init(arguments) => !arguments.settings.dry_run,
        Command::Uninstall(arguments) => !arguments.dry_run,
        Command::Hooks(command) => matches!(
            command,
            HooksCommand::Accept(_)
                | HooksCommand::New(_)
                | HooksCommand::Disable(_)
                | HooksCommand::Enable(_)
        ),
        Command::Trust(arguments) => !matches!(arguments.command, Some(TrustCommand::Show(_))),
        Command::Profile(command) => matches!(command, ProfileCommand::Use(_)),
        Command::Approvals(command) => !matches!(command, ApprovalsCommand::List(_)),
        Command::Import(arguments) => arguments.write || arguments.out.is_some(),
        _ => false,
    }
}
