//! Which agents are put to the proof, and where their programs are.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use tenter_contract::ports::{AgentAdapter, AgentInstaller, Proof};
use tenter_contract::similar;

use crate::commands::prove::error::{self, Provable};
use crate::commands::prove::provable_agent::{ProvableAgent, provable_agents};
use crate::error::CliError;
use crate::listing::visible;

pub(crate) struct Chosen {
    pub(crate) target: &'static ProvableAgent,
    pub(crate) program: PathBuf,
}

/// Those that were named; without a name, all whose programs are on this `PATH`.
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
        return if found.is_empty() {
            let all: Vec<Provable> = provable_agents().map(provable).collect();
            Err(error::no_provable_agent(&all))
        } else {
            Ok(found)
        };
    }
    names
        .iter()
        .map(|name| {
            let target = target(name)?;
            let Some(named) = named else {
                let missing = || error::agent_not_on_path(provable(target));
                return on_path(target, path).ok_or_else(missing);
            };
            // The shell's folder is the one it is meant from.
            let program = named.canonicalize().ok().filter(|file| file.is_file());
            let missing =
                || error::agent_file_missing(provable(target), visible(&named.display().to_string()));
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

/// The first program of that name. Links are not followed: what one is called may decide what it does.
fn on_path(target: &'static ProvableAgent, path: &OsStr) -> Option<Chosen> {
    env::split_paths(path)
        .map(|folder| folder.join(target.program))
        .find(|candidate| candidate.is_absolute() && candidate.is_file())
        .map(|program| Chosen { target, program })
}

fn provable(target: &'static ProvableAgent) -> Provable {
    let installer = tenter_adapters::by_name(target.agent).and_then(AgentAdapter::installer);
    Provable {
        title: target.title,
        name: target.agent,
        program: target.program,
        package: installer.and_then(AgentInstaller::package).unwrap_or(target.program),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn without_a_name_it_is_everyone_on_the_path() {
        let folder = TempDir::new().unwrap();
        let path = folder.path().as_os_str();
        assert!(matches!(choose(&[], None, path), Err(error) if error.hint().lines().count() == 9));
        fs::write(folder.path().join("claude"), "").unwrap();
        let chosen: Vec<_> = choose(&[], None, path).unwrap().into_iter().map(|it| it.program).collect();
        assert_eq!(chosen, [folder.path().join("claude")]);
    }

    #[test]
    fn a_relative_folder_of_the_path_is_not_looked_into() {
        assert!(matches!(
            choose(&["claude".to_owned()], None, OsStr::new(".")),
            Err(error) if error.happened() == "Claude Code not found: `claude` is not on PATH"
        ));
    }

    /// One that is known from its documents alone is known all the same.
    #[test]
    fn whoever_misspells_a_name_hears_of_every_agent() {
        let error = |name: &str| match choose(&[name.to_owned()], None, OsStr::new("")) {
            Err(error) => error.to_string(),
            Ok(_) => panic!("{name} is no agent"),
        };
        assert!(error("cursr").contains("did you mean `cursor`?"));
        let told = error("nosuch");
        assert!(
            told.contains("knows claude, ")
                && told.contains("qwen, and from their documentation only cursor, ")
        );
        assert!(tenter_adapters::names().all(|name| told.contains(name.as_str())), "{told}");
    }

    /// What people are reported to install is what the proofs of every change run.
    #[test]
    fn the_packages_are_those_that_are_proven() {
        let script = include_str!("../../../../../scripts/prove");
        for agent in provable_agents().map(provable) {
            let row = format!(" {} {} {} ", agent.name, agent.program, agent.package);
            assert!(script.contains(&row), "scripts/prove has no row{row}");
        }
    }
}
