//! `tenter hooks …`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use tenter_contract::Timestamp;

use super::ConfigArgument;
use super::audit::at_least_one;
use super::moment::moment;

/// `tenter hooks`
#[derive(Debug, Subcommand)]
pub(crate) enum HooksCommand {
    /// List every hook: where it comes from, whether it runs, and why not
    List(ListArguments),
    /// Check all hook files of this place, or the files you name; exit code 1 if something is wrong
    Check(CheckArguments),
    /// Show one hook with everything it has
    Show(ShowArguments),
    /// Tell why a hook runs or does not: trust, switches, conditions, what a failure means, what agents carry
    Explain(ExplainHookArguments),
    /// Run one hook on a sample event or a payload of yours, without recording it
    Test(TestArguments),
    /// Write a new hook, with comments, into the right file
    New(NewArguments),
    /// Take over changes of hook files that were made while an agent was working
    Accept(AcceptArguments),
    /// Switch a hook off: for good, in this project, or in one session
    Disable(SwitchArguments),
    /// Switch it on again
    Enable(SwitchArguments),
    /// Count what each hook did: runs, time, cache hits, usefulness, verdicts, injections, failures
    Stats(StatsArguments),
}

/// `tenter hooks accept`
#[derive(Debug, Args)]
pub(crate) struct AcceptArguments {
    /// The files; without any, all whose change waits
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Accept without asking
    #[arg(long)]
    pub(crate) yes: bool,
}

/// `tenter hooks disable` and `enable`
#[derive(Debug, Args)]
pub(crate) struct SwitchArguments {
    /// The hook: its name, or `layer/name`
    pub(crate) hook: String,
    /// Only in this session; without an id, the latest of this project
    #[arg(long, value_name = "ID", num_args = 0..=1, default_missing_value = "", conflicts_with = "project")]
    pub(crate) session: Option<String>,
    /// Only in this project
    #[arg(long)]
    pub(crate) project: bool,
    /// Which hook file.
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}

/// `tenter hooks stats`
#[derive(Debug, Args)]
pub(crate) struct StatsArguments {
    /// Only this session; `tenter audit sessions` lists them
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Only from then on: `2h`, `3d`, `2026-11-16` or `2026-11-16T08:30`, in UTC
    #[arg(long, value_name = "WHEN", value_parser = moment)]
    pub(crate) since: Option<Timestamp>,
    /// Only the last N records
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) last: Option<usize>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter hooks new`
#[derive(Debug, Args)]
pub(crate) struct NewArguments {
    /// Its name; made from kind and event if not given
    pub(crate) name: Option<String>,
    /// The event, by its name or any alias
    #[arg(long, default_value = "tool:pre")]
    pub(crate) event: String,
    /// What it does
    #[arg(long, value_enum, default_value_t = NewKind::Command)]
    pub(crate) kind: NewKind,
    /// Whose hook: yours, this project's, yours in this project, or the active profile's
    #[arg(long, value_enum, default_value_t = NewLayer::User)]
    pub(crate) layer: NewLayer,
}

/// `--kind`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NewKind {
    /// A line of shell
    Command,
    /// A script of its own
    Script,
    /// A Python function in a module of its own
    Python,
    /// A request to a server
    Http,
    /// A fixed text for the agent
    Inject,
    /// A fixed no
    Deny,
    /// A question to you
    Ask,
}

/// `--layer`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NewLayer {
    /// Yours everywhere
    User,
    /// This project's, shared with everybody who works on it
    Project,
    /// Yours in this project
    Local,
    /// The active profile's
    Profile,
}

/// `tenter hooks list`
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Which hook file.
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}

/// `tenter hooks check`
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// Files to check in place of those of this place
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Which hook file.
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}

/// `tenter hooks show`
#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// The hook: its name, or `layer/name`
    pub(crate) hook: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Which hook file.
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}

/// `tenter hooks test`
#[derive(Debug, Args)]
pub(crate) struct TestArguments {
    /// The hook: its name, or `layer/name`
    pub(crate) hook: String,
    /// A payload of the agent to use instead of a sample event (`-` for stdin)
    #[arg(long, value_name = "FILE")]
    pub(crate) payload: Option<PathBuf>,
    /// The agent whose answer is shown
    #[arg(long, default_value = "claude")]
    pub(crate) agent: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Which hook file.
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}

/// `tenter hooks explain`
#[derive(Debug, Args)]
pub(crate) struct ExplainHookArguments {
    /// The hook: its name, or `layer/name`
    pub(crate) hook: String,
    /// A payload of the agent, for which every condition is looked at (`-` for stdin)
    #[arg(long, value_name = "FILE")]
    pub(crate) payload: Option<PathBuf>,
    /// The event, if the payload is data of your own program, as `tenter emit` takes it
    #[arg(long, value_name = "EVENT")]
    pub(crate) event: Option<String>,
    /// The agent whose payload it is
    #[arg(long, default_value = "claude")]
    pub(crate) agent: String,
    /// Show every proven agent, also those that do not call tenter on this machine
    #[arg(long)]
    pub(crate) all_agents: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Which hook file.
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}
