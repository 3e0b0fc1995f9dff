//! What can be typed. The doc comments are the help.

mod approvals;
mod audit;
mod chat;
mod context;
mod hooks;
mod memory;
mod moment;
mod trust;
mod mistake;
mod other_words;
#[cfg(test)]
mod reference;

use std::ffi::OsString;
use std::iter;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use tenter_contract::Dialect;
use tenter_host::beside::HandedOver;
use tenter_host::call::time;
use tenter_host::program::SMALL;
use tenter_models::Api;

use crate::error::exit;
use crate::printer;

pub(crate) use self::other_words::hooks_command;
pub(crate) use approvals::*;
pub(crate) use audit::*;
pub(crate) use chat::*;
pub(crate) use context::*;
pub(crate) use hooks::*;
pub(crate) use memory::*;
pub(crate) use trust::*;

/// Hooks for AI coding agents: one program that every agent calls at each step of its work, and that runs
/// your hooks there.
///
/// Try `tenter demo` first: it needs no agent, no key and no network.
#[derive(Debug, Parser)]
#[command(name = "tenter", version, arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Let an agent call tenter: put it into the agent's settings, and show what changes
    Init(InitArguments),
    /// Take tenter out of an agent's settings again
    Uninstall(SettingsArguments),
    /// Check that everything is as it should be, and say what to type where it is not
    Doctor(DoctorArguments),
    /// Answer one payload of an agent, read from stdin (this is what agents call)
    Hook(HookArguments),
    /// Ask the hooks about an event of your own program: data on stdin, outcome on stdout
    Emit(EmitArguments),
    /// Look at your hooks and try them out
    #[command(subcommand)]
    Hooks(HooksCommand),
    /// Look at what agents are given to read
    #[command(subcommand)]
    Context(ContextCommand),
    /// Convert the hooks of another system into a hook file, and say what changed meaning
    ///
    /// The hook file goes to standard output and the report to standard error, so that
    /// `tenter import settings.json > hooks.yaml` does what it looks like. Exit code 1 if something could not be
    /// kept.
    Import(ImportArguments),
    /// Look at the hooks a project brings and let them run: exactly as they are now
    Trust(TrustArguments),
    /// Choose among sets of further hooks of yours, one of which is active
    #[command(subcommand)]
    Profile(ProfileCommand),
    /// Answer questions of your hooks, and say what need not be asked again
    #[command(subcommand)]
    Approvals(ApprovalsCommand),
    /// Look at the audit trail and check it
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Tell why an event came out as it did, hook by hook
    Explain(ExplainArguments),
    /// Ask today's hooks about events of the past, and show what would be different
    ///
    /// Nothing is recorded, claimed or counted, and nobody is asked anything. Without `--run` no program is started and
    /// no server asked: of hooks that would, it is assumed that they say what they said then. Exit code 1 if
    /// something would be different.
    Replay(ReplayArguments),
    /// Run real agents against a scripted model and show that every hook fires: no key, no network
    Prove(ProveArguments),
    /// Work with tenter's own agent, in which every hook can do everything
    ///
    /// Exit codes with `--prompt`: 0 answered, 1 ended without an answer (the model gave none, a hook or a person did not
    /// want it, somebody stopped it), 2 a mistake on the command line, 3 something of tenter's is broken.
    Chat(ChatArguments),
    /// Look at what is remembered, correct it, forget it, take it elsewhere
    #[command(subcommand)]
    Memory(MemoryCommand),
    /// Say what you are trying and predict, and how it came out
    #[command(subcommand)]
    Ghap(GhapCommand),
    /// Serve the memory to an agent over standard input and output (`tenter init` registers it)
    Mcp(McpArguments),
    /// Play a script as a model on this machine, for agents and tests: no key, no network
    Model(ModelArguments),
    /// Print a JSON schema: event, reply, outcome, record, inquiry, watch
    Schema(SchemaArguments),
    /// Show what tenter does, with its own agent at work: no key, no network, nothing left behind
    Demo(DemoArguments),
}

/// `tenter init`
#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// Whose settings.
    #[command(flatten)]
    pub(crate) settings: SettingsArguments,
    /// What entries do without their program.
    #[command(flatten)]
    pub(crate) strictness: StrictArguments,
    /// What is left out.
    #[command(flatten)]
    pub(crate) without: WithoutArguments,
    /// Install a program that lies in a build or temporary folder
    #[arg(long)]
    pub(crate) allow_build_path: bool,
    /// Write without asking
    #[arg(long, short)]
    pub(crate) yes: bool,
}

/// Parts that `init` leaves out.
#[derive(Debug, Args)]
pub(crate) struct WithoutArguments {
    /// Do not put `protect.config` into your hook file, which keeps agents from changing tenter's own files
    #[arg(long)]
    pub(crate) no_protect: bool,
    /// Do not give agents a memory: neither its hooks in your hook file, nor its tools (`tenter mcp`) in theirs
    #[arg(long)]
    pub(crate) no_memory: bool,
}

/// What entries do when their program is gone; by default what they did before.
#[derive(Debug, Args)]
pub(crate) struct StrictArguments {
    /// Deny tool calls and prompts when the tenter binary is missing
    #[arg(long)]
    pub(crate) strict: bool,
    /// Allow tool calls when the tenter binary is missing (undoes `--strict`)
    #[arg(long, conflicts_with = "strict")]
    pub(crate) no_strict: bool,
}

/// Whose settings, and what to do with them.
#[derive(Debug, Args)]
pub(crate) struct SettingsArguments {
    /// The agents, such as `claude` or `codex`; without any, all that are here
    #[arg(value_name = "AGENT")]
    pub(crate) agents: Vec<String>,
    /// Whose settings: yours everywhere (which is the default), this project's, or yours in this project
    #[arg(long, value_enum)]
    pub(crate) scope: Option<ScopeArgument>,
    /// Show the plan and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Show every line that changes
    #[arg(long)]
    pub(crate) diff: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `--scope`
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ScopeArgument {
    /// Yours, for every project
    User,
    /// This project's, shared with everybody who works on it
    Project,
    /// Yours in this project
    Local,
}

/// `tenter doctor`
#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which hook file is used.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ConfigArgument {
    /// Use this hook file instead of your own
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,
    /// Use this profile instead of the active one
    #[arg(long, value_name = "NAME")]
    pub(crate) profile: Option<String>,
}

impl ConfigArgument {
    /// Where hooks are looked for.
    pub(crate) fn places(&self) -> tenter_host::Places {
        tenter_host::Places::from_environment(self.config.as_deref()).with_profile(self.profile.as_deref())
    }
}

/// `tenter hook`
#[derive(Debug, Args)]
pub(crate) struct HookArguments {
    /// The agent that calls, such as `claude`
    pub(crate) agent: String,
    /// Which agent inside it, if it does not say so itself
    #[arg(long, value_name = "ID")]
    pub(crate) agent_id: Option<String>,
    /// How long the agent waits for the answer, as in `600s` (`tenter init` writes it)
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub(crate) within: Option<Duration>,
    /// Whose settings it stands in, as in `project`: it leaves to yours what they tell (`tenter init` writes it)
    #[arg(long, hide_possible_values = true)]
    pub(crate) scope: Option<ScopeArgument>,
    /// The id of the installation (`tenter init` writes it): without it in place, tool calls are denied
    #[arg(long, value_name = "ID")]
    pub(crate) installation: Option<String>,
    /// Which hook file.
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}

/// `tenter emit`
#[derive(Debug, Args)]
pub(crate) struct EmitArguments {
    /// The event: `tool:pre`, any alias such as `PreToolUse`, or a `namespace:name` of your own
    pub(crate) event: String,
    /// Which hook file.
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}

/// `tenter import`
#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// The file: settings, agent or profile, as the other system has it
    pub(crate) file: PathBuf,
    /// Whose it is: amazonq, massgen, claude, ghap or amplifier; without it the form of the file tells
    #[arg(long, value_name = "SYSTEM", value_parser = system)]
    pub(crate) from: Option<Dialect>,
    /// Make it your hook file, if you have none yet
    #[arg(long, conflicts_with = "out")]
    pub(crate) write: bool,
    /// Write it to this file, which must not exist yet
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

/// `tenter prove`
#[derive(Debug, Args)]
pub(crate) struct ProveArguments {
    /// The agents: claude, cline, codex, copilot, gemini, kilo, opencode, qwen; without any, all that are on PATH
    #[arg(value_name = "AGENT")]
    pub(crate) agents: Vec<String>,
    /// The agent's program, if it is not the one on PATH
    #[arg(long, value_name = "FILE", requires = "agents")]
    pub(crate) agent_path: Option<PathBuf>,
    /// What is played.
    #[command(flatten)]
    pub(crate) play: PlayArguments,
    /// Keep the agent's home, project, trail and requests, and say where they are
    #[arg(long)]
    pub(crate) keep: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Take the network as it is
    #[arg(long, hide = true)]
    pub(crate) as_is: bool,
}

/// What a proof plays, if not the conversation of all hooks.
#[derive(Debug, Args)]
pub(crate) struct PlayArguments {
    /// Play a session with memory instead: recall, prediction, reminder, outcome, lesson (Claude Code alone)
    #[arg(long, requires = "agents")]
    pub(crate) memory: bool,
}

/// `tenter model`
#[derive(Debug, Args)]
pub(crate) struct ModelArguments {
    /// What the model says and expects, turn by turn (YAML or JSON)
    #[arg(long, value_name = "FILE")]
    pub(crate) script: PathBuf,
    /// The port on 127.0.0.1; 0 for any that is free
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) port: u16,
    /// Keep every request, with the turn it got, as a numbered file in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,
    /// Speak only this API: anthropic, gemini, openai-responses, openai-chat
    #[arg(long, value_name = "API", value_parser = api)]
    pub(crate) api: Option<Api>,
}

fn api(name: &str) -> Result<Api, String> {
    let known = Api::ALL.map(Api::name).join(", ");
    Api::ALL.into_iter().find(|api| api.name() == name).ok_or(format!("the APIs are {known}"))
}

/// `tenter schema`
#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// Which one; without it the names are listed
    pub(crate) name: Option<String>,
}

/// `tenter demo`
#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Keep the demo's project, hooks and trail, and say where they are
    #[arg(long)]
    pub(crate) keep: bool,
}

/// `tenter-hook`, which becomes this program for help and mistakes: they are told under the name that was typed.
#[derive(Debug, Parser)]
#[command(
    name = "tenter-hook",
    about = "Answer one payload of an agent, read from stdin: this is what agents call, and `tenter init` sets it up"
)]
struct SmallArguments {
    #[command(flatten)]
    hook: HookArguments,
}

/// Reads the command line; or prints help or what is wrong with it, and gives the exit code.
pub(crate) fn parse() -> Result<Command, ExitCode> {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let (parsed, root, words) = if HandedOver::from_environment().is_some() {
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
            // A reader that has gone away is no failure of ours.
            None => drop(error.print()),
        }
        let hot = std::env::args_os().nth(1).is_some_and(|word| word == "hook");
        match error.exit_code() {
            0 => ExitCode::SUCCESS,
            _ if hot => ExitCode::from(exit::STUMBLE),
            _ => ExitCode::from(exit::USAGE),
        }
    })
}
