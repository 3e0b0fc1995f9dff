//! `tenter replay RECORD|SESSION`: runs today's hooks on recorded events and shows the differences.

mod compare;
mod question;
mod texts;
mod replay_executor;
pub(crate) mod render;
pub(crate) mod runtime;

use std::collections::BTreeSet;
use std::iter;

use serde::Serialize;
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

/// Exit code 1 if there are differences.
pub(crate) fn run(arguments: &ReplayArguments, printer: &Printer) -> CommandResult {
    let chosen = Chosen::parse(&arguments.what)?;
    let mut runtime = ReplayRuntime::new(&arguments.config, arguments.run, &chosen)?;
    if !arguments.json {
        render::begin(&chosen, arguments.run, printer);
    }
    let mut all = Vec::new();
    for Recorded { record, related } in &chosen.events {
        let Some(compared) = runtime.play(record, related)? else { continue };
        if !arguments.json {
            render::print(&compared, printer);
        }
        all.push(compared);
    }
    let summary = Summary::new(&all, runtime.problems());
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

/// An event's record with its related records: questions, injections, failures.
pub(crate) struct Recorded {
    record: RecordV1,
    related: Vec<RecordV1>,
}

impl Chosen {
    /// A number is a record; anything else, or a number without a record, is a session id.
    fn parse(what: &str) -> Result<Self, CliError> {
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
                format!("it is a `{event}`, which hooks are not asked about"),
                format!("run `tenter explain {seq}` to see it, or `tenter audit show` to list events"),
            ));
        }
        if record.delivered_first.is_some() {
            let first = FirstDeliveries::find(iter::once(&record))?.number(&record);
            let hint = match first {
                Some(number) => format!("run `tenter replay {number}` to replay the first delivery"),
                None => "the trail does not have the record of its first delivery".to_owned(),
            };
            let detail = "it is the second delivery of a call, whose hooks were asked at the first";
            return Err(CliError::bad_input(format!("record {}", record.seq), detail, hint));
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

    /// The related records follow an event's record; its questions come before it.
    fn events(filter: Filter) -> Result<Vec<Recorded>, CliError> {
        let mut events: Vec<Recorded> = Vec::new();
        let mut questions: Vec<RecordV1> = Vec::new();
        for record in trail::records(filter)? {
            let record = record?;
            if record.recalled().is_some() {
                let related = questions.extract_if(.., |question| asks_about(question, &record)).collect();
                events.push(Recorded { record, related });
            } else if record.approval.is_some() {
                questions.push(record);
            } else if let Some(last) = events.last_mut()
                && record.timestamp == last.record.timestamp
            {
                last.related.push(record);
            }
        }
        Ok(events)
    }
}

/// Hook lists have each hook once.
#[derive(Serialize)]
pub(crate) struct Summary {
    events: usize,
    different: usize,
    in_part: usize,
    not_run: Vec<String>,
    unsure: Vec<String>,
    rewritten: Vec<String>,
    unknown: Vec<String>,
    problems: Vec<String>,
}

impl Summary {
    fn new(all: &[Compared], problems: Vec<String>) -> Self {
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
            unknown: once(|it| &it.unknown),
            problems,
        }
    }
}
