//! `tenter demo`: an agent works in a small project with hooks.
//!
//! The agent is `tenter chat` in its own process, with real tools, hooks and records; another process answers
//! questions with `tenter approvals watch`. Only the model follows a script. The script checks its requests: without
//! the linter's finding in the next request, the demo fails.

mod project;
mod story;

use std::time::Instant;

use tenter_store::StateFolder;
use tenter_store::audit::read::{Content, Filter, read};
use tenter_store::audit::verify::verify;

use crate::arguments::DemoArguments;
use crate::commands::audit::show;
use crate::commands::audit::verify::print;
use crate::commands::demo::project::Project;
use crate::commands::demo::story::Story;
use crate::commands::explain;
use crate::error::{CliError, CommandResult};
use crate::listing::indented;
use crate::printer::{Printer, Tone};
use crate::trail::deliveries::FirstDeliveries;

const PROMPT: &str = "Write a release script, let production use db-2, and publish. Release it.";

pub(crate) fn run(arguments: &DemoArguments, printer: &Printer) -> CommandResult {
    let started = Instant::now();
    let mut project = Project::create()?;
    printer.line(printer.tone(Tone::Heading, "An agent works in a small project, and hooks watch it"));
    printer.line("Its model plays a script; tools, hooks, the person who is asked and the record are real.");
    printer.line("Four hooks: git-status, shell-lint (a real linter), production-guard, safe-push.");
    if arguments.keep {
        printer.line(format!("Its project, hooks and trail stay in {}", project.keep().display()));
    }
    printer.gap();
    printer.line(format!("> {PROMPT}"));
    let mut story = Story::default();
    project.work(PROMPT, |line| story.print(&line, printer))?;
    let session = story.check().map_err(CliError::demo_failed)?;
    let state = project.state();
    let asked = record(&state, printer)?;
    printer.gap();
    printer.line(
        printer.tone(Tone::Heading, format!("Why was production not touched? (tenter explain {asked})")),
    );
    if let Some(record) = tenter_store::audit::read::read_one(&state, asked)? {
        explain::print(record, printer);
    }
    printer.gap();
    printer.line(
        printer.tone(Tone::Heading, "What is in the model's context from hooks? (tenter context show)"),
    );
    printer.line(indented(project.tenter(&["context", "show", "--session", &session])?.trim_end(), "   "));
    check(&state, printer)?;
    printer.gap();
    printer.line(format!("{:.1} seconds, no key, no network, no daemon.", started.elapsed().as_secs_f64()));
    Ok(0)
}

/// Prints the trail and returns the number of the record that denied.
fn record(state: &StateFolder, printer: &Printer) -> Result<u64, CliError> {
    printer.gap();
    printer.line(printer.tone(Tone::Heading, "The record of it all (tenter audit show)"));
    let mut denied = 0;
    let (mut rows, mut others) = (Vec::new(), 0);
    for entry in read(state, Filter::default())? {
        if let Content::Record(record) = entry?.content {
            if record.decision.as_ref().is_some_and(|decision| decision.verdict == "deny") {
                denied = record.seq;
            }
            let row = show::row(&record, &FirstDeliveries::default());
            if record.hooks.is_empty() && record.decision.is_some() {
                others += 1;
            } else {
                rows.push(row);
            }
        }
    }
    printer.table(&rows);
    printer.line(format!("and {others} events that concerned no hook"));
    Ok(denied)
}

/// Verifies the trail, and then a copy with one changed byte.
fn check(state: &StateFolder, printer: &Printer) -> Result<(), CliError> {
    printer.gap();
    printer.line(printer.tone(Tone::Heading, "Is it still what was written? (tenter audit verify)"));
    let verification = verify(state)?;
    print(&verification, printer);
    if !verification.is_sound() {
        return Err(CliError::demo_failed("the trail does not verify"));
    }
    let forged = project::with_one_byte_changed(state)?;
    let verification = verify(&StateFolder::new(forged.path().to_path_buf()))?;
    printer.line("and after changing one letter of the denied call in a copy:");
    print(&verification, printer);
    if verification.is_sound() {
        return Err(CliError::demo_failed("a changed byte was not found"));
    }
    Ok(())
}
