//! What people see of `init`: a short plan, and what came of it. `--diff` shows every line.

use std::io::{self, BufRead, IsTerminal};

use crate::commands::init::agent::AgentReport;
use crate::commands::init::{Agent, HookFile, limits};
use crate::install::settings::show_change;
use crate::install::summary::Summary;
use crate::install::user_hooks::UserHooks;
use crate::listing::{counted, on_one_line, visible};
use crate::printer;
use crate::printer::{Printer, Tone};

pub(crate) fn plan(agents: &[Agent], hook_file: &HookFile, diff: bool, printer: &Printer) {
    details(agents, hook_file, diff, printer);
    printer.line(printer.tone(Tone::Heading, "Plan"));
    rows(agents, printer);
    additions(hook_file, printer);
    if let Some(off) = hook_file.plan.as_ref().and_then(UserHooks::would_not_protect) {
        printer.line(format!("{} {off}", printer.tone(Tone::Caution, "would not protect:")));
    }
    warnings(agents, hook_file);
    if !diff {
        printer.line("`--diff` shows every line.");
    }
}

/// Whether there is a person to ask: scripts go on without.
pub(crate) fn is_attended() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

pub(crate) fn agreed(printer: &Printer) -> bool {
    printer.bytes(b"\nWrite these changes? [Y/n] ");
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer).unwrap_or(0);
    // The end of the input is no yes.
    read > 0 && matches!(answer.trim().to_ascii_lowercase().as_str(), "" | "y" | "yes")
}

pub(crate) fn result(agents: &[Agent], hook_file: &HookFile, diff: bool, printer: &Printer) {
    details(agents, hook_file, diff, printer);
    let reports = || agents.iter().filter_map(|agent| agent.report.as_ref().ok());
    let written = reports().any(AgentReport::changes) || !hook_file.added().is_empty();
    if written {
        let installed = reports().any(AgentReport::calls_anew);
        let heading = printer.tone(Tone::Good, if installed { "Installed." } else { "Written." });
        let when = if installed { " Agents call tenter from their next session on." } else { "" };
        printer.line(format!("{heading}{when}"));
    } else if reports().next().is_some() {
        printer.line("Nothing to do.");
    }
    rows(agents, printer);
    additions(hook_file, printer);
    if let Some(why) = hook_file.plan.as_ref().and_then(UserHooks::unprotected) {
        printer.line(format!("{} {why}", printer.tone(Tone::Caution, "not protected:")));
    }
    let limits: Vec<Vec<String>> = agents
        .iter()
        .filter_map(|agent| Some((agent, agent.report.as_ref().ok()?)))
        .filter(|(_, report)| report.changes())
        .filter_map(|(agent, report)| {
            let limits = limits::in_short(report.settings.agent, report.settings.installer)?;
            Some(vec![format!("  {}", agent.title), limits])
        })
        .collect();
    if !limits.is_empty() && !diff {
        printer.line(
            printer.tone(Tone::Heading, "Limits (`tenter init --diff` and docs/agents have the details)"),
        );
        printer.table(&limits);
    }
    for agent in agents {
        for how in agent.report.as_ref().map(AgentReport::to_do).unwrap_or_default() {
            let (word, title) = (printer.tone(Tone::Caution, "To do:"), &agent.title);
            printer.line(format!("{word} {title}: {how}"));
        }
        let entries = agent.report.as_ref().ok().and_then(|report| report.entries.as_ref());
        for note in entries.map(|entries| entries.notes.as_slice()).unwrap_or_default() {
            printer.line(format!("Note: {}: {note}", agent.title));
        }
    }
    warnings(agents, hook_file);
    if written {
        let undo = undo(agents);
        printer.line(format!("Check with `tenter doctor`. Undo with `{undo}`."));
    }
}

fn undo(agents: &[Agent]) -> String {
    match agents {
        [Agent { report: Ok(report), .. }] => report.settings.undo(report.settings.scope),
        _ => "tenter uninstall".to_owned(),
    }
}

fn rows(agents: &[Agent], printer: &Printer) {
    let weight = |agent: &&Agent| agent.report.as_ref().map_or(2, |report| report.summary.weight());
    let (well, ill): (Vec<&Agent>, Vec<&Agent>) = agents.iter().partition(|agent| weight(agent) < 2);
    let row = |agent: &&Agent| {
        let report = agent.report.as_ref().ok()?;
        Some(vec![format!("  {}", agent.title), in_home(&report.settings.path()), state(report)])
    };
    let rows: Vec<Vec<String>> = well.iter().filter_map(row).collect();
    printer.table(&rows);
    for agent in ill {
        let why = match &agent.report {
            Ok(report) => state(report),
            Err(error) => format!("not written: {}", error.happened()),
        };
        let line = format!("  {}  {}", agent.title, visible(&on_one_line(&why)));
        printer.line(printer.tone(Tone::Bad, line));
    }
}

/// A path with `~` for the home folder.
fn in_home(path: &str) -> String {
    let home = std::env::var("HOME").unwrap_or_default();
    match path.strip_prefix(&home).filter(|rest| !home.is_empty() && rest.starts_with('/')) {
        Some(rest) => format!("~{rest}"),
        None => path.to_owned(),
    }
}

fn state(report: &AgentReport) -> String {
    let events = counted(report.settings.installer.events().len() as u64, "event");
    let memory = if report.served.diff.is_empty() { "" } else { ", memory tools" };
    match &report.summary {
        Summary::Installed | Summary::WouldInstall => format!("{events}{memory}"),
        Summary::Awaited => format!("{events}{memory}, waits for your consent"),
        Summary::CalledBy(file) => format!("called through {}{memory}", in_home(file)),
        Summary::Unchanged if memory.is_empty() => "already set up".to_owned(),
        Summary::Unchanged => format!("already set up{memory}"),
        Summary::NotCalled(why) | Summary::NotWritten(why) => format!("not called: {}", on_one_line(why)),
        Summary::Uninstalled | Summary::WouldUninstall => String::new(),
    }
}

fn additions(hook_file: &HookFile, printer: &Printer) {
    let rows: Vec<Vec<String>> = hook_file
        .added()
        .iter()
        .map(|[name, purpose]| vec![format!("    {name}"), (*purpose).to_owned()])
        .collect();
    if rows.is_empty() {
        return;
    }
    printer.line(format!(
        "  Added to {}:",
        visible(&in_home(&hook_file.plan.as_ref().map(UserHooks::path).unwrap_or_default()))
    ));
    printer.table(&rows);
}

fn details(agents: &[Agent], hook_file: &HookFile, wanted: bool, printer: &Printer) {
    if !wanted {
        return;
    }
    for agent in agents {
        let Ok(report) = &agent.report else { continue };
        printer.line(printer.tone(Tone::Heading, &agent.title));
        if let Some(entries) = &report.entries {
            show_change(&entries.diff, printer);
            for (own, ours) in &entries.beside {
                let (own, ours) = (own.display(), ours.display());
                printer.line(format!("{own} is not tenter's and stays as it is; tenter's file is {ours}"));
            }
        }
        show_change(&report.served.diff, printer);
        for limit in report.entries.as_ref().map(|entries| entries.limits.as_slice()).unwrap_or_default() {
            printer.line(format!("  cannot {limit}"));
        }
        printer.gap();
    }
    show_change(&hook_file.plan.as_ref().map(UserHooks::diff).unwrap_or_default(), printer);
}

fn warnings(agents: &[Agent], hook_file: &HookFile) {
    let warn = |warning: &str| printer::warn(&warning);
    for agent in agents {
        match &agent.report {
            Ok(report) => {
                if let Some(entries) = &report.entries {
                    entries.dead.iter().chain(&entries.warnings).for_each(|warning| warn(warning));
                }
                if let Some(error) = &report.served.error {
                    printer::write_error(error);
                }
            }
            Err(error) => printer::write_error(&error.shown()),
        }
    }
    hook_file.warnings.iter().for_each(|warning| warn(warning));
}
