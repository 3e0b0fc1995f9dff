//! The commands: `tenter X Y` is in `x/y.rs`, or in `x/mod.rs` if it is short. `memory`, `ghap` and
//! `mcp` are in `crates/memory-commands`, `chat` is in `crates/chat`.

mod approvals;
mod audit;
mod context;
mod demo;
mod doctor;
mod emit;
mod explain;
pub(crate) mod hook;
mod hooks;
mod import;
mod init;
mod model;
mod profile;
pub(crate) mod prove;
mod replay;
mod schema;
mod trust;
mod uninstall;

use std::process::ExitCode;

use crate::arguments::Command;
use crate::error::CliError;
use crate::person;
use crate::printer::{self, Printer};

pub(crate) fn run(command: Command) -> ExitCode {
    let printer = Printer::stdout();
    let written = match person::check(&command) {
        Ok(written) => written,
        Err(error) => {
            printer::write_error(&error.shown());
            return ExitCode::from(error.exit_code());
        }
    };
    let ended = match command {
        Command::Init(arguments) => init::run(&arguments, &printer),
        Command::Uninstall(arguments) => uninstall::run(&arguments, &printer),
        Command::Doctor(arguments) => doctor::run(&arguments, &printer),
        Command::Hook(arguments) => return hook::parsed(arguments),
        Command::Emit(arguments) => emit::run(&arguments, &printer),
        Command::Hooks(command) => hooks::run(&command, &printer),
        Command::Context(command) => context::run(&command, &printer),
        Command::Import(arguments) => import::run(&arguments, &printer),
        Command::Trust(arguments) => trust::run(&arguments, &printer),
        Command::Profile(command) => profile::run(&command, &printer),
        Command::Approvals(command) => approvals::run(&command, &printer),
        Command::Audit(command) => audit::run(&command, &printer),
        Command::Explain(arguments) => explain::run(&arguments, &printer),
        Command::Replay(arguments) => replay::run(&arguments, &printer),
        Command::Prove(arguments) => prove::run(&arguments, &printer),
        Command::Chat(arguments) => tenter_chat::run(&arguments, &printer),
        Command::Memory(command) => tenter_memory_commands::run_memory(&command, &printer),
        Command::Ghap(command) => tenter_memory_commands::run_ghap(&command, &printer),
        Command::Mcp(arguments) => tenter_memory_commands::run_mcp(&arguments, &printer),
        Command::Model(arguments) => model::run(&arguments, &printer),
        Command::Schema(arguments) => schema::run(&arguments, &printer),
        Command::Demo(arguments) => demo::run(&arguments, &printer),
    };
    if let Some(written) = written {
        written.accept();
    }
    let ended = match printer.failure() {
        Some(error) => Err(CliError::output_not_written(error)),
        None => ended,
    };
    match ended {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            printer::write_error(&error.shown());
            ExitCode::from(error.exit_code())
        }
    }
}
