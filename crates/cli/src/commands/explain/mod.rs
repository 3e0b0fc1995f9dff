//! `tenter explain RECORD`: explains the outcome of an event, hook by hook.

mod arrived;
pub(crate) mod render;
pub(crate) mod not_asked;

use std::iter;

use serde_json::{Value, json};
use tenter_contract::Timestamp;
use tenter_protocol::v1::approval::RecordedApproval;
use tenter_protocol::v1::record::{RecordV1, RecordedFailure, RecordedHook};
use tenter_store::audit::read::Filter;

use crate::arguments::ExplainArguments;
use crate::commands::explain::not_asked::Unasked;
use crate::error::{CliError, CommandResult};
use crate::places::state;
use crate::printer::{Printer, json_line};
use crate::trail::{self, deliveries::FirstDeliveries};

pub(crate) fn run(arguments: &ExplainArguments, printer: &Printer) -> CommandResult {
    let record = trail::find(arguments.record, arguments.session.as_deref())?;
    let (unasked, changed_since) = not_asked::find(&record, &arguments.config)?;
    let first = FirstDeliveries::find(iter::once(&record))?.number(&record);
    let evidence = Evidence { related: related(&record)?, first, unasked, changed_since, record };
    if arguments.json {
        printer.line(json_line(&evidence.as_json()));
    } else {
        render::print(&evidence, printer);
        trail::warn_if_broken(&state()?, printer);
    }
    Ok(0)
}

pub(crate) fn print(record: RecordV1, printer: &Printer) {
    let evidence =
        Evidence { record, first: None, related: Vec::new(), unasked: Vec::new(), changed_since: Vec::new() };
    render::print(&evidence, printer);
}

pub(crate) struct Evidence {
    record: RecordV1,
    /// The record of the first delivery, if this is another one of the same call.
    first: Option<u64>,
    /// Other records of the same event: questions, injections, failures, and ends of background hooks.
    related: Vec<RecordV1>,
    unasked: Vec<Unasked>,
    changed_since: Vec<String>,
}

impl Evidence {
    fn as_json(&self) -> Value {
        let unasked = self.unasked.iter().map(|it| json!({"hook": it.hook, "why": it.why}));
        json!({
            "record": self.record,
            "first_delivery": self.first,
            "beside": self.related,
            "not_asked": unasked.collect::<Vec<_>>(),
            "hook_files_changed_since": self.changed_since,
        })
    }

    /// The related records of a hook. They have its name without the layer.
    fn records_of<'e>(
        &'e self,
        hook: &'e RecordedHook,
        event: &'static str,
    ) -> impl Iterator<Item = &'e RecordV1> {
        let name = hook.hook.split_once('/').map(|(_, name)| name);
        self.related.iter().filter(move |record| record.event == event && record.hook_name.as_deref() == name)
    }

    fn failures<'e>(&'e self, hook: &'e RecordedHook) -> impl Iterator<Item = (u64, &'e RecordedFailure)> {
        self.records_of(hook, "hook:failed")
            .filter(|_| hook.failure.is_some())
            .filter_map(|record| Some((record.seq, record.failure.as_ref()?)))
    }

    /// The texts of a hook that is asked twice belong to its first run.
    fn injections<'e>(&'e self, hook: &'e RecordedHook) -> impl Iterator<Item = (u64, &'e RecordV1)> {
        let injects = hook.effects.iter().any(|effect| effect.effect == "inject") && !hook.rejudge;
        self.records_of(hook, "hook:context_injection")
            .filter(move |_| injects)
            .map(|record| (record.seq, record))
    }

    fn questions<'e>(&'e self, hook: &'e RecordedHook) -> impl Iterator<Item = (u64, &'e RecordedApproval)> {
        let asks = hook.verdict.as_deref() == Some("ask");
        let of_hook = |record: &'e RecordV1| Some((record.seq, record.approval.as_ref()?));
        let of_records = self.related.iter().filter_map(of_hook);
        of_records.filter(move |(_, approval)| asks && approval.hooks.contains(&hook.hook))
    }

    fn ends_in_background<'e>(
        &'e self,
        hook: &'e RecordedHook,
    ) -> impl Iterator<Item = (u64, &'e str, &'e RecordedHook)> {
        self.records_of(hook, "hook:background")
            .filter(|_| hook.background)
            .filter_map(|record| Some((record.seq, record.timestamp.as_str(), record.hooks.first()?)))
    }
}

/// The records that were written together with that of an event, and those of its background hooks.
fn related(record: &RecordV1) -> Result<Vec<RecordV1>, CliError> {
    if record.decision.is_none() {
        return Ok(Vec::new());
    }
    let filter = Filter {
        session: Some(record.session_id.clone()),
        since: Timestamp::parse(&record.timestamp),
        ..Filter::default()
    };
    let mut found = Vec::new();
    // They follow it directly, up to the record of the next event.
    let mut together = true;
    for other in trail::records(filter)? {
        let other = other?;
        let of_this_event = other.hook_event.as_deref() == Some(record.event.as_str());
        if asks_about(&other, record) {
            found.push(other);
            continue;
        }
        let in_background = other.started_at.as_deref() == Some(record.timestamp.as_str());
        together &= other.seq <= record.seq || other.decision.is_none();
        if other.seq > record.seq
            && of_this_event
            && (in_background || (together && other.started_at.is_none()))
        {
            found.push(other);
        }
    }
    Ok(found)
}

/// Whether a record is of a question about this event. It comes before the event's record, unless the agent reported the
/// answer later with the id of the call.
pub(crate) fn asks_about(other: &RecordV1, record: &RecordV1) -> bool {
    let call =
        |record: &RecordV1| record.tool.as_ref().map(|tool| (tool.call_id.clone(), tool.input.clone()));
    let named = record.tool.as_ref().is_some_and(|tool| tool.call_id.is_some());
    other.approval.is_some()
        && other.hook_event.as_deref() == Some(record.event.as_str())
        && call(other) == call(record)
        && (named || other.seq < record.seq)
}
