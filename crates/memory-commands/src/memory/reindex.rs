//! `tenter memory reindex`: rebuilds the vectors, possibly with another model.

use std::io;
use std::path::Path;

use serde_json::json;
use tenter_memory::embedding::minilm::MiniLm;
use tenter_memory::{BUILT_IN, select_model};

use crate::Opened;
use crate::arguments::MemoryReindexArguments;
use crate::error::CommandResult;
use tenter_console::error::CliError;
use tenter_console::listing::counted;
use tenter_console::places::state;
use tenter_console::printer;
use tenter_console::printer::{Printer, Tone, json_line};

/// Saves the choice of the model before the memory is opened with it. A model that cannot be loaded is refused.
pub(crate) fn choose(arguments: &MemoryReindexArguments) -> Result<(), CliError> {
    let Some(model) = &arguments.model else { return Ok(()) };
    let state = state()?;
    let unwritten = |cause| CliError::not_written("the choice of a model", cause);
    if model == Path::new(BUILT_IN) {
        return select_model(&state, None).map_err(unwritten);
    }
    let folder = std::path::absolute(model).map_err(unwritten)?;
    MiniLm::open(&folder)
        .map_err(|problem| CliError::bad_input("the model", problem.to_string(), "nothing was changed"))?;
    select_model(&state, Some(&folder)).map_err(unwritten)
}

pub(crate) fn run(opened: &Opened, arguments: &MemoryReindexArguments, printer: &Printer) -> CommandResult {
    let lively = printer::is_lively(&io::stderr());
    let mut progress = |done: usize, all: usize| {
        if lively {
            let end = if done == all { "\n" } else { "" };
            printer::write_to_terminal(&format!("\r{done} of {all} texts{end}"));
        }
    };
    let texts = opened.memory.reindex(&mut progress)?;
    let model = opened.memory.stats()?.model;
    if arguments.json {
        printer.line(json_line(&json!({"texts": texts, "model": model})));
    } else if texts == 0 {
        printer.line(format!("there is nothing to do: everything is searched with the model {model}"));
    } else {
        let done = printer.tone(Tone::Good, "embedded:");
        printer
            .line(format!("{done} {}, searched with the model {model} now", counted(texts as u64, "text")));
    }
    Ok(0)
}
