//! `tenter hooks …`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use tenter_contract::Timestamp;

use crate::arguments::ConfigArgument;
use crate::arguments::audit::at_least_one;
use tenter_console::moment::moment;

#[derive(Debug, Subcommand)]
pub(crate) enum HooksCommand {
    /// List all hooks: source, whether they run, and why not
    List(ListArguments),
    /// Check hook files; exit code 1 if there are problems
    Check(CheckArguments),
    /// Show all settings of one hook
    Show(ShowArguments),
    /// Explain why a hook runs or not: trust, switches, conditions, failure policy, agent support
    Explain(ExplainHookArguments),
    /// Run one hook on a sample event or your payload, without recording it
    Test(TestArguments),
    /// Write a new, commented hook into the right file
    New(NewArguments),
    /// Accept changes of hook files that were made while an agent was working
    Accept(AcceptArguments),
    /// Disable a hook: everywhere, in this project, or in one session
    Disable(SwitchArguments),
    /// Enable a disabled hook
    Enable(SwitchArguments),
    /// Show statistics of each hook: runs, times, cache hits, verdicts, injections, failures
    Stats(StatsArguments),
}

#[derive(Debug, Args)]
pub(crate) struct AcceptArguments {
    /// Files to accept [default: all with a pending change]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Accept without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SwitchArguments {
    /// Hook, as `name` or `layer/name`
    pub(crate) hook: String,
    /// Apply to this session only [default id: the latest session of this project]
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", conflicts_with = "project")]
    pub(crate) session: Option<String>,
    /// Apply to this project only
    #[arg(long)]
    pub(crate) project: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}

#[derive(Debug, Args)]
pub(crate) struct StatsArguments {
    /// Count only this session (see `tenter audit sessions`)
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Count only records since then: `2h`, `3d`, `2026-11-16` or `2026-11-16T08:30` (UTC)
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    pub(crate) since: Option<Timestamp>,
    /// Maximum number of records to count
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) last: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct NewArguments {
    /// Name of the hook [default: made from kind and event]
    pub(crate) name: Option<String>,
    /// Event, by name or alias
    #[arg(long, default_value = "tool:pre")]
    pub(crate) event: String,
    /// Kind of hook
    #[arg(long, value_enum, default_value_t = NewKind::Command)]
    pub(crate) kind: NewKind,
    /// Layer: yours, this project's, yours in this project, or the active profile's
    #[arg(long, value_enum, default_value_t = NewLayer::User)]
    pub(crate) layer: NewLayer,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NewKind {
    /// A shell command
    Command,
    /// A script in its own file
    Script,
    /// A Python function in its own module
    Python,
    /// A request to a server
    Http,
    /// A fixed text for the agent
    Inject,
    /// A fixed denial
    Deny,
    /// A question to you
    Ask,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NewLayer {
    /// Yours everywhere
    User,
    /// This project's, shared with its contributors
    Project,
    /// Yours in this project
    Local,
    /// The active profile's
    Profile,
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}

#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Files to check [default: all hook files that apply here]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// Hook, as `name` or `layer/name`
    pub(crate) hook: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}

#[derive(Debug, Args)]
pub(crate) struct TestArguments {
    /// Hook, as `name` or `layer/name`
    pub(crate) hook: String,
    /// Payload of the agent to use instead of a sample event (`-` for stdin)
    #[arg(long, value_name = "FILE")]
    pub(crate) payload: Option<PathBuf>,
    /// Agent whose response is shown
    #[arg(long, default_value = "claude")]
    pub(crate) agent: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainHookArguments {
    /// Hook, as `name` or `layer/name`
    pub(crate) hook: String,
    /// Payload of the agent to check every condition against (`-` for stdin)
    #[arg(long, value_name = "FILE")]
    pub(crate) payload: Option<PathBuf>,
    /// Event, if the payload is data for `tenter emit`
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: Option<String>,
    /// Agent that sent the payload
    #[arg(long, default_value = "claude")]
    pub(crate) agent: String,
    /// Show all proven agents, including those that do not call tenter on this machine
    #[arg(long)]
    pub(crate) all_agents: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}
