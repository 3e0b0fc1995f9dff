//! `tenter doctor`: checks the installation and suggests repairs.

mod check;
mod program;
mod agents;
mod versions;
mod home;
mod hook_files;
mod protection;
mod memory;
mod state;
mod writing;
mod latency;

use serde_json::json;
use tenter_host::Places;

use crate::arguments::JsonArgument;
use crate::commands::doctor::check::{Check, Grade};
use crate::error::{CommandResult, exit};
use crate::listing::counted;
use crate::printer::{Printer, Tone, json_line};
use crate::progress::while_waiting;

/// Exit code 1 if there is a problem. A warning does not change it.
pub(crate) fn run(arguments: &JsonArgument, printer: &Printer) -> CommandResult {
    let checks = while_waiting("looking at agents, hooks and records …", all);
    let problems = count(&checks, Grade::Problem);
    if arguments.json {
        printer.line(json_line(&json!({"v": 1, "healthy": problems == 0, "checks": checks})));
    } else {
        print(&checks, problems, printer);
    }
    Ok(if problems == 0 { 0 } else { exit::FINDING })
}

fn all() -> Vec<Check> {
    let places = Places::of_process();
    let program = program::own();
    let (of_agents, entries) = agents::check(program.as_deref());
    [
        program::check(program.as_deref()),
        agents::check_any_calls(&of_agents, &entries),
        of_agents,
        home::check(&places),
        hook_files::check(&places),
        protection::check(&places, &entries),
        memory::check(&places, &entries),
        state::check(&places),
        latency::check(program.as_deref(), &entries),
        program::check_platform(),
    ]
    .concat()
}

fn print(checks: &[Check], problems: usize, printer: &Printer) {
    let width = checks.iter().map(|check| check.about.len()).max().unwrap_or(0);
    for check in checks {
        let grade = printer.tone(check.grade.tone(), format!("{:7}", check.grade.as_str()));
        printer.line(format!("{grade}  {:width$}  {}", check.about, check.finding));
        if let Some(repair) = &check.repair {
            printer.line(format!("{:9}{:width$}  {} {repair}", "", "", printer.tone(Tone::Quiet, "->")));
        }
    }
    printer.gap();
    let warnings = count(checks, Grade::Warning);
    let (tone, found) = match (problems, warnings) {
        (0, 0) => (Tone::Good, "no problem found".to_owned()),
        (0, _) => (Tone::Caution, "no problem found".to_owned()),
        (some, _) => (Tone::Bad, format!("{} found", counted(some as u64, "problem"))),
    };
    let warned =
        if warnings == 0 { String::new() } else { format!(", {}", counted(warnings as u64, "warning")) };
    printer.line(printer.tone(tone, format!("{found}{warned}")));
}

fn count(checks: &[Check], grade: Grade) -> usize {
    checks.iter().filter(|check| check.grade == grade).count()
}
