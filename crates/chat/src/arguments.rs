//! `tenter chat`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tenter_agent::Permission;

use tenter_console::arguments::ConfigArgument;

/// The arguments of `tenter chat`.
#[derive(Debug, Args)]
pub struct ChatArguments {
    /// Model: anthropic:NAME, openai:NAME, gemini:NAME, `http://HOST/v1` or scripted:FILE [default: `TENTER_MODEL`]
    #[arg(long, value_name = "SPEC")]
    pub model: Option<String>,
    /// Run this prompt and exit, with only the final answer on stdout; piped input is appended
    #[arg(long, short, value_name = "TEXT")]
    pub prompt: Option<String>,
    /// Print events as they happen, one JSON object per line
    #[arg(long)]
    pub json: bool,
    /// Resume the latest session of this project, or the given one; `list` lists them
    #[arg(long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "")]
    pub resume: Option<String>,
    /// Tools that run without asking
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = AllowArgument::Look)]
    pub allow: AllowArgument,
    /// Start the MCP servers in this file (format of `.mcp.json`) and offer their tools to the model
    #[arg(long, value_name = "FILE")]
    pub mcp: Option<PathBuf>,
    /// Do not read `AGENTS.md` and `CLAUDE.md`
    #[arg(long)]
    pub no_instructions: bool,
    /// Do not offer the memory tools
    #[arg(long)]
    pub no_memory: bool,
    /// Seconds without input before `user:notification` is emitted; 0 for never
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub notify_after: u64,
    /// Work in this folder
    #[arg(long, value_name = "DIR")]
    pub cd: Option<PathBuf>,
    #[command(flatten)]
    /// Where hooks are looked for.
    pub config: ConfigArgument,
}

/// Tools that run without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum AllowArgument {
    /// Reading the project
    Look,
    /// Reading and editing files of the project
    Edits,
    /// All tools; hooks are the only guard
    All,
}

impl AllowArgument {
    /// The same in the agent's words.
    pub(crate) fn permission(self) -> Permission {
        match self {
            Self::Look => Permission::Look,
            Self::Edits => Permission::Edits,
            Self::All => Permission::All,
        }
    }
}
