//! `tenter context …`.

use clap::{Args, Subcommand};

use crate::arguments::ConfigArgument;

#[derive(Debug, Subcommand)]
pub(crate) enum ContextCommand {
    /// Show the context at the start of a session, injected texts of the latest session, and its remaining budget
    Show(ContextShowArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ContextShowArguments {
    /// Show only texts that hooks injected
    #[arg(long)]
    pub(crate) hooks: bool,
    /// Show only texts that hooks injected in the previous turn
    #[arg(long)]
    pub(crate) previous: bool,
    /// Session to show (see `tenter audit sessions`) [default: the latest of this project]
    #[arg(long, value_name = "ID")]
    pub(crate) session: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) config: ConfigArgument,
}
