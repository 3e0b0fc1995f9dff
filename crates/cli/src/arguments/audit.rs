//! The arguments of `tenter audit`, `tenter explain` and `tenter replay`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use tenter_contract::Timestamp;

use crate::arguments::ConfigArgument;
use tenter_console::moment::moment;

#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Show records of the audit trail
    ///
    /// Records are in the order in which they were written. The time of an event is its arrival, and its record is
    /// written with the answer, so the records of a question come before the record of their event.
    Show(AuditShowArguments),
    /// List sessions, latest first
    Sessions(AuditSessionsArguments),
    /// Verify the audit trail: detect edited, deleted and reordered records; exit code 1 if there are any
    Verify(AuditVerifyArguments),
    /// Print a signed anchor of the end of the trail, as one line of JSON
    ///
    /// Keep the anchor on another machine. `tenter audit verify --anchor FILE` then detects a trail that was rolled
    /// back.
    Anchor,
    /// Export records as OpenTelemetry spans: a trace per session, a span per event and per hook
    ///
    /// Exports verdicts, times, sizes and failures, but no prompts, inputs, results or injected texts.
    Export(AuditExportArguments),
}

#[derive(Debug, Args)]
pub(crate) struct AuditExportArguments {
    /// Collector (`http://127.0.0.1:4318`), file to append to, or `-` [default: `OTEL_EXPORTER_OTLP_ENDPOINT`]
    #[arg(long, value_name = "URL|FILE")]
    pub(crate) otlp: Option<String>,
    #[command(flatten)]
    pub(crate) records: RecordArguments,
    /// Keep exporting new records until interrupted; wait for a collector that is not available
    #[arg(long, short)]
    pub(crate) follow: bool,
}

#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RecordArguments {
    /// Show only this session (see `tenter audit sessions`)
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Show only this event, by name or alias
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: Option<String>,
    /// Show only records of this hook
    #[arg(long, value_name = "NAME")]
    pub(crate) hook: Option<String>,
    /// Show only calls of this tool, by tenter's or the agent's name
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Show only events with this verdict: abstain, allow, ask (passed to the agent's own prompt) or deny
    #[arg(long, value_enum, value_name = "VERDICT", alias = "decision", hide_possible_values = true)]
    pub(crate) verdict: Option<VerdictArgument>,
    /// Show only events with a question to a person
    #[arg(long)]
    pub(crate) asked: bool,
    /// Show only failed hooks and invalid payloads
    #[arg(long)]
    pub(crate) failed: bool,
    /// Show only records since then: `2h`, `3d`, `2026-11-16` or `2026-11-16T08:30` (UTC)
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    pub(crate) since: Option<Timestamp>,
    /// Show only records before then
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    pub(crate) until: Option<Timestamp>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerdictArgument {
    /// No hook objected
    Abstain,
    /// A hook with `may_allow` allowed it
    Allow,
    /// The agent's own prompt asks
    Ask,
    /// It was denied
    Deny,
}

#[derive(Debug, Args)]
pub(crate) struct AuditShowArguments {
    #[command(flatten)]
    pub(crate) records: RecordArguments,
    /// Maximum number of entries to show
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = at_least_one)]
    pub(crate) last: usize,
    /// Keep showing new records until interrupted
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// Print JSON, one record per line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AuditSessionsArguments {
    /// Maximum number of entries to show
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = at_least_one)]
    pub(crate) last: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

pub(crate) fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|count| *count > 0).ok_or("write a whole number above 0".to_owned())
}

#[derive(Debug, Args)]
pub(crate) struct AuditVerifyArguments {
    /// Also check these anchors of `tenter audit anchor`, one per line (`-` for stdin)
    #[arg(long, value_name = "FILE")]
    pub(crate) anchor: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhichRecord {
    Last,
    Number(u64),
}

fn which_record(text: &str) -> Result<WhichRecord, String> {
    match text {
        "last" => Ok(WhichRecord::Last),
        number => number
            .parse()
            .map(WhichRecord::Number)
            .map_err(|_| "write the number of a record (see `tenter audit show`), or `last`".to_owned()),
    }
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// Number of the record (see `tenter audit show`), or `last` for the last event
    #[arg(value_name = "RECORD", default_value = "last", value_parser = which_record)]
    pub(crate) record: WhichRecord,
    /// Use the last event of this session (see `tenter audit sessions`)
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// Number of a record, `last` for the last event, or a session id for all events of that session
    #[arg(value_name = "RECORD|SESSION")]
    pub(crate) what: String,
    /// Run hooks that start programs or call servers again, with their side effects
    #[arg(long)]
    pub(crate) run: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}
