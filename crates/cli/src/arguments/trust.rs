//! `tenter trust …` and `tenter profile …`.

use clap::{Args, Subcommand};

use super::JsonArgument;

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct TrustArguments {
    #[command(subcommand)]
    pub(crate) command: Option<TrustCommand>,
    /// Answer yes, except for commands that cannot be pinned
    #[arg(long)]
    pub(crate) yes: bool,
    /// Trust only if the content has this hash (see `tenter trust show`; for CI)
    #[arg(long, value_name = "HASH")]
    pub(crate) pin: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TrustCommand {
    /// Show the hooks of this project and whether you trust them
    Show(JsonArgument),
    /// Revoke all trust in this project
    Revoke,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    /// List the profiles; the active one is marked
    List(JsonArgument),
    /// Activate a profile for all sessions; `none` deactivates it
    Use(ProfileUseArguments),
    /// Show the hooks of a profile
    Show(ProfileShowArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ProfileUseArguments {
    /// Profile to activate, or `none`
    pub(crate) name: String,
}

#[derive(Debug, Args)]
pub(crate) struct ProfileShowArguments {
    /// Profile to show [default: the active one]
    pub(crate) name: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
