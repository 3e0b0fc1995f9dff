//! `tenter replay RECORD|SESSION`: recorded events, asked of today's hooks, and what would be different.

mod compare;
mod question;
mod texts;
mod replay_executor;
pub(crate) mod render;
pub(crate) mod runtime;

use std::collections::BTreeSet;
use std::iter;

use tenter_contract::SessionId;
use tenter_protocol::v1::record::RecordV1;
use tenter_store::audit::read::Filter;

use crate::arguments::{ReplayArguments, WhichRecord};
use crate::commands::explain::asks_about;
use crate::commands::replay::compare::Compared;
use crate::commands::replay::runtime::ReplayRuntime;
use crate::error::{CliError, CommandResult, exit};
use crate::places::state;
use crate::printer::{Printer, json_line};
use crate::trail;
use crate::trail::deliveries::FirstDeliveries;

/// Asks today's hooks and shows what they would do. Exit code 1 if that is something else than then.
pub(crate) fn run(arguments: &ReplayArguments, printer: &Printer) -> CommandResult {
    let chosen = Chosen::by(&arguments.what)?;
    let mut runtime = ReplayRuntime::set(&arguments.config, arguments.run, &chosen)?;
    if !arguments.json {
        render::begin(&chosen, arguments.run, printer);
    }
    let mut all = Vec::new();
    for Recorded { record, beside } in &chosen.events {
        let Some(compared) = runtime.play(record, beside)? else { continue };
        if !arguments.json {
            render::print(&compared, printer);
        }
        all.push(compared);
    }
    let summary = Summary::of(&all, runtime.problems());
    if arguments.json {
        printer.line(json_line(&render::as_json(&all, &summary, arguments.run)));
    } else {
        render::end(&summary, printer);
        trail::warn_if_broken(&state()?, printer);
    }
    Ok(if summary.different > 0 { exit::FINDING } else { 0 })
}

pub(crate) struct Chosen {
    session: Option<String>,
    events: Vec<Recorded>,
}

/// An event's record, and those that were written together with it.
pub(crate) struct Recorded {
    record: RecordV1,
    beside: Vec<RecordV1>,
}

impl Chosen {
    /// A number is a record; anything else is a session, which may have a number for an id if no record has it.
    fn by(what: &str) -> Result<Self, CliError> {
        let number = what.parse().ok();
        match (what, number) {
            ("last", _) => Self::one(trail::find(WhichRecord::Last, None)?),
            (_, Some(number)) => match trail::find(WhichRecord::Number(number), None) {
                Err(error) => Self::session(what).map_err(|_| error),
                Ok(found) => Self::one(found),
            },
            (session, None) => Self::session(session),
        }
    }

    fn one(record: RecordV1) -> Result<Self, CliError> {
        if record.recalled().is_none() {
            let RecordV1 { seq, event, .. } = record;
            return Err(CliError::bad_input(
                format!("record {seq}"),
                format!("it is a `{event}`, and no event that hooks are asked about"),
                format!("`tenter explain {seq}` shows what it is; `tenter audit show` lists events"),
            ));
        }
        if record.delivered_first.is_some() {
            let first = FirstDeliveries::of(iter::once(&record))?.number(&record);
            let hint = match first {
                Some(number) => format!("`tenter replay {number}` replays that"),
                None => "the trail does not have the record of its first delivery".to_owned(),
            };
            return Err(CliError::bad_input(
                format!("record {}", record.seq),
                "it is the second delivery of a call, whose hooks were asked at the first",
                hint,
            ));
        }
        let filter = Filter { session: Some(record.session_id.clone()), ..Filter::default() };
        let all = Self::events(filter)?;
        Ok(Self { session: None, events: all.into_iter().filter(|it| it.record.seq == record.seq).collect() })
    }

    fn session(id: &str) -> Result<Self, CliError> {
        let filter = Filter { session: Some(id.to_owned()), ..Filter::default() };
        let events = if SessionId::parse(id).is_some() { Self::events(filter)? } else { Vec::new() };
        if events.is_empty() {
            return Err(trail::sessions::without_event(id));
        }
        Ok(Self { session: Some(id.to_owned()), events })
    }

    /// What follows an event's record and is no event was written together with it, and what was asked about it
    /// is before it.
    fn events(filter: Filter) -> Result<Vec<Recorded>, CliError> {
        let mut events: Vec<Recorded> = Vec::new();
        let mut questions: Vec<RecordV1> = Vec::new();
        for record in trail::records(filter)? {
            let record = record?;
            if record.recalled().is_some() {
                let beside = questions.extract_if(.., |question| asks_about(question, &record)).collect();
                events.push(Recorded { record, beside });
            } else if record.approval.is_some() {
                questions.push(record);
            } else if let Some(last) = events.last_mut()
                && record.timestamp == last.record.timestamp
            {
                last.beside.push(record);
            }
        }
        Ok(events)
    }
}

pub(crate) struct Summary {
    events: usize,
    different: usize,
    in_part: usize,
    /// Hooks that were taken at their word, each once.
    not_run: Vec<String>,
    /// Those of them of which no one knows whether they are still the same, each once.
    unsure: Vec<String>,
    /// Hooks that are others than they were then, each once.
    rewritten: Vec<String>,
    /// Hooks of which no one knows what they would say, each once.
    undelivered: Vec<String>,
    problems: Vec<String>,
}

impl Summary {
    fn of(all: &[Compared], problems: Vec<String>) -> Self {
        let once = |of: fn(&Compared) -> &Vec<String>| {
            let hooks: BTreeSet<String> = all.iter().flat_map(of).cloned().collect();
            hooks.into_iter().collect::<Vec<String>>()
        };
        Self {
            events: all.len(),
            different: all.iter().filter(|it| it.differs()).count(),
            in_part: all.iter().filter(|it| !it.missing.is_empty()).count(),
            not_run: once(|it| &it.not_run),
            unsure: once(|it| &it.unsure),
            rewritten: once(|it| &it.rewritten),
            undelivered: once(|it| &it.undelivered),
            problems,
        }
    }
}
