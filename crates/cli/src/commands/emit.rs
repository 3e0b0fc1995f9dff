//! `tenter emit EVENT`: runs hooks for any program. Data on stdin, the outcome on stdout.

use std::io::{self, IsTerminal, Read};

use tenter_contract::{Effect, EventKind, Level, Message, Source};
use tenter_host::approvers::TerminalApprover;
use tenter_host::assemble_program;
use tenter_host::trust::project::here;
use tenter_kernel::messages;
use tenter_protocol::v1::outcome::OutcomeV1;
use tenter_runtime::Handled;

use crate::arguments::EmitArguments;
use crate::error::{CliError, CommandResult};
use crate::event_data::EventData;
use crate::event_data::event_kind;
use crate::printer::{self, Printer, json_line};
use crate::{event_data, progress};

pub(crate) fn run(arguments: &EmitArguments, printer: &Printer) -> CommandResult {
    let kind = event_kind(&arguments.event)?;
    let data = read_data(&arguments.event, &kind)?;
    let places = arguments.config.places();
    if let Some(name) = &arguments.config.profile {
        crate::hooks::check_profile(&places, name)?;
    }
    let mut host = assemble_program(&places, here().as_deref());
    host.runtime.runner.progress = progress::on_terminal();
    // A person at the terminal is asked here; a program gets the question in the outcome.
    if let Some(terminal) = TerminalApprover::of_process() {
        host.runtime.approvals.approvers.before_host.push(Box::new(terminal));
    }
    let mut event = data.event.into_event(kind, host.runtime.clock.now());
    if event.cwd.is_none() {
        event.cwd = std::env::current_dir().ok().map(|cwd| cwd.to_string_lossy().into_owned());
    }
    let Handled { mut outcome, seq, .. } = host.runtime.emit(event);
    for text in data.warnings {
        printer::warn(&text);
        outcome.effects.push((Source::Tenter, Effect::Notify(Message { text, level: Level::Warning })));
    }
    printer.line(json_line(&OutcomeV1::from_outcome(&outcome, &messages(&outcome), seq)));
    Ok(0)
}

fn read_data(event: &str, kind: &EventKind) -> Result<EventData, CliError> {
    let mut stdin = io::stdin();
    if stdin.is_terminal() {
        return Err(CliError::stdin_is_terminal(event_data::example(event, kind)));
    }
    let bad =
        |detail: String| CliError::bad_input("the data on stdin", detail, event_data::hint(event, kind));
    let mut text = String::new();
    stdin.read_to_string(&mut text).map_err(|error| bad(error.to_string()))?;
    let text = if text.trim().is_empty() { "{}" } else { text.as_str() };
    event_data::parse(text.as_bytes(), kind).map_err(bad)
}
