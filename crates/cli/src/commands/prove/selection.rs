//! Selects the agents to prove and finds their programs.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use tenter_contract::ports::{AgentAdapter, Proof};
use tenter_contract::similar;

use crate::commands::prove::error;
use crate::commands::prove::provable_agent::{ProvableAgent, provable_agents};
use crate::error::CliError;
use crate::listing::visible;

pub(crate) struct Chosen {
    pub(crate) target: &'static ProvableAgent,
    pub(crate) program: PathBuf,
}

/// The named agents; without a name, all whose programs are on this `PATH`.
pub(crate) fn choose(names: &[String], named: Option<&Path>, path: &OsStr) -> Result<Vec<Chosen>, CliError> {
    if let (Some(_), [_, _, ..]) = (named, names) {
        return Err(CliError::bad_input(
            "`--agent-path`",
            "it is the program of one agent, and several are named",
            "write `tenter prove claude --agent-path FILE`",
        ));
    }
    if names.is_empty() {
        let found: Vec<Chosen> = provable_agents().filter_map(|target| on_path(target, path)).collect();
        return if found.is_empty() { Err(error::no_provable_agent(provable_agents())) } else { Ok(found) };
    }
    names
        .iter()
        .map(|name| {
            let target = target(name)?;
            let Some(named) = named else {
                let missing = || error::agent_not_on_path(target);
                return on_path(target, path).ok_or_else(missing);
            };
            let program = named.canonicalize().ok().filter(|file| file.is_file());
            let missing = || error::agent_file_missing(target, visible(&named.display().to_string()));
            program.map(|program| Chosen { target, program }).ok_or_else(missing)
        })
        .collect()
}

fn target(name: &str) -> Result<&'static ProvableAgent, CliError> {
    provable_agents().find(|target| target.agent == name).ok_or_else(|| {
        let agent = tenter_adapters::by_name(name).filter(|agent| agent.proof() == Proof::Documented);
        if let Some(installer) = agent.and_then(AgentAdapter::installer) {
            return error::agent_not_provable(installer.title(), name);
        }
        let mut known: Vec<String> = provable_agents().map(|target| target.agent.to_owned()).collect();
        let documented = tenter_adapters::all().iter().filter(|agent| agent.proof() == Proof::Documented);
        let documented: Vec<String> = documented.map(|agent| agent.name().to_string()).collect();
        let all = known.iter().chain(&documented).map(String::as_str);
        let suggestion = similar::nearest(name, all).map(str::to_owned);
        known.push(format!("and from their documentation only {}", documented.join(", ")));
        CliError::unknown_agent(name, suggestion, &known)
    })
}

/// The first program of that name. Links are not resolved, because programs may depend on their name.
fn on_path(target: &'static ProvableAgent, path: &OsStr) -> Option<Chosen> {
    env::split_paths(path)
        .map(|folder| folder.join(target.program))
        .find(|candidate| candidate.is_absolute() && candidate.is_file())
        .map(|program| Chosen { target, program })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn all_agents_on_path_by_default() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().as_os_str();
        assert!(matches!(choose(&[], None, path), Err(error) if error.hint().lines().count() == 9));
        fs::write(folder.path().join("claude"), "").unwrap();
        let chosen: Vec<_> = choose(&[], None, path).unwrap().into_iter().map(|it| it.program).collect();
        assert_eq!(chosen, [folder.path().join("claude")]);
    }

    #[test]
    fn relative_path_folder_is_ignored() {
        assert!(matches!(
            choose(&["claude".to_owned()], None, OsStr::new(".")),
            Err(error) if error.happened() == "Claude Code not found: `claude` is not on PATH"
        ));
    }

    #[test]
    fn unknown_agent_error_lists_every_agent() {
        let error = |name: &str| match choose(&[name.to_owned()], None, OsStr::new("")) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("{name} is no agent"),
        };
        assert!(error("cursr").contains("did you mean `cursor`?"));
        let text = error("nosuch");
        assert!(
            text.contains("knows claude, ")
                && text.contains("qwen, and from their documentation only cursor, ")
        );
        assert!(tenter_adapters::names().all(|name| text.contains(name.as_str())), "{text}");
    }

    /// Hints name the packages that CI installs.
    #[test]
    fn packages_are_those_of_proof_script() {
        let script = include_str!("../../../../../scripts/prove");
        for agent in provable_agents() {
            let row = format!(" {} {} {} ", agent.agent, agent.program, agent.package());
            assert!(script.contains(&row), "scripts/prove has no row{row}");
        }
    }
}
