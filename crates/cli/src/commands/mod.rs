//! One file per command.

pub(crate) mod hook;
mod init;
mod uninstall;
mod settings;
mod several;
mod summary;
mod here;
mod moved_folders;
mod installed;
mod routes;
mod consent;
mod switched_off;
mod protection;
mod memory_hooks;
mod servers;
mod carrying;
mod doctor;
mod emit;
mod event_data;
mod hooks;
mod context;
mod import;
mod import_rules;
mod trust;
mod profile;
mod change;
mod person;
mod approvals;
mod audit;
mod explain;
mod replay;
mod prove;
mod chat;
mod memory;
mod ghap;
mod mcp;
mod model;
mod schema;
mod demo;

pub(crate) use approvals::ApprovalError;
pub(crate) use chat::ChatError;
pub(crate) use memory::MemoryFailure;
pub(crate) use moved_folders::MovedFolders;
pub(crate) use prove::ProofError;

use std::process::ExitCode;

use tenter_contract::ports::AgentAdapter;
use tenter_contract::similar;
use tenter_host::Places;
use tenter_host::trust::project::home_here;
use tenter_store::StateFolder;

use crate::arguments::{AuditCommand, Command, ContextCommand, HooksCommand, ProfileCommand};
use crate::error::CliError;
use crate::printer::{self, Printer};

/// What a command comes to: an exit code, or an error that is shown.
pub(crate) type Ended = Result<u8, CliError>;

/// Runs a command.
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
        Command::Hooks(HooksCommand::List(arguments)) => hooks::list::run(&arguments, &printer),
        Command::Hooks(HooksCommand::Check(arguments)) => hooks::check::run(&arguments, &printer),
        Command::Hooks(HooksCommand::Show(arguments)) => hooks::show::run(&arguments, &printer),
        Command::Hooks(HooksCommand::Test(arguments)) => hooks::test::run(&arguments, &printer),
        Command::Context(ContextCommand::Show(arguments)) => context::show(&arguments, &printer),
        Command::Import(arguments) => import::run(&arguments, &printer),
        Command::Hooks(HooksCommand::Explain(arguments)) => hooks::explain::run(&arguments, &printer),
        Command::Hooks(HooksCommand::Accept(arguments)) => hooks::accept::run(&arguments, &printer),
        Command::Hooks(HooksCommand::New(arguments)) => hooks::new::run(&arguments, &printer),
        Command::Hooks(HooksCommand::Disable(arguments)) => hooks::switch::run(&arguments, true, &printer),
        Command::Hooks(HooksCommand::Enable(arguments)) => hooks::switch::run(&arguments, false, &printer),
        Command::Hooks(HooksCommand::Stats(arguments)) => hooks::stats::run(&arguments, &printer),
        Command::Trust(arguments) => trust::run(&arguments, &printer),
        Command::Profile(ProfileCommand::List(arguments)) => profile::list(&arguments, &printer),
        Command::Profile(ProfileCommand::Use(arguments)) => profile::choose(&arguments, &printer),
        Command::Profile(ProfileCommand::Show(arguments)) => profile::show(&arguments, &printer),
        Command::Approvals(command) => approvals::run(&command, &printer),
        Command::Audit(AuditCommand::Show(arguments)) => audit::show::run(&arguments, &printer),
        Command::Audit(AuditCommand::Verify(arguments)) => audit::verify::run(&arguments, &printer),
        #[cfg(feature = "otel")]
        Command::Audit(AuditCommand::Export(arguments)) => audit::export::run(&arguments, &printer),
        Command::Audit(AuditCommand::Sessions(arguments)) => audit::sessions::run(&arguments, &printer),
        Command::Audit(AuditCommand::Anchor) => audit::anchor::run(&printer),
        Command::Explain(arguments) => explain::run(&arguments, &printer),
        Command::Replay(arguments) => replay::run(&arguments, &printer),
        Command::Prove(arguments) => prove::run(&arguments, &printer),
        Command::Chat(arguments) => chat::run(&arguments, &printer),
        Command::Memory(command) => memory::run(&command, &printer),
        Command::Ghap(command) => ghap::run(&command, &printer),
        Command::Mcp(arguments) => mcp::run(&arguments, &printer),
        Command::Model(arguments) => model::run(&arguments, &printer),
        Command::Schema(arguments) => schema::run(&arguments, &printer),
        Command::Demo(arguments) => demo::run(&arguments, &printer),
    };
    if let Some(written) = written {
        written.accept();
    }
    let ended = match printer.failure() {
        Some(error) => Err(CliError::Unwritten(error)),
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

/// The adapter of an agent.
fn agent(name: &str) -> Result<&'static dyn AgentAdapter, CliError> {
    tenter_adapters::by_name(name).ok_or_else(|| {
        let known: Vec<String> = tenter_adapters::names().map(|name| name.to_string()).collect();
        let suggestion = similar::nearest(name, known.iter().map(String::as_str)).map(str::to_owned);
        CliError::UnknownAgent { name: name.to_owned(), suggestion, known }
    })
}

/// The folder of the trail.
fn state() -> Result<StateFolder, CliError> {
    Places::of_process().state().ok_or(CliError::NoState)
}

/// Why there is no project here.
fn no_project() -> CliError {
    home_here().map_or(CliError::NoProject, |home| CliError::OnlyHome { home: home.display().to_string() })
}

/// A value as JSON on one line.
fn json_line(value: &impl serde::Serialize) -> String {
    escaped_json(&serde_json::to_string(value).unwrap_or_default())
}

/// JSON in which characters that nobody sees are escaped: it says the same to a program, and the printer leaves it.
pub(crate) fn escaped_json(json: &str) -> String {
    use std::fmt::Write;

    use tenter_contract::terminal::{is_hidden, is_symbol};
    let mut escaped = String::with_capacity(json.len());
    let mut before = ' ';
    for c in json.chars() {
        let stays = c == '\n' || c == '\t' || c == '\u{fe0f}' && is_symbol(before);
        before = c;
        if !stays && (c.is_control() || is_hidden(c)) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a String cannot fail.
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        } else {
            escaped.push(c);
        }
    }
    escaped
}
