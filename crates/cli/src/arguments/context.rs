//! `tenter context …`.

use clap::{Args, Subcommand};

use super::ConfigArgument;

/// `tenter context`
#[derive(Debug, Subcommand)]
pub(crate) enum ContextCommand {
    /// Show what sessions begin with, what hooks put into the latest one, and what is left of its budget
    Show(ContextShowArguments),
}

/// `tenter context show`
#[derive(Debug, Args)]
pub(crate) struct ContextShowArguments {
    /// Only what hooks have put into the context
    #[arg(long)]
    pub(crate) hooks: bool,
    /// Only what they put there in the turn before the last
    #[arg(long)]
    pub(crate) previous: bool,
    /// Of this session (`tenter audit sessions` lists them); without it, the latest of this project
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Which hook file.
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}
