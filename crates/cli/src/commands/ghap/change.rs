//! What is done with an entry.

use serde_json::json;
use tenter_ghap::{Entry, Resolution, Revision, Start};
use tenter_memory::{Kept, Resolved};

use super::super::memory::{Opened, shown};
use super::super::{Ended, json_line};
use super::who;
use crate::arguments::{
    GhapAbandonArguments, GhapAdoptArguments, GhapResolveArguments, GhapStartArguments, GhapUpdateArguments,
};
use crate::printer::{Printer, Tone};

/// `tenter ghap start`
pub(super) fn start(opened: &Opened, arguments: &GhapStartArguments, printer: &Printer) -> Ended {
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
    tell(&entry, "started:", arguments.who.json, printer);
    if !arguments.who.json {
        printer.line("`tenter ghap resolve confirmed|falsified --result TEXT` says how it came out");
    }
    Ok(0)
}

/// `tenter ghap update`
pub(super) fn update(opened: &Opened, arguments: &GhapUpdateArguments, printer: &Printer) -> Ended {
    let revision = Revision {
        hypothesis: arguments.hypothesis.clone(),
        action: arguments.action.clone(),
        prediction: arguments.prediction.clone(),
        strategy: arguments.strategy,
        note: arguments.note.clone(),
    };
    let entry = opened.memory.update_ghap(&who(opened, &arguments.who)?, &revision)?;
    tell(&entry, "updated:", arguments.who.json, printer);
    Ok(0)
}

/// `tenter ghap resolve`
pub(super) fn resolve(opened: &Opened, arguments: &GhapResolveArguments, printer: &Printer) -> Ended {
    let cause = arguments.cause.zip(arguments.because.clone());
    let resolution = Resolution {
        surprise: arguments.surprise.clone(),
        root_cause: cause.map(|(category, description)| (category.as_str().to_owned(), description)),
        lesson: arguments.worked.clone().map(|worked| (worked, arguments.takeaway.clone())),
        ..Resolution::new(arguments.outcome, arguments.result.as_str())
    };
    let resolved = opened.memory.resolve_ghap(&who(opened, &arguments.who)?, &resolution)?;
    tell_resolved(&resolved, arguments.who.json, printer);
    Ok(0)
}

/// `tenter ghap abandon`
pub(super) fn abandon(opened: &Opened, arguments: &GhapAbandonArguments, printer: &Printer) -> Ended {
    let (memory, who) = (&opened.memory, who(opened, &arguments.who)?);
    let resolved = match arguments.orphan.as_deref() {
        Some(id) => memory.abandon_orphan(&who, Some(&opened.project), Some(id), &arguments.reason)?,
        None => memory.abandon_ghap(&who, &arguments.reason)?,
    };
    tell_resolved(&resolved, arguments.who.json, printer);
    Ok(0)
}

/// `tenter ghap adopt`
pub(super) fn adopt(opened: &Opened, arguments: &GhapAdoptArguments, printer: &Printer) -> Ended {
    let who = who(opened, &arguments.who)?;
    let entry = opened.memory.adopt_orphan(&who, Some(&opened.project), arguments.id.as_deref())?;
    tell(&entry, "adopted:", arguments.who.json, printer);
    Ok(0)
}

fn tell(entry: &Entry, done: &str, as_json: bool, printer: &Printer) {
    if as_json {
        printer.line(json_line(entry));
    } else {
        printer.line(printer.tone(Tone::Good, done));
        shown::entry(entry, printer);
    }
}

fn tell_resolved(resolved: &Resolved, as_json: bool, printer: &Printer) {
    if as_json {
        let waiting = match &resolved.kept {
            Kept::Stored => None,
            Kept::Waiting { why } => Some(why),
        };
        printer.line(json_line(&json!({
            "entry": resolved.entry, "waiting": waiting, "remark": resolved.entry.remark(),
        })));
    } else {
        shown::kept(resolved, printer);
    }
}
