//! Prints the plan and the result of `init`. `--diff` shows every line.

use std::io::{self, BufRead, IsTerminal};

use crate::commands::init::agent::AgentPlan;
use crate::commands::init::{Agent, HookFile, Plan, limits};
use crate::install::settings::show_change;
use crate::install::summary::Summary;
use crate::install::user_hooks::UserHooks;
use crate::listing::{counted, on_one_line, visible};
use crate::printer::{self, Printer, Tone};

pub(crate) fn plan(plan: &Plan, diff: bool, printer: &Printer) {
    if diff {
        details(plan, printer);
    }
    printer.line(printer.tone(Tone::Heading, "Plan"));
    rows(&plan.agents, printer);
    additions(&plan.hook_file, printer);
    if let Some(off) = plan.hook_file.plan.as_ref().and_then(UserHooks::would_not_protect) {
        printer.line(format!("{} {off}", printer.tone(Tone::Caution, "will not protect:")));
    }
    warnings(plan);
    if !diff {
        printer.line("`--diff` shows every line.");
    }
}

/// Whether there is a person to ask. Scripts continue without a question.
pub(crate) fn is_attended() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}

pub(crate) fn confirm(printer: &Printer) -> bool {
    printer.bytes(b"\nWrite these changes? [Y/n] ");
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer).unwrap_or(0);
    // The end of the input is not a yes.
    read > 0 && matches!(answer.trim().to_ascii_lowercase().as_str(), "" | "y" | "yes")
}

pub(crate) fn result(plan: &Plan, diff: bool, printer: &Printer) {
    let Plan { agents, hook_file } = plan;
    if diff {
        details(plan, printer);
    }
    let plans = || agents.iter().filter_map(|agent| Some((agent, agent.plan.as_ref().ok()?)));
    let written = plans().any(|(_, plan)| plan.changes()) || !hook_file.added().is_empty();
    if written {
        let installed = plans().any(|(_, plan)| plan.calls_anew());
        let heading = printer.tone(Tone::Good, if installed { "Installed." } else { "Written." });
        let when = if installed { " Agents call tenter from their next session on." } else { "" };
        printer.line(format!("{heading}{when}"));
    } else if plans().next().is_some() {
        printer.line("Nothing to do.");
    }
    rows(agents, printer);
    additions(hook_file, printer);
    if let Some(why) = hook_file.plan.as_ref().and_then(UserHooks::unprotected) {
        printer.line(format!("{} {why}", printer.tone(Tone::Caution, "not protected:")));
    }
    let limits: Vec<Vec<String>> = plans()
        .filter(|(_, plan)| plan.changes())
        .filter_map(|(agent, plan)| {
            let limits = limits::in_short(plan.settings.agent, plan.settings.installer)?;
            Some(vec![format!("  {}", agent.title), limits])
        })
        .collect();
    if !limits.is_empty() && !diff {
        let heading = "Limits (`tenter init --diff` and docs/agents have the details)";
        printer.line(printer.tone(Tone::Heading, heading));
        printer.table(&limits);
    }
    for (Agent { title, .. }, plan) in plans() {
        for how in plan.to_do() {
            printer.line(format!("{} {title}: {how}", printer.tone(Tone::Caution, "To do:")));
        }
        for note in plan.entries.iter().flat_map(|entries| &entries.notes) {
            printer.line(format!("Note: {title}: {note}"));
        }
    }
    warnings(plan);
    if written {
        let undo = match agents.as_slice() {
            [Agent { plan: Ok(plan), .. }] => plan.settings.undo(plan.settings.scope),
            _ => "tenter uninstall".to_owned(),
        };
        printer.line(format!("Check with `tenter doctor`. Undo with `{undo}`."));
    }
}

fn rows(agents: &[Agent], printer: &Printer) {
    let weight = |agent: &&Agent| agent.plan.as_ref().map_or(2, |plan| plan.summary.weight());
    let (well, ill): (Vec<&Agent>, Vec<&Agent>) = agents.iter().partition(|agent| weight(agent) < 2);
    let row = |agent: &&Agent| {
        let plan = agent.plan.as_ref().ok()?;
        Some(vec![format!("  {}", agent.title), in_home(&plan.settings.path()), state(plan)])
    };
    printer.table(&well.iter().filter_map(row).collect::<Vec<_>>());
    for agent in ill {
        let why = match &agent.plan {
            Ok(plan) => state(plan),
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

fn state(plan: &AgentPlan) -> String {
    let events = counted(plan.settings.installer.events().len() as u64, "event");
    let memory = if plan.server.diff().is_empty() { "" } else { ", memory tools" };
    match &plan.summary {
        Summary::Installed | Summary::WouldInstall => format!("{events}{memory}"),
        Summary::Awaited => format!("{events}{memory}, waits for your consent"),
        Summary::CalledBy(file) => format!("called through {}{memory}", in_home(file)),
        Summary::Unchanged => format!("already set up{memory}"),
        Summary::NotCalled(why) | Summary::NotWritten(why) => format!("not called: {}", on_one_line(why)),
        Summary::Uninstalled | Summary::WouldUninstall => String::new(),
    }
}

fn additions(hook_file: &HookFile, printer: &Printer) {
    let row = |[name, purpose]: [&str; 2]| vec![format!("    {name}"), purpose.to_owned()];
    let rows: Vec<Vec<String>> = hook_file.added().into_iter().map(row).collect();
    if let Some(plan) = hook_file.plan.as_ref().filter(|_| !rows.is_empty()) {
        printer.line(format!("  Added to {}:", visible(&in_home(&plan.path()))));
        printer.table(&rows);
    }
}

fn details(plan: &Plan, printer: &Printer) {
    for agent in &plan.agents {
        let Ok(plan) = &agent.plan else { continue };
        printer.line(printer.tone(Tone::Heading, &agent.title));
        if let Some(entries) = &plan.entries {
            show_change(&entries.diff, printer);
            for (own, ours) in &entries.neighbours {
                let (own, ours) = (own.display(), ours.display());
                printer.line(format!("{own} is not tenter's and stays as it is; tenter's file is {ours}"));
            }
        }
        show_change(plan.server.diff(), printer);
        for limit in plan.entries.iter().flat_map(|entries| &entries.limits) {
            printer.line(format!("  cannot {limit}"));
        }
        printer.gap();
    }
    show_change(&plan.hook_file.plan.as_ref().map(UserHooks::diff).unwrap_or_default(), printer);
}

fn warnings(plan: &Plan) {
    for agent in &plan.agents {
        match &agent.plan {
            Ok(plan) => {
                if let Some(entries) = &plan.entries {
                    entries.ineffective.iter().chain(&entries.warnings).for_each(printer::warn);
                }
                plan.server.error.iter().for_each(|error| printer::write_error(error));
            }
            Err(error) => printer::write_error(&error.shown()),
        }
    }
    plan.hook_file.warnings.iter().for_each(printer::warn);
}
