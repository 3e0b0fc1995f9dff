//! `tenter hook AGENT`: the hot path. Standard output carries the answer and nothing else.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use tenter_contract::Answer;
use tenter_host::{Places, assemble_from_memory};

use crate::arguments::{ConfigArgument, HookArguments, time};
use crate::commands;
use crate::error::{CliError, exit};
use crate::printer;

/// Answers if the arguments are `hook …` in their plain form; `None` leaves everything else (other
/// commands, `--help`, mistakes) to the full parser.
pub(crate) fn from_arguments(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    if arguments.next()? != "hook" {
        return None;
    }
    let agent = arguments.next()?.into_string().ok().filter(|word| !word.starts_with('-'))?;
    let mut hook = HookArguments { agent, agent_id: None, within: None, config: ConfigArgument::default() };
    while let Some(option) = arguments.next() {
        match option.to_str()? {
            "--config" => hook.config.config = Some(PathBuf::from(arguments.next()?)),
            "--agent-id" => hook.agent_id = Some(arguments.next()?.into_string().ok()?),
            "--within" => hook.within = Some(time(arguments.next()?.to_str()?).ok()?),
            _ => return None,
        }
    }
    Some(run(&hook))
}

/// To agents that read exit codes: this must not happen.
const REFUSED: u8 = 2;

/// Reads a payload from stdin, answers it on stdout.
pub(crate) fn run(arguments: &HookArguments) -> ExitCode {
    match answer(arguments) {
        Ok(answer) => {
            if let Err(error) = printer::write_bytes(&answer.stdout) {
                return lost(&error);
            }
            if !answer.stderr.is_empty() {
                printer::write_error(&String::from_utf8_lossy(&answer.stderr));
            }
            ExitCode::from(answer.exit_code)
        }
        Err(error) => {
            printer::write_error(&error.to_string());
            ExitCode::from(exit::STUMBLE)
        }
    }
}

/// An answer that does not arrive may have been a deny, so nothing may happen that it could have stopped.
fn lost(error: &io::Error) -> ExitCode {
    printer::write_error(&format!("tenter: the answer could not be written: {error}\n"));
    ExitCode::from(REFUSED)
}

fn answer(arguments: &HookArguments) -> Result<Answer, CliError> {
    let agent = commands::agent(&arguments.agent)?;
    let stdin = io::stdin();
    if stdin.is_terminal() {
        let example = format!("tenter hook {} < payload.json", arguments.agent);
        return Err(CliError::NothingPiped { example });
    }
    let started = Instant::now();
    let host = assemble_from_memory(&Places::from_environment(arguments.config.config.as_deref()));
    let host = match arguments.within {
        Some(patience) => host.within(patience, started),
        None => host,
    };
    // The process ends in a moment; giving back its memory piece by piece would take longer than the answer.
    let host = std::mem::ManuallyDrop::new(host);
    host.answer(agent, stdin.lock(), arguments.agent_id.as_deref()).map_err(|error| CliError::BadInput {
        what: "the payload on stdin".to_owned(),
        detail: error.to_string(),
        hint: "pipe one JSON object of the agent into this command".to_owned(),
    })
}
