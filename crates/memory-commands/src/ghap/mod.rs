//! `tenter ghap`: tracked hypotheses (goal, hypothesis, action, prediction).

mod list;
mod show;

use serde_json::json;
use tenter_contract::SessionId;
use tenter_ghap::{Entry, Resolution, Revision, Start, Who};
use tenter_memory::{Resolved, StoreStatus};

use crate::arguments::{
    GhapAbandonArguments, GhapAdoptArguments, GhapCommand, GhapResolveArguments, GhapStartArguments,
    GhapUpdateArguments, WhoArguments,
};
use crate::error::CommandResult;
use crate::{Opened, render};
use tenter_console::error::CliError;
use tenter_console::printer::{Printer, Tone, json_line};

pub(crate) fn run(command: &GhapCommand, printer: &Printer) -> CommandResult {
    let opened = Opened::here()?;
    let ended = match command {
        GhapCommand::Start(arguments) => start(&opened, arguments, printer),
        GhapCommand::Update(arguments) => update(&opened, arguments, printer),
        GhapCommand::Resolve(arguments) => resolve(&opened, arguments, printer),
        GhapCommand::Abandon(arguments) => abandon(&opened, arguments, printer),
        GhapCommand::Adopt(arguments) => adopt(&opened, arguments, printer),
        GhapCommand::Show(arguments) => show::run(&opened, arguments, printer),
        GhapCommand::List(arguments) => list::run(&opened, arguments, printer),
    };
    opened.print_notices();
    ended
}

fn who(opened: &Opened, arguments: &WhoArguments) -> Result<Who, CliError> {
    let session = match &arguments.session {
        Some(id) => SessionId::parse(id).ok_or_else(|| {
            CliError::bad_input("`--session`", "it is empty", "`tenter ghap show` has the sessions")
        })?,
        None => opened.sessions()?.current(None),
    };
    Ok(Who::sub_agent(session, arguments.agent_id.as_deref().unwrap_or_default()))
}

fn start(opened: &Opened, arguments: &GhapStartArguments, printer: &Printer) -> CommandResult {
    let start = Start {
        domain: arguments.domain,
        strategy: arguments.strategy,
        goal: arguments.goal.clone(),
        hypothesis: arguments.hypothesis.clone(),
        action: arguments.action.clone(),
        prediction: arguments.prediction.clone(),
    };
    let who = who(opened, &arguments.who)?;
    let entry = opened.memory.start_ghap(&who, Some(&opened.project), &start)?;
    print_entry(&entry, "started:", arguments.who.json, printer);
    if !arguments.who.json {
        printer.line("`tenter ghap resolve confirmed|falsified --result TEXT` says how it came out");
    }
    Ok(0)
}

fn update(opened: &Opened, arguments: &GhapUpdateArguments, printer: &Printer) -> CommandResult {
    let revision = Revision {
        hypothesis: arguments.hypothesis.clone(),
        action: arguments.action.clone(),
        prediction: arguments.prediction.clone(),
        strategy: arguments.strategy,
        note: arguments.note.clone(),
    };
    let entry = opened.memory.update_ghap(&who(opened, &arguments.who)?, &revision)?;
    print_entry(&entry, "updated:", arguments.who.json, printer);
    Ok(0)
}

fn resolve(opened: &Opened, arguments: &GhapResolveArguments, printer: &Printer) -> CommandResult {
    let cause = arguments.cause.zip(arguments.because.clone());
    let resolution = Resolution {
        surprise: arguments.surprise.clone(),
        root_cause: cause.map(|(category, description)| (category.as_str().to_owned(), description)),
        lesson: arguments.worked.clone().map(|worked| (worked, arguments.takeaway.clone())),
        ..Resolution::new(arguments.outcome, arguments.result.as_str())
    };
    let resolved = opened.memory.resolve_ghap(&who(opened, &arguments.who)?, &resolution)?;
    print_resolved(&resolved, arguments.who.json, printer);
    Ok(0)
}

fn abandon(opened: &Opened, arguments: &GhapAbandonArguments, printer: &Printer) -> CommandResult {
    let (memory, who) = (&opened.memory, who(opened, &arguments.who)?);
    let resolved = match arguments.orphan.as_deref() {
        Some(id) => memory.abandon_orphan(&who, Some(&opened.project), Some(id), &arguments.reason)?,
        None => memory.abandon_ghap(&who, &arguments.reason)?,
    };
    print_resolved(&resolved, arguments.who.json, printer);
    Ok(0)
}

fn adopt(opened: &Opened, arguments: &GhapAdoptArguments, printer: &Printer) -> CommandResult {
    let who = who(opened, &arguments.who)?;
    let entry = opened.memory.adopt_orphan(&who, Some(&opened.project), arguments.id.as_deref())?;
    print_entry(&entry, "adopted:", arguments.who.json, printer);
    Ok(0)
}

fn print_entry(entry: &Entry, done: &str, as_json: bool, printer: &Printer) {
    if as_json {
        printer.line(json_line(entry));
    } else {
        printer.line(printer.tone(Tone::Good, done));
        render::entry(entry, printer);
    }
}

fn print_resolved(resolved: &Resolved, as_json: bool, printer: &Printer) {
    if as_json {
        let waiting = match &resolved.store_status {
            StoreStatus::Stored => None,
            StoreStatus::Waiting { why } => Some(why),
        };
        printer.line(json_line(&json!({
            "entry": resolved.entry, "waiting": waiting, "remark": resolved.entry.remark(),
        })));
    } else {
        render::kept(resolved, printer);
    }
}
