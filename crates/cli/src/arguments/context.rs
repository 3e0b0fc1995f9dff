//! `tenter context …`.

use clap::{Args, Subcommand};

use super::ConfigArgument;

/// `tenter context`
#[derive(Debug, Subcommand)]
pub(crate) enum ContextCommand {
    /// Show what every session begins with: files by layer, what they expand to, and hooks that add to them
    Show(ContextShowArguments),
}

/// `tenter context show`
#[derive(Debug, Args)]
pub(crate) struct ContextShowArguments {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Which hook file.
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}
