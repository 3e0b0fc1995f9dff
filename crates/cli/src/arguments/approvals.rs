//! `tenter approvals …`.

use clap::{Args, Subcommand};

use super::JsonArgument;

#[derive(Debug, Subcommand)]
pub(crate) enum ApprovalsCommand {
    /// List open questions, grants and rules
    List(JsonArgument),
    /// Watch for questions and answer them here
    ///
    /// While this runs, questions of all agents appear here, with the input and the hooks that ask. With
    /// `--json`, questions are printed one per line, and lines such as `ID OPTION` on stdin answer them.
    Watch(JsonArgument),
    /// Answer one open question
    Answer(ApprovalsAnswerArguments),
    /// Always allow calls that a hook asks about and that match a pattern
    ///
    /// The pattern is matched against the paths of the call, its command, or the prompt. A pattern with
    /// wildcards never matches a compound command (`;`, `&&`, `|`, `$(…)`, `>`).
    Allow(ApprovalsRuleArguments),
    /// Always deny calls that a hook asks about and that match a pattern
    Deny(ApprovalsRuleArguments),
    /// Revoke a grant or a rule
    Revoke(ApprovalsRevokeArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ApprovalsAnswerArguments {
    /// Id of the question (see `tenter approvals list`)
    pub(crate) id: String,
    /// Option to choose, by label or number
    pub(crate) option: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApprovalsRuleArguments {
    /// Hook that asks, as `name` or `layer/name`
    pub(crate) hook: String,
    /// Glob such as `production/*` or `git push *`, or a regular expression between slashes
    pub(crate) pattern: String,
    /// Apply the rule in this project only
    #[arg(long)]
    pub(crate) project: bool,
    /// Time until the rule expires, such as `12h` or `30d` [default: never]
    #[arg(long, value_name = "TIME")]
    pub(crate) expires: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ApprovalsRevokeArguments {
    /// Id of the grant or rule (see `tenter approvals list`)
    pub(crate) id: String,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
