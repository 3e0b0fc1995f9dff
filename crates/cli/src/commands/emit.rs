//! `tenter emit EVENT`: hooks for any program. Data on stdin, the outcome on stdout.

use std::io::{self, IsTerminal, Read};

use tenter_contract::{Effect, EventKind, Level, Message, Source, event_names, similar};
use tenter_host::assemble_program;
use tenter_host::desks::TerminalDesk;
use tenter_host::trust::project::here;
use tenter_kernel::messages;
use tenter_protocol::v1::outcome::OutcomeV1;

use super::event_data::{self, EventData};
use super::{Ended, json_line};
use crate::arguments::EmitArguments;
use crate::error::CliError;
use crate::printer::{Printer, write_error};
use crate::progress;

/// Asks the hooks and prints what came of it.
pub(crate) fn run(arguments: &EmitArguments, printer: &Printer) -> Ended {
    let kind = event_kind(&arguments.event)?;
    let data = read_data(&arguments.event, &kind)?;
    let places = arguments.config.places();
    if let Some(name) = &arguments.config.profile {
        super::profile::exists(&places, name)?;
    }
    let mut host = assemble_program(&places, here().as_deref());
    host.runtime.onlooker = progress::on_terminal();
    // A person who runs this can be asked here; a program that runs it gets the question back.
    if let Some(terminal) = TerminalDesk::of_process() {
        host.runtime.desks.before_host.push(Box::new(terminal));
    }
    let mut event = data.event.into_event(kind, host.runtime.clock.now());
    if event.cwd.is_none() {
        event.cwd = std::env::current_dir().ok().map(|cwd| cwd.to_string_lossy().into_owned());
    }
    let (mut outcome, seq) = host.runtime.emit(event);
    for text in data.warnings {
        write_error(&format!("warning: {text}\n"));
        outcome.effects.push((Source::Tenter, Effect::Tell(Message { text, level: Level::Warning })));
    }
    printer.line(json_line(&OutcomeV1::from_outcome(&outcome, &messages(&outcome), seq)));
    Ok(0)
}

/// The event a spelling means. One in a namespace of ours that we do not know is a mistake, not an event.
pub(crate) fn event_kind(spelling: &str) -> Result<EventKind, CliError> {
    let known = || event_names::EVENTS.iter().flat_map(event_names::EventName::spellings);
    let unknown = || CliError::UnknownEvent {
        name: spelling.to_owned(),
        suggestion: similar::nearest(spelling, known()).map(str::to_owned),
    };
    let namespace = |name: &str| name.split_once(':').map(|(namespace, _)| namespace.to_owned());
    match EventKind::parse(spelling) {
        Some(EventKind::Other(name)) => {
            let ours = event_names::EVENTS.iter().any(|row| namespace(row.canonical) == namespace(&name));
            let near = similar::nearest(&name, known()).is_some();
            if ours || near { Err(unknown()) } else { Ok(EventKind::Other(name)) }
        }
        Some(kind) => Ok(kind),
        None => Err(unknown()),
    }
}

fn read_data(event: &str, kind: &EventKind) -> Result<EventData, CliError> {
    let mut stdin = io::stdin();
    if stdin.is_terminal() {
        return Err(CliError::NothingPiped { example: event_data::example(event, kind) });
    }
    let bad = |detail: String| CliError::BadInput {
        what: "the data on stdin".to_owned(),
        detail,
        hint: event_data::hint(event, kind),
    };
    let mut text = String::new();
    stdin.read_to_string(&mut text).map_err(|error| bad(error.to_string()))?;
    let text = if text.trim().is_empty() { "{}" } else { text.as_str() };
    event_data::parse(text.as_bytes(), kind).map_err(bad)
}
