//! Errors of `tenter prove`: the agent is missing, or cannot be proven.

use std::fmt::Display;

use crate::commands::prove::provable_agent::ProvableAgent;
use crate::error::CliError;
use crate::listing::{columns, typed};

pub(crate) fn no_provable_agent(all: impl Iterator<Item = &'static ProvableAgent>) -> CliError {
    let row = |it: &ProvableAgent| vec![format!("  {}", it.agent), it.title.to_owned(), it.install_command()];
    let rows = columns(&all.map(row).collect::<Vec<_>>()).join("\n");
    CliError::usage(
        "no agent that can be proven is on PATH",
        format!("install one of these, or pass its program: `tenter prove NAME --agent-path FILE`\n{rows}"),
    )
}

pub(crate) fn agent_not_on_path(agent: &ProvableAgent) -> CliError {
    CliError::usage(
        format!("{} not found: `{}` is not on PATH", agent.title, agent.program),
        format!(
            "install it with `{}`, or pass its program: `tenter prove {} --agent-path FILE`",
            agent.install_command(),
            agent.agent
        ),
    )
}

pub(crate) fn agent_file_missing(agent: &ProvableAgent, file: impl Display) -> CliError {
    CliError::usage(
        format!("{} not found: there is no file `{file}`", agent.title),
        format!(
            "pass the file of its program; `tenter prove {}` uses `{}` from PATH",
            agent.agent, agent.program
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
    use crate::commands::prove::provable_agent::provable_agents;

    #[test]
    fn proof_errors_have_message_and_hint() {
        let agent = |name: &str| provable_agents().find(|it| it.agent == name).unwrap();
        let claude = agent("claude");
        let all = [
            no_provable_agent([claude, agent("codex")].into_iter()),
            agent_not_on_path(claude),
            agent_file_missing(claude, "missing"),
            agent_not_provable("Cursor", "cursor"),
        ];
        let text = all.map(|error| format!("[exit {}] {error}", error.exit_code()));
        insta::assert_snapshot!(text.join("\n"));
    }
}
