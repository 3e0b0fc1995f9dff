//! The command line. The doc comments are the help.

mod approvals;
mod audit;
mod context;
mod hooks;
mod trust;
mod mistake;
mod other_words;
#[cfg(test)]
mod tests;

use std::ffi::OsString;
use std::iter;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use tenter_chat::ChatArguments;
pub(crate) use tenter_console::arguments::{ConfigArgument, JsonArgument};
use tenter_contract::Dialect;
use tenter_host::full_binary::Handover;
use tenter_host::hook_call::parse_time;
use tenter_host::program::SMALL;
use tenter_memory_commands::{GhapCommand, McpArguments, MemoryCommand};
use tenter_models::Api;

pub(crate) use crate::arguments::other_words::hooks_command;
use crate::error::exit;
use crate::printer;
pub(crate) use approvals::*;
pub(crate) use audit::*;
pub(crate) use context::*;
pub(crate) use hooks::*;
pub(crate) use trust::*;

/// Hooks for AI coding agents: every agent calls tenter at each step of its work, and tenter runs your hooks.
///
/// Try `tenter demo` first: it needs no agent, no key and no network.
#[derive(Debug, Parser)]
#[command(name = "tenter", version, arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Add tenter to the settings of your agents
    Init(InitArguments),
    /// Remove tenter from the settings of your agents
    Uninstall(SettingsArguments),
    /// Check the installation and suggest repairs
    Doctor(JsonArgument),
    /// Answer one payload of an agent from stdin (agents call this)
    Hook(HookArguments),
    /// Run hooks for an event of your own program: data on stdin, outcome on stdout
    Emit(EmitArguments),
    /// List, check, explain and test hooks
    #[command(subcommand)]
    Hooks(HooksCommand),
    /// Show the context that agents receive
    #[command(subcommand)]
    Context(ContextCommand),
    /// Convert the hooks of another system into a hook file, and report differences
    ///
    /// The hook file goes to standard output and the report to standard error, so that
    /// `tenter import settings.json > hooks.yaml` works. Exit code 1 if something could not be converted.
    Import(ImportArguments),
    /// Review and trust the hooks of a project
    Trust(TrustArguments),
    /// Manage profiles: additional sets of hooks, one of which is active
    #[command(subcommand)]
    Profile(ProfileCommand),
    /// Answer questions of hooks, and manage grants and rules
    #[command(subcommand)]
    Approvals(ApprovalsCommand),
    /// Show and verify the audit trail
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Explain the outcome of an event, hook by hook
    Explain(ExplainArguments),
    /// Run today's hooks on recorded events and show the differences
    ///
    /// Nothing is recorded or counted, and no question is asked. Without `--run`, hooks that start programs or call
    /// servers are assumed to give their recorded reply. Exit code 1 if there are differences.
    Replay(ReplayArguments),
    /// Run real agents against a scripted model and check that every hook runs: no key, no network
    Prove(ProveArguments),
    /// Chat with tenter's own agent, which supports all effects of hooks
    ///
    /// Exit codes with `--prompt`: 0 answered, 1 no answer (from the model, or denied or interrupted), 2 wrong
    /// arguments, 3 internal error.
    Chat(ChatArguments),
    /// Search and manage the memory
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// Track hypotheses (GHAP: goal, hypothesis, action, prediction)
    #[command(subcommand)]
    Ghap(GhapCommand),
    /// Serve the memory to an agent over stdin and stdout (`tenter init` registers it)
    Mcp(McpArguments),
    /// Serve a scripted model for agents and tests: no key, no network
    Model(ModelArguments),
    /// Print a JSON schema: event, reply, outcome, record, request, watch
    Schema(SchemaArguments),
    /// Run a demo with tenter's own agent: no key, no network, no files left
    Demo(DemoArguments),
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    #[command(flatten)]
    pub(crate) settings: SettingsArguments,
    #[command(flatten)]
    pub(crate) strictness: StrictArguments,
    #[command(flatten)]
    pub(crate) without: WithoutArguments,
    /// Allow a binary in a build or temporary folder
    #[arg(long)]
    pub(crate) allow_build_path: bool,
    /// Do not ask for confirmation
    #[arg(long, short)]
    pub(crate) yes: bool,
}

#[derive(Debug, Args)]
pub(crate) struct WithoutArguments {
    /// Do not add the `protect-config` hook, which prevents agents from changing tenter's files
    #[arg(long)]
    pub(crate) no_protect: bool,
    /// Do not add the memory hooks and the memory tools (`tenter mcp`)
    #[arg(long)]
    pub(crate) no_memory: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StrictArguments {
    /// Deny tool calls and prompts when the tenter binary is missing
    #[arg(long)]
    pub(crate) strict: bool,
    /// Allow tool calls when the tenter binary is missing (undoes `--strict`)
    #[arg(long, conflicts_with = "strict")]
    pub(crate) no_strict: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SettingsArguments {
    /// Agents, such as `claude` or `codex` [default: all that are found]
    #[arg(value_name = "AGENT")]
    pub(crate) agents: Vec<String>,
    /// Settings to change: yours, this project's, or yours in this project [default: user]
    #[arg(long, value_enum)]
    pub(crate) scope: Option<ScopeArgument>,
    /// Show the plan without changing anything
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Show changed lines
    #[arg(long)]
    pub(crate) diff: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ScopeArgument {
    /// Yours, for all projects
    User,
    /// This project's, shared with its contributors
    Project,
    /// Yours in this project
    Local,
}

#[derive(Debug, Args)]
pub(crate) struct HookArguments {
    /// Agent that calls, such as `claude`
    pub(crate) agent: String,
    /// Sub-agent, if the payload does not name it
    #[arg(long, value_name = "ID")]
    pub(crate) agent_id: Option<String>,
    /// Time that the agent waits for the response, such as `600s` (`tenter init` writes it)
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(crate) within: Option<Duration>,
    /// Scope of the settings with this entry (`tenter init` writes it); skip events that your user settings already handle
    #[arg(long, hide_possible_values = true)]
    pub(crate) scope: Option<ScopeArgument>,
    /// Id of the installation (`tenter init` writes it); deny tool calls if tenter does not know this id
    #[arg(long, value_name = "ID")]
    pub(crate) installation: Option<String>,
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}

#[derive(Debug, Args)]
pub(crate) struct EmitArguments {
    /// Event: `tool:pre`, an alias such as `PreToolUse`, or your own `namespace:name`
    pub(crate) event: String,
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// Settings, agent or profile file of the other system
    pub(crate) file: PathBuf,
    /// System: amazonq, massgen, claude, gemini, ghap or amplifier [default: detected]
    #[arg(long, value_name = "SYSTEM", value_parser = system)]
    pub(crate) from: Option<Dialect>,
    /// Create your hook file from the result; fail if one exists
    #[arg(long, conflicts_with = "out")]
    pub(crate) write: bool,
    /// File to create
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Print hook file and report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

fn system(name: &str) -> Result<Dialect, String> {
    let known = || Dialect::ALL.into_iter().filter(|dialect| *dialect != Dialect::Tenter);
    let names: Vec<&str> = known().map(Dialect::as_str).collect();
    known().find(|dialect| dialect.as_str() == name).ok_or(format!("the systems are {}", names.join(", ")))
}

#[derive(Debug, Args)]
pub(crate) struct ProveArguments {
    /// Agents: claude, cline, codex, copilot, gemini, kilo, opencode, qwen [default: all on PATH]
    #[arg(value_name = "AGENT")]
    pub(crate) agents: Vec<String>,
    /// Program of the agent [default: from PATH]
    #[arg(long, value_name = "FILE", requires = "agents")]
    pub(crate) agent_path: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) play: PlayArguments,
    /// Keep the agent's home, project, trail and requests, and print their path
    #[arg(long)]
    pub(crate) keep: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Take the network as it is
    #[arg(long, hide = true)]
    pub(crate) as_is: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PlayArguments {
    /// Run a session with memory instead: recall, prediction, reminder, outcome, lesson (Claude Code only)
    #[arg(long, requires = "agents")]
    pub(crate) memory: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ModelArguments {
    /// Script of the model, turn by turn (YAML or JSON)
    #[arg(long, value_name = "FILE")]
    pub(crate) script: PathBuf,
    /// Port on 127.0.0.1; 0 for a free port
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// Folder to record every request and its turn in, as numbered files
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,
    /// Serve only this API: anthropic, gemini, openai-responses, openai-chat
    #[arg(long, value_name = "API", value_parser = api)]
    pub(crate) api: Option<Api>,
}

fn api(name: &str) -> Result<Api, String> {
    let known = Api::ALL.map(Api::name).join(", ");
    Api::ALL.into_iter().find(|api| api.name() == name).ok_or(format!("the APIs are {known}"))
}

#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// Name of the schema [default: list the names]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Keep the demo's project, hooks and trail, and print their path
    #[arg(long)]
    pub(crate) keep: bool,
}

/// The command line of `tenter-hook`, which becomes this program for help and mistakes.
#[derive(Debug, Parser)]
#[command(
    name = "tenter-hook",
    about = "Answer one payload of an agent from stdin: agents call this, and `tenter init` sets it up"
)]
struct SmallArguments {
    #[command(flatten)]
    hook: HookArguments,
}

/// Parses the command line, or prints help or an error and returns the exit code.
pub(crate) fn parse() -> Result<Command, ExitCode> {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (parsed, root, words) = if Handover::from_environment().is_some() {
        let small =
            SmallArguments::try_parse_from(iter::once(SMALL.into()).chain(words.iter().skip(1).cloned()));
        (small.map(|small| Command::Hook(small.hook)), SmallArguments::command(), &[][..])
    } else {
        (Arguments::try_parse().map(|arguments| arguments.command), Arguments::command(), &words[..])
    };
    parsed.map_err(|error| {
        let typed: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        match mistake::in_words(&error, root, &typed) {
            Some(text) => printer::write_error(&text),
            // A closed output is not an error.
            None => drop(error.print()),
        }
        let hot = std::env::args_os().nth(1).is_some_and(|word| word == "hook");
        match error.exit_code() {
            0 => ExitCode::SUCCESS,
            _ if hot => ExitCode::from(exit::HOOK_ERROR),
            _ => ExitCode::from(exit::USAGE),
        }
    })
}
