//! Reads an event from a file: a payload of an agent, or data for `tenter emit`.

use std::path::Path;

use tenter_contract::ports::{AgentAdapter, Decoded};
use tenter_contract::{Event, EventKind};
use tenter_host::Host;
use tenter_protocol::v1::event::EventV1;

use crate::error::CliError;
use crate::printer;
use crate::{event_data, input_file};

pub(crate) fn from_agent(path: &Path, agent: &dyn AgentAdapter, host: &Host) -> Result<Event, CliError> {
    let bad =
        |detail: String| bad(path, detail, format!("pass one JSON object as {} sends it", agent.name()));
    match agent.decode(&bytes(path)?, &host.surroundings(agent)) {
        Ok(Decoded::Event(event)) => Ok(*event),
        Ok(Decoded::NotForUs) => Err(bad("it is not a hook event".to_owned())),
        Err(error) => Err(bad(error.to_string())),
    }
}

/// An event with data of a program; without a file, an empty event.
pub(crate) fn from_program(path: Option<&Path>, kind: EventKind, host: &Host) -> Result<Event, CliError> {
    let data = match path {
        None => EventV1::default(),
        Some(path) => {
            let data = event_data::parse(&bytes(path)?, &kind).map_err(|detail| {
                bad(
                    path,
                    detail,
                    "pass one JSON object (run `tenter schema event` to see its keys)".to_owned(),
                )
            })?;
            for text in &data.warnings {
                printer::warn(&text);
            }
            data.event
        }
    };
    let mut event = data.into_event(kind, host.runtime.clock.now());
    if event.cwd.is_none() {
        event.cwd = std::env::current_dir().ok().map(|cwd| cwd.to_string_lossy().into_owned());
    }
    Ok(event)
}

fn bytes(path: &Path) -> Result<Vec<u8>, CliError> {
    let hint = "pass a file with one payload with `--payload`, or `-` for stdin";
    input_file::read(path).map_err(|error| bad(path, error.to_string(), hint.to_owned()))
}

fn bad(path: &Path, detail: String, hint: String) -> CliError {
    let what = if path == Path::new("-") { "stdin".to_owned() } else { format!("`{}`", path.display()) };
    CliError::bad_input(what, detail, hint)
}
