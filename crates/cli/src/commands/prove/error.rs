//! Errors of `tenter prove`: the agent is missing, or cannot be proven.

use std::fmt::Display;

use crate::error::CliError;
use crate::listing::{columns, typed};

#[derive(Clone, Copy, Debug)]
pub(crate) struct Provable {
    pub(crate) title: &'static str,
    pub(crate) name: &'static str,
    /// Its program on `PATH`.
    pub(crate) program: &'static str,
    /// The npm package of the program.
    pub(crate) package: &'static str,
}

impl Provable {
    fn install(&self) -> String {
        format!("npm install --global {}", self.package)
    }
}

pub(crate) fn no_provable_agent(all: &[Provable]) -> CliError {
    let row = |it: &Provable| vec![format!("  {}", it.name), it.title.to_owned(), it.install()];
    let rows: Vec<Vec<String>> = all.iter().map(row).collect();
    CliError::usage(
        "no agent that can be proven is on PATH",
        format!(
            "install one of these, or pass its program: `tenter prove NAME --agent-path FILE`\n{}",
            columns(&rows).join("\n")
        ),
    )
}

pub(crate) fn agent_not_on_path(agent: Provable) -> CliError {
    CliError::usage(
        format!("{} not found: `{}` is not on PATH", agent.title, agent.program),
        format!(
            "install it with `{}`, or pass its program: `tenter prove {} --agent-path FILE`",
            agent.install(),
            agent.name
        ),
    )
}

pub(crate) fn agent_file_missing(agent: Provable, file: impl Display) -> CliError {
    CliError::usage(
        format!("{} not found: there is no file `{file}`", agent.title),
        format!(
            "pass the file of its program; `tenter prove {}` uses `{}` from PATH",
            agent.name, agent.program
        ),
    )
}

pub(crate) fn agent_not_provable(title: &str, name: &str) -> CliError {
    CliError::usage(
        format!(
            "{title} cannot be proven: tenter supports it from its documentation only. A proof needs recorded payloads and an unattended run against a scripted model"
        ),
        format!(
            "run `tenter doctor` to check its settings; to see hooks run, run it after `tenter init {}` and read `tenter audit show`",
            typed(name)
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proof_errors_have_message_and_hint() {
        let agent = |title, name, package| Provable { title, name, program: name, package };
        let claude = agent("Claude Code", "claude", "@anthropic-ai/claude-code");
        let all = [
            no_provable_agent(&[claude, agent("Codex CLI", "codex", "@openai/codex")]),
            agent_not_on_path(claude),
            agent_file_missing(claude, "missing"),
            agent_not_provable("Cursor", "cursor"),
        ];
        let text = all.map(|error| format!("[exit {}] {error}", error.exit_code()));
        insta::assert_snapshot!(text.join("\n"));
    }
}
