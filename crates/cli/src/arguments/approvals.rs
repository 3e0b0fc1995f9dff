//! `tenter approvals …`.

use clap::{Args, Subcommand};

/// `tenter approvals`
#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// List open questions, what was granted for a session, and answers that stand
    List(ApprovalsListArguments),
    /// Watch for questions and answer them here, as long as this runs
    ///
    /// While somebody watches, every question of every agent comes here, with what would run and who asks. With
    /// `--json`, questions are printed one per line, and lines such as `ID OPTION` on stdin answer them.
    Watch(ApprovalsListArguments),
    /// Answer one open question
    Answer(ApprovalsAnswerArguments),
    /// Always allow what a hook asks about, where a pattern fits
    ///
    /// The pattern is compared with the paths of the call, with its command, or else with the prompt. With
    /// wildcards it covers no command that joins several (`;`, `&&`, `|`, `$(…)`, `>`).
    Allow(ApprovalsRuleArguments),
    /// Always deny what a hook asks about, where a pattern fits
    Deny(ApprovalsRuleArguments),
    /// Take back a grant or an answer that stands
    Revoke(ApprovalsRevokeArguments),
}

/// `tenter approvals list` and `watch`
#[derive(Debug, Args)]
pub(crate) struct ApprovalsListArguments {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter approvals answer`
#[derive(Debug, Args)]
pub(crate) struct ApprovalsAnswerArguments {
    /// The question (`tenter approvals list` has the ids)
    pub(crate) id: String,
    /// One of its options, by its words or its number
    pub(crate) option: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter approvals allow` and `deny`
#[derive(Debug, Args)]
pub(crate) struct ApprovalsRuleArguments {
    /// The hook that asks, by its name or as `layer/name`
    pub(crate) hook: String,
    /// What is covered: a glob such as `production/*` or `git push *`, or a regular expression between slashes
    pub(crate) pattern: String,
    /// Only in the project of this folder
    #[arg(long)]
    pub(crate) project: bool,
    /// How long it stands, as in `12h` or `30d`; for good if not given
    #[arg(long, value_name = "TIME")]
    pub(crate) expires: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `tenter approvals revoke`
#[derive(Debug, Args)]
pub(crate) struct ApprovalsRevokeArguments {
    /// The grant or rule (`tenter approvals list` has the ids)
    pub(crate) id: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
