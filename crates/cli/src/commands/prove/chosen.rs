//! Which agents are put to the proof, and where their programs are.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use tenter_contract::ports::{AgentAdapter, AgentInstaller, Proof};
use tenter_contract::similar;

use super::error::{ProofError, Provable};
use super::subject::{Subject, subjects};
use crate::error::CliError;
use crate::listing::visible;

/// An agent and its program.
pub(super) struct Chosen {
    pub(super) subject: &'static Subject,
    pub(super) program: PathBuf,
}

/// Those that were named; without a name, all whose programs are on this `PATH`.
pub(super) fn choose(names: &[String], named: Option<&Path>, path: &OsStr) -> Result<Vec<Chosen>, CliError> {
    if let (Some(_), [_, _, ..]) = (named, names) {
        return Err(CliError::BadInput {
            what: "`--agent-path`".to_owned(),
            detail: "it is the program of one agent, and several are named".to_owned(),
            hint: "write `tenter prove claude --agent-path FILE`".to_owned(),
        });
    }
    if names.is_empty() {
        let found: Vec<Chosen> = subjects().filter_map(|subject| on_path(subject, path)).collect();
        return if found.is_empty() {
            let all = subjects().map(provable).collect();
            Err(CliError::Proof(ProofError::NobodyHere(all)))
        } else {
            Ok(found)
        };
    }
    names
        .iter()
        .map(|name| {
            let subject = subject(name)?;
            let Some(named) = named else {
                let missing = || CliError::Proof(ProofError::NotHere(provable(subject)));
                return on_path(subject, path).ok_or_else(missing);
            };
            // The shell's folder is the one it is meant from.
            let program = named.canonicalize().ok().filter(|file| file.is_file());
            let missing = || ProofError::NoFile {
                agent: provable(subject),
                file: visible(&named.display().to_string()),
            };
            program.map(|program| Chosen { subject, program }).ok_or_else(|| CliError::Proof(missing()))
        })
        .collect()
}

fn subject(name: &str) -> Result<&'static Subject, CliError> {
    subjects().find(|subject| subject.agent == name).ok_or_else(|| {
        let agent = tenter_adapters::by_name(name).filter(|agent| agent.proof() == Proof::Documented);
        if let Some(installer) = agent.and_then(AgentAdapter::installer) {
            let (title, name) = (installer.title(), name.to_owned());
            return CliError::Proof(ProofError::Documented { title, name });
        }
        let mut known: Vec<String> = subjects().map(|subject| subject.agent.to_owned()).collect();
        let documented = tenter_adapters::all().iter().filter(|agent| agent.proof() == Proof::Documented);
        let documented: Vec<String> = documented.map(|agent| agent.name().to_string()).collect();
        let all = known.iter().chain(&documented).map(String::as_str);
        let suggestion = similar::nearest(name, all).map(str::to_owned);
        known.push(format!("and from their documents alone {}", documented.join(", ")));
        CliError::UnknownAgent { name: name.to_owned(), suggestion, known }
    })
}

/// The first program of that name. Links are not followed: what one is called may decide what it does.
fn on_path(subject: &'static Subject, path: &OsStr) -> Option<Chosen> {
    env::split_paths(path)
        .map(|folder| folder.join(subject.program))
        .find(|candidate| candidate.is_absolute() && candidate.is_file())
        .map(|program| Chosen { subject, program })
}

fn provable(subject: &'static Subject) -> Provable {
    let installer = tenter_adapters::by_name(subject.agent).and_then(AgentAdapter::installer);
    Provable {
        title: subject.title,
        name: subject.agent,
        program: subject.program,
        package: installer.and_then(AgentInstaller::package).unwrap_or(subject.program),
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
        assert!(
            matches!(choose(&[], None, path), Err(CliError::Proof(ProofError::NobodyHere(all))) if all.len() == 8)
        );
        fs::write(folder.path().join("claude"), "").unwrap();
        let chosen: Vec<_> = choose(&[], None, path).unwrap().into_iter().map(|it| it.program).collect();
        assert_eq!(chosen, [folder.path().join("claude")]);
    }

    #[test]
    fn a_relative_folder_of_the_path_is_not_looked_into() {
        assert!(matches!(
            choose(&["claude".to_owned()], None, OsStr::new(".")),
            Err(CliError::Proof(ProofError::NotHere(_)))
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
            told.contains("knows claude, ") && told.contains("qwen, and from their documents alone cursor, ")
        );
        assert!(tenter_adapters::names().all(|name| told.contains(name.as_str())), "{told}");
    }

    /// What people are told to install is what the proofs of every change run.
    #[test]
    fn the_packages_are_those_that_are_proven() {
        let script = include_str!("../../../../../scripts/prove");
        for agent in subjects().map(provable) {
            let row = format!(" {} {} {} ", agent.name, agent.program, agent.package);
            assert!(script.contains(&row), "scripts/prove has no row{row}");
        }
    }
}
