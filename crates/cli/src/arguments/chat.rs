//! `tenter chat`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tenter_agent::Permission;

use super::ConfigArgument;

/// `tenter chat`
#[derive(Debug, Args)]
pub(crate) struct ChatArguments {
    /// The model: anthropic:NAME, openai:NAME, gemini:NAME, `http://HOST/v1`, scripted:FILE; else what `TENTER_MODEL` says
    #[arg(long, value_name = "SPEC")]
    pub(crate) model: Option<String>,
    /// Do this and end, with the last words alone on stdout; what is piped in is added to it
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) prompt: Option<String>,
    /// Print what happens as it happens, one JSON object per line
    #[arg(long)]
    pub(crate) json: bool,
    /// Go on with a session: the latest of this project, or this one; `list` lists them
    #[arg(long, value_name = "SESSION", num_args = 0..=1, default_missing_value = "")]
    pub(crate) resume: Option<String>,
    /// What needs no question
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = AllowArgument::Look)]
    pub(crate) allow: AllowArgument,
    /// Give the model the tools of the MCP servers in this file, which is as an `.mcp.json`; they are started
    #[arg(long, value_name = "FILE")]
    pub(crate) mcp: Option<PathBuf>,
    /// Do not read `AGENTS.md` and `CLAUDE.md`
    #[arg(long)]
    pub(crate) no_instructions: bool,
    /// Do not offer the tools of the memory
    #[arg(long)]
    pub(crate) no_memory: bool,
    /// Emit `user:notification` after this many seconds without input; 0 for never
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub(crate) notify_after: u64,
    /// Work in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) cd: Option<PathBuf>,
    /// Which hook file.
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}

/// `--allow`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AllowArgument {
    /// Looking at the project
    Look,
    /// And changing files of the project
    Edits,
    /// Everything: hooks are the only guard
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
