//! `tenter audit export`: exports records as OpenTelemetry spans. It reads the trail, so no agent waits for a
//! collector.
//!
//! This module writes the JSON of OTLP itself: the OpenTelemetry crates (0.33, blocking, JSON over HTTP) bring 73 more
//! crates, including an async runtime, for one small request.

mod send;
mod spans;

use std::thread::sleep;
use std::time::Duration;

use tenter_protocol::v1::record::RecordV1;
use tenter_store::audit::follow::Follower;
use tenter_store::audit::read::{Content, Filter};

use crate::arguments::AuditExportArguments;
use crate::commands::audit::export::send::Destination;
use crate::error::{CliError, CommandResult, exit};
use crate::listing::counted;
use crate::places::state;
use crate::printer::{Printer, Tone};

/// Records per request. Each becomes a span, and one for each of its hooks.
const BATCH: usize = 100;
const LOOK_AGAIN: Duration = Duration::from_millis(500);

pub(crate) fn run(arguments: &AuditExportArguments, printer: &Printer) -> CommandResult {
    let filter = crate::trail::filter(&arguments.records)?;
    let state = state()?;
    let mut sender = Sender {
        destination: Destination::named(arguments.otlp.as_deref())?,
        patient: arguments.follow,
        spans: 0,
        last: 0,
        rejected: Vec::new(),
    };
    let follower = arguments.follow.then(|| Follower::at_end(&state)).transpose()?;
    let mut batch = Vec::new();
    for record in crate::trail::records(filter.clone())? {
        batch.push(record?);
        if batch.len() == BATCH {
            sender.send(&batch)?;
            batch.clear();
        }
    }
    sender.send(&batch)?;
    if sender.spans == 0 && follower.is_none() {
        arguments.records.session.as_deref().map_or(Ok(()), crate::trail::sessions::known)?;
    }
    if let Some(follower) = follower {
        follow(follower, &filter, &mut sender)?;
    }
    sender.print(printer);
    Ok(if sender.rejected.is_empty() { 0 } else { exit::FINDING })
}

fn follow(mut follower: Follower, filter: &Filter, sender: &mut Sender) -> Result<(), CliError> {
    loop {
        let more = follower.more()?;
        let record = |content: Content| match content {
            Content::Record(record) if filter.matches(&Content::Record(record.clone())) => Some(*record),
            Content::Record(_) | Content::Foreign(_) | Content::Unreadable { .. } => None,
        };
        let already = sender.last;
        let records: Vec<RecordV1> =
            more.into_iter().filter_map(record).filter(|it| it.seq > already).collect();
        for batch in records.chunks(BATCH) {
            sender.send(batch)?;
        }
        sleep(LOOK_AGAIN);
    }
}

struct Sender {
    destination: Destination,
    /// Waits for a collector without a limit.
    patient: bool,
    spans: usize,
    last: u64,
    /// Messages of the collector about rejected spans.
    rejected: Vec<String>,
}

impl Sender {
    fn send(&mut self, records: &[RecordV1]) -> Result<(), CliError> {
        let spans: Vec<_> = records.iter().flat_map(spans::from_record).collect();
        self.last = records.iter().map(|record| record.seq).fold(self.last, u64::max);
        if spans.is_empty() {
            return Ok(());
        }
        self.spans += spans.len();
        let request = spans::request(&spans);
        self.rejected.extend(self.destination.take(&request, self.patient)?);
        Ok(())
    }

    fn print(&self, printer: &Printer) {
        if self.destination.is_stdout() {
            return;
        }
        let (count, place) = (counted(self.spans as u64, "span"), self.destination.shown());
        printer.line(format!("{count} exported to {place}"));
        for rejected in &self.rejected {
            printer.line(printer.tone(Tone::Caution, crate::listing::visible(rejected)));
        }
    }
}
