//! `tenter trust`: trusts the hooks of a project. They run only as the user has seen them.

mod show;

use std::io::{self, IsTerminal};

use tenter_contract::HookChange;
use tenter_host::trust::project::{here, trusted_around};
use tenter_host::trust::{ProjectHooks, TrustStatus};
use tenter_host::{Layers, Places};

use crate::arguments::{TrustArguments, TrustCommand};
use crate::change_log;
use crate::confirm;
use crate::error::{CliError, CommandResult, exit};
use crate::listing::{counted, visible};
use crate::places::no_project;
use crate::printer::{Printer, Tone};

pub(crate) fn run(arguments: &TrustArguments, printer: &Printer) -> CommandResult {
    let project = project()?;
    match &arguments.command {
        Some(TrustCommand::Show(wanted)) => Ok(show::run(&project, wanted.json, printer)),
        Some(TrustCommand::Revoke) => revoke(&project, printer),
        None => trust(&project, arguments, printer),
    }
}

fn project() -> Result<ProjectHooks, CliError> {
    let root = here().or_else(trusted_around).ok_or_else(no_project)?;
    Layers::read(&Places::from_environment(None), Some(&root)).project.ok_or(CliError::no_project())
}

fn trust(project: &ProjectHooks, arguments: &TrustArguments, printer: &Printer) -> CommandResult {
    if arguments.pin.is_some() && project.status == TrustStatus::Nothing {
        return Err(CliError::nothing_pinned(visible(&project.root().display().to_string())));
    }
    if let Some(pin) = &arguments.pin
        && !pin.eq_ignore_ascii_case(&project.content)
    {
        return Err(CliError::pin_mismatch(pin.clone(), project.content.clone()));
    }
    match project.status {
        TrustStatus::Nothing => {
            printer.line("this project has no hooks, so there is nothing to trust");
            return Ok(0);
        }
        TrustStatus::Trusted => {
            printer.line("this project is already trusted as it is; run `tenter trust show` to see it");
            return Ok(0);
        }
        TrustStatus::Never | TrustStatus::Changed(_) | TrustStatus::Damaged => {}
    }
    show::print(project, printer);
    if !agree(project, arguments, printer)? {
        printer.line("nothing was trusted");
        return Ok(exit::FINDING);
    }
    let at = change_log::now();
    project.trust(at.unix_ms).map_err(|cause| CliError::not_written("the trust in this project", cause))?;
    change_log::record(HookChange::Trusted {
        project: project.root().display().to_string(),
        content: project.content.clone(),
        runners: project.pins.unpinned().map(str::to_owned).collect(),
    })?;
    printer.line(
        printer.tone(Tone::Good, "trusted: these hooks run from now on, until any of these files changes"),
    );
    printer.line("run `tenter trust revoke` to revoke it");
    Ok(0)
}

/// Whether the user agreed to everything; an error if there is no terminal to ask.
fn agree(project: &ProjectHooks, arguments: &TrustArguments, printer: &Printer) -> Result<bool, CliError> {
    let terminal = io::stdin().is_terminal();
    let answered = arguments.yes || arguments.pin.is_some();
    let unpinned: Vec<String> = project.pins.unpinned().map(str::to_owned).collect();
    if !answered && !terminal {
        return Err(CliError::needs_answer(format!("tenter trust --pin {}", project.content)));
    }
    if !unpinned.is_empty() && !terminal {
        return Err(CliError::unpinnable(&unpinned));
    }
    if !answered && !confirm::typed_yes("Type `yes` to let these hooks run here: ", printer) {
        return Ok(false);
    }
    if !unpinned.is_empty() {
        let question = format!(
            "`{}` runs files that no hash covers. Type `yes` to allow that too: ",
            unpinned.join("`, `")
        );
        return Ok(confirm::typed_yes(&question, printer));
    }
    Ok(true)
}

fn revoke(project: &ProjectHooks, printer: &Printer) -> CommandResult {
    let contents = project
        .revoke()
        .map_err(|cause| CliError::not_written("that trust in this project is revoked", cause))?;
    if contents == 0 {
        printer.line("nothing of this project was trusted");
        return Ok(0);
    }
    change_log::record(HookChange::Revoked { project: project.root().display().to_string(), contents })?;
    let count = counted(contents as u64, "content");
    printer.line(format!("trust in this project is revoked ({count}); none of its hooks runs"));
    Ok(0)
}
