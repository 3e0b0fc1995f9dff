//! `tenter trust …` and `tenter profile …`.

use clap::{Args, Subcommand};

/// `tenter trust`
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct TrustArguments {
    /// What to do instead of trusting.
    #[command(subcommand)]
    pub(crate) command: Option<TrustCommand>,
    /// Answer yes; commands that cannot be pinned are still asked about
    #[arg(long)]
    pub(crate) yes: bool,
    /// Trust only if the content has this hash, as `tenter trust show` prints it (for CI)
    #[arg(long, value_name = "HASH")]
    pub(crate) pin: Option<String>,
}

/// `tenter trust …`
#[derive(Debug, Subcommand)]
pub(crate) enum TrustCommand {
    /// Show what this project would run and whether you have trusted it
    Show(TrustShowArguments),
    /// Take back all trust in this project
    Revoke,
}

/// `tenter trust show`
#[derive(Debug, Args)]
pub(crate) struct TrustShowArguments {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter profile`
#[derive(Debug, Subcommand)]
pub(crate) enum ProfileCommand {
    /// List the profiles; the active one is marked
    List(ProfileListArguments),
    /// Make a profile the active one, for every session from now on; `none` goes without
    Use(ProfileUseArguments),
    /// Show the hooks of a profile, or of the active one
    Show(ProfileShowArguments),
}

/// `tenter profile list`
#[derive(Debug, Args)]
pub(crate) struct ProfileListArguments {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter profile use`
#[derive(Debug, Args)]
pub(crate) struct ProfileUseArguments {
    /// The profile, or `none`
    pub(crate) name: String,
}

/// `tenter profile show`
#[derive(Debug, Args)]
pub(crate) struct ProfileShowArguments {
    /// The profile; the active one if not given
    pub(crate) name: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
