//! `tenter hooks disable NAME` and `enable NAME`: everywhere, in this project, or in one session.

use std::path::Path;

use tenter_contract::{HookChange, HookId, Layer, Reach, SessionId};
use tenter_host::disabled::Disabled;
use tenter_host::trust::project::here;

use crate::arguments::SwitchArguments;
use crate::change_log;
use crate::error::{CliError, CommandResult, exit};
use crate::hooks::switches::{
    enable_hint, find, in_session, is_off_in, latest_session, sessions_without, still_off,
};
use crate::places::no_project;
use crate::printer::Printer;
use crate::trail;

pub(crate) fn run(arguments: &SwitchArguments, off: bool, printer: &Printer) -> CommandResult {
    let root = here();
    let layers = crate::hooks::layers(&arguments.config)?;
    let hook = find(&layers, &arguments.hook)?;
    if off && hook.layer == Layer::Managed {
        return Err(CliError::hook_is_managed(hook.name));
    }
    let reach = match (&arguments.session, arguments.project) {
        (Some(id), _) => Reach::Session(session(id, root.as_deref())?),
        (None, true) => Reach::Project(root.clone().ok_or_else(no_project)?.display().to_string()),
        (None, false) => Reach::Everywhere,
    };
    match &reach {
        Reach::Session(session) if !off && !is_off_in(&hook, session) => {
            return Ok(not_off(&hook, session, printer));
        }
        Reach::Session(session) => in_session(&hook, session, off)?,
        Reach::Everywhere | Reach::Project(_) => {
            let places = arguments.config.places().outside(root.as_deref());
            let switched =
                Disabled::read(&places).switch(&hook, root.filter(|_| arguments.project).as_deref(), off);
            switched.map_err(|cause| CliError::not_written("the switch of this hook", cause))?;
        }
    }
    let now = if off { "off" } else { "on" };
    let address = hook.address();
    printer.line(match &reach {
        Reach::Everywhere => format!("{address} is {now} from the next event on, in every session"),
        Reach::Project(project) => format!("{address} is {now} in {project} from the next event on"),
        Reach::Session(session) => format!("{address} is {now} in session {session} from its next event on"),
    });
    if let Some(still) = still_off(&layers, &hook, &reach).filter(|_| !off) {
        printer.line(format!("but it is still off: {still}"));
    }
    if !off {
        for session in sessions_without(&hook) {
            printer
                .line(format!("but it is still off in session {session}: {}", enable_hint(&hook, &session)));
        }
    }
    let change = if off { HookChange::Disabled { hook, reach } } else { HookChange::Enabled { hook, reach } };
    change_log::record(change)?;
    Ok(0)
}

/// The session of that id, which must have records: a typo would leave a guard on or off by mistake. Without an id,
/// the latest session of this project.
fn session(id: &str, root: Option<&Path>) -> Result<SessionId, CliError> {
    match SessionId::parse(id) {
        Some(named) => trail::sessions::known(id).map(|()| named),
        None => latest_session(root)?.ok_or(CliError::no_session()),
    }
}

/// Reports that the hook was not off here, and in which sessions it is.
fn not_off(hook: &HookId, session: &SessionId, printer: &Printer) -> u8 {
    let elsewhere = sessions_without(hook);
    printer.line(format!("{} was not off in session {session}; nothing was changed", hook.address()));
    for other in &elsewhere {
        printer.line(format!("it is off in session {other}: {}", enable_hint(hook, other)));
    }
    if elsewhere.is_empty() { 0 } else { exit::FINDING }
}
