//! `tenter hook AGENT`: answers one payload, with all features.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::process::ExitCode;

use tenter_contract::Answer;
use tenter_host::full_binary::Handover;
use tenter_host::hook_call::deliver;
use tenter_host::program::SMALL;
use tenter_host::{HookCall, assemble_program};

use crate::arguments::{HookArguments, hooks_command};
use crate::error::{CliError, exit};
use crate::install::targets::scope_of;
use crate::places;
use crate::printer;

/// Answers if the arguments are a plain `hook …` or those of a worker; `None` leaves other commands, `--help` and
/// mistakes to the full parser.
pub(crate) fn from_arguments(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    if arguments.next()? != "hook" {
        return None;
    }
    if let Some(call) = HookCall::parse(arguments) {
        return Some(run(&call));
    }
    #[cfg(target_os = "linux")]
    if std::env::args_os().skip(2).eq([tenter_host::background::ARGUMENT]) {
        return Some(tenter_host::background::run_worker(tenter_host::assemble_for).into());
    }
    None
}

pub(crate) fn parsed(arguments: HookArguments) -> ExitCode {
    let HookArguments { agent, agent_id, within, scope, installation, config } = arguments;
    let scope = scope.map(scope_of);
    let (config, profile) = (config.config, config.profile);
    run(&HookCall { agent, agent_id, within, config, profile, installation, scope })
}

fn run(call: &HookCall) -> ExitCode {
    match answer(call) {
        Ok(answer) => deliver(&answer).into(),
        Err(error) => {
            printer::write_error(&error.shown());
            ExitCode::from(exit::HOOK_ERROR)
        }
    }
}

fn answer(call: &HookCall) -> Result<Answer, CliError> {
    let agent = places::agent_or(&call.agent, hooks_command(&call.agent))?;
    if io::stdin().is_terminal() {
        let typed = if Handover::from_environment().is_some() { SMALL } else { "tenter hook" };
        let example = format!("{typed} {} < payload.json", call.agent);
        return Err(CliError::stdin_is_terminal(example));
    }
    call.answer(agent, assemble_program, None).map_err(|error| {
        CliError::bad_input(
            "the payload on stdin",
            error.to_string(),
            "pipe one JSON object of the agent into this command",
        )
    })
}
