//! `tenter replay RECORD|SESSION`: recorded events, asked of today's hooks, and what would be different.

mod compare;
mod question;
mod shown;
mod stage;
mod texts;
mod understudy;

use std::collections::BTreeSet;
use std::iter;

use tenter_contract::SessionId;
use tenter_protocol::v1::record::RecordV1;
use tenter_store::audit::read::Filter;

use self::compare::Compared;
use self::stage::Stage;
use super::audit::deliveries::FirstDeliveries;
use super::explain::asks_about;
use super::{Ended, audit, json_line, state};
use crate::arguments::{ReplayArguments, WhichRecord};
use crate::error::{CliError, exit};
use crate::printer::Printer;

/// Asks today's hooks and shows what they would do. Exit code 1 if that is something else than then.
pub(crate) fn run(arguments: &ReplayArguments, printer: &Printer) -> Ended {
    let chosen = Chosen::by(&arguments.what)?;
    let mut stage = Stage::set(&arguments.config, arguments.run, &chosen)?;
    if !arguments.json {
        shown::begin(&chosen, arguments.run, printer);
    }
    let mut all = Vec::new();
    for Recorded { record, beside } in &chosen.events {
        let Some(compared) = stage.play(record, beside)? else { continue };
        if !arguments.json {
            shown::tell(&compared, printer);
        }
        all.push(compared);
    }
    let summary = Summary::of(&all, stage.problems());
    if arguments.json {
        printer.line(json_line(&shown::as_json(&all, &summary, arguments.run)));
    } else {
        shown::end(&summary, printer);
        audit::warn_if_broken(&state()?, printer);
    }
    Ok(if summary.different > 0 { exit::FINDING } else { 0 })
}

/// The events to be replayed.
struct Chosen {
    /// The session, if all of its events were asked for.
    session: Option<String>,
    events: Vec<Recorded>,
}

/// An event's record, and those that were written together with it.
struct Recorded {
    record: RecordV1,
    beside: Vec<RecordV1>,
}

impl Chosen {
    /// A number is a record; anything else is a session, which may have a number for an id if no record has it.
    fn by(what: &str) -> Result<Self, CliError> {
        let number = what.parse().ok();
        match (what, number) {
            ("last", _) => Self::one(audit::find(WhichRecord::Last, None)?),
            (_, Some(number)) => match audit::find(WhichRecord::Number(number), None) {
                Err(CliError::NoSuchRecord { .. }) => {
                    Self::session(what).map_err(|_| CliError::NoSuchRecord { seq: number, session: None })
                }
                found => Self::one(found?),
            },
            (session, None) => Self::session(session),
        }
    }

    fn one(record: RecordV1) -> Result<Self, CliError> {
        if record.recalled().is_none() {
            let RecordV1 { seq, event, .. } = record;
            return Err(CliError::BadInput {
                what: format!("record {seq}"),
                detail: format!("it is a `{event}`, and no event that hooks are asked about"),
                hint: format!("`tenter explain {seq}` tells what it is; `tenter audit show` lists events"),
            });
        }
        if record.delivered_first.is_some() {
            let first = FirstDeliveries::of(iter::once(&record))?.number(&record);
            let hint = match first {
                Some(number) => format!("`tenter replay {number}` replays that"),
                None => "the trail does not have the record of its first delivery".to_owned(),
            };
            return Err(CliError::BadInput {
                what: format!("record {}", record.seq),
                detail: "it is the second delivery of a call, whose hooks were asked at the first".to_owned(),
                hint,
            });
        }
        let filter = Filter { session: Some(record.session_id.clone()), ..Filter::default() };
        let all = Self::events(filter)?;
        Ok(Self { session: None, events: all.into_iter().filter(|it| it.record.seq == record.seq).collect() })
    }

    fn session(id: &str) -> Result<Self, CliError> {
        let filter = Filter { session: Some(id.to_owned()), ..Filter::default() };
        let events = if SessionId::parse(id).is_some() { Self::events(filter)? } else { Vec::new() };
        if events.is_empty() {
            return Err(audit::sessions::without_event(id));
        }
        Ok(Self { session: Some(id.to_owned()), events })
    }

    /// What follows an event's record and is no event was written together with it, and what was asked about it
    /// stands before it.
    fn events(filter: Filter) -> Result<Vec<Recorded>, CliError> {
        let mut events: Vec<Recorded> = Vec::new();
        let mut questions: Vec<RecordV1> = Vec::new();
        for record in audit::records(filter)? {
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

/// How many, of each kind.
struct Summary {
    events: usize,
    different: usize,
    in_part: usize,
    /// Hooks that were taken at their word, each once.
    not_run: Vec<String>,
    /// Those of them of which nobody knows whether they are still the same, each once.
    unsure: Vec<String>,
    /// Hooks that are others than they were then, each once.
    rewritten: Vec<String>,
    /// Hooks of which nobody knows what they would say, each once.
    unheard: Vec<String>,
    /// What is wrong with the hook files of today.
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
            unheard: once(|it| &it.unheard),
            problems,
        }
    }
}
