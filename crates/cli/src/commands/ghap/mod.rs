//! `tenter ghap …`: what is being tried, and what came of it.

mod change;
mod show;
mod list;

use tenter_contract::SessionId;
use tenter_ghap::Who;

use super::Ended;
use super::memory::Opened;
use crate::arguments::{GhapCommand, WhoArguments};
use crate::error::CliError;
use crate::printer::Printer;

/// Runs one of them.
pub(crate) fn run(command: &GhapCommand, printer: &Printer) -> Ended {
    let opened = Opened::here()?;
    let ended = match command {
        GhapCommand::Start(arguments) => change::start(&opened, arguments, printer),
        GhapCommand::Update(arguments) => change::update(&opened, arguments, printer),
        GhapCommand::Resolve(arguments) => change::resolve(&opened, arguments, printer),
        GhapCommand::Abandon(arguments) => change::abandon(&opened, arguments, printer),
        GhapCommand::Adopt(arguments) => change::adopt(&opened, arguments, printer),
        GhapCommand::Show(arguments) => show::run(&opened, arguments, printer),
        GhapCommand::List(arguments) => list::run(&opened, arguments, printer),
    };
    opened.tell_notices();
    ended
}

/// Whose entry is meant.
fn who(opened: &Opened, arguments: &WhoArguments) -> Result<Who, CliError> {
    let session = match &arguments.session {
        Some(id) => SessionId::parse(id).ok_or_else(|| CliError::BadInput {
            what: "`--session`".to_owned(),
            detail: "it is empty".to_owned(),
            hint: "`tenter ghap show` has the sessions".to_owned(),
        })?,
        None => opened.sessions()?.current(None),
    };
    Ok(Who::sub_agent(session, arguments.agent_id.as_deref().unwrap_or_default()))
}
