//! `tenter audit …`, `tenter explain` and `tenter replay`: what can be asked of the trail.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use tenter_contract::Timestamp;

use super::ConfigArgument;
use super::moment::moment;

/// `tenter audit`
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Show records
    ///
    /// In the order in which they were written. The time of an event is when it arrived, and it is recorded when it
    /// is answered; so the records of a question, which have times of their own, stand before that of the event
    /// about which was asked.
    Show(AuditShowArguments),
    /// List the latest sessions with their ids, the last one first
    Sessions(AuditSessionsArguments),
    /// Check the chain: edits, deletions, reorderings; exit 1 if something is found
    Verify(AuditVerifyArguments),
    /// Sign where the trail ends and print it as one line of JSON, to be kept elsewhere
    ///
    /// Whoever can write the trail can also take it back to what it was. A line that was kept elsewhere
    /// shows that: `tenter audit verify --anchor FILE`.
    Anchor,
    /// Export records as OpenTelemetry spans: a trace per session, a span per event and one per hook
    ///
    /// Verdicts, times, sizes and failures are exported; prompts, inputs, results and injected texts are not.
    #[cfg(feature = "otel")]
    Export(AuditExportArguments),
}

/// `tenter audit export`
#[cfg(feature = "otel")]
#[derive(Debug, Args)]
pub(crate) struct AuditExportArguments {
    /// The collector (`http://127.0.0.1:4318`), a file to be added to, or `-`; without it `OTEL_EXPORTER_OTLP_ENDPOINT` says
    #[arg(long, value_name = "URL|FILE")]
    pub(crate) otlp: Option<String>,
    /// Which records.
    #[command(flatten)]
    pub(crate) records: RecordArguments,
    /// Go on and export what is added, until you end it; a collector that is away is waited for
    #[arg(long, short)]
    pub(crate) follow: bool,
}

/// Which records.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct RecordArguments {
    /// Only this session; `tenter audit sessions` lists them
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Only this event, by its name or any alias
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: Option<String>,
    /// Only records of this hook
    #[arg(long, value_name = "NAME")]
    pub(crate) hook: Option<String>,
    /// Only calls of this tool, by its name or the agent's own
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,
    /// Only events that came to this: abstain, allow, ask (left to the agent's own prompt) or deny
    #[arg(long, value_enum, value_name = "VERDICT", alias = "decision", hide_possible_values = true)]
    pub(crate) verdict: Option<VerdictArgument>,
    /// Only where a person was to be asked, whatever came of it
    #[arg(long)]
    pub(crate) asked: bool,
    /// Only what failed: hooks, and payloads that could not be understood
    #[arg(long)]
    pub(crate) failed: bool,
    /// Only from then on: `2h`, `3d`, `2026-11-16` or `2026-11-16T08:30`, in UTC
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    pub(crate) since: Option<Timestamp>,
    /// Only before then
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    pub(crate) until: Option<Timestamp>,
}

/// `--verdict`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerdictArgument {
    /// Nobody objected
    Abstain,
    /// A hook that may allowed it
    Allow,
    /// The agent's own prompt asks
    Ask,
    /// It was denied
    Deny,
}

impl VerdictArgument {
    /// As records have it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Abstain => "abstain",
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

/// `tenter audit show`
#[derive(Debug, Args)]
pub(crate) struct AuditShowArguments {
    /// Which records.
    #[command(flatten)]
    pub(crate) records: RecordArguments,
    /// Only the last N
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = at_least_one)]
    pub(crate) last: usize,
    /// Go on and show what is added, until you end it
    #[arg(long, short)]
    pub(crate) follow: bool,
    /// Print the records as JSON, one per line
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter audit sessions`
#[derive(Debug, Args)]
pub(crate) struct AuditSessionsArguments {
    /// Only the last N
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = at_least_one)]
    pub(crate) last: usize,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// So many records, of which there is at least one.
pub(super) fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|count| *count > 0).ok_or("write a whole number above 0".to_owned())
}

/// `tenter audit verify`
#[derive(Debug, Args)]
pub(crate) struct AuditVerifyArguments {
    /// Also check against what `tenter audit anchor` printed, one per line (`-` for stdin)
    #[arg(long, value_name = "FILE")]
    pub(crate) anchor: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// A record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WhichRecord {
    /// That of the last event.
    Last,
    /// That of this number.
    Number(u64),
}

fn which_record(text: &str) -> Result<WhichRecord, String> {
    match text {
        "last" => Ok(WhichRecord::Last),
        number => number.parse().map(WhichRecord::Number).map_err(|_| {
            "a record has a number, which `tenter audit show` lists; `last` is the last event".to_owned()
        }),
    }
}

/// `tenter explain`
#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// The number of the record (`tenter audit show` lists them), or `last` for the last event
    #[arg(value_name = "RECORD", default_value = "last", value_parser = which_record)]
    pub(crate) record: WhichRecord,
    /// With `last`: of this session; `tenter audit sessions` lists them
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Which hook file.
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}

/// `tenter replay`
#[derive(Debug, Args)]
pub(crate) struct ReplayArguments {
    /// The number of a record, `last` for the last event, or the id of a session for all of its events
    #[arg(value_name = "RECORD|SESSION")]
    pub(crate) what: String,
    /// Run hooks for real that start programs or ask servers: what they do beside judging is done again
    #[arg(long)]
    pub(crate) run: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Which hook file.
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}
