//! The settings of other agents that an agent reads too, and that call tenter: other ways by which one event reaches us.

use std::path::PathBuf;

use tenter_contract::ports::{AgentAdapter, AgentInstaller, Reading, Scope};

use crate::install::installed::InstalledFile;

/// Such a file.
pub(crate) struct SharedFile {
    /// What people call the agent whose file it is.
    pub(crate) of: &'static str,
    pub(crate) scope: Scope,
    pub(crate) path: PathBuf,
    pub(crate) reading: Reading,
}

/// Those that this agent would read here.
pub(crate) fn others(installer: &dyn AgentInstaller) -> Vec<SharedFile> {
    let mut routes = Vec::new();
    for other in installer.reads_too() {
        let adapter = tenter_adapters::by_name(other.agent.as_str());
        let Some(theirs) = adapter.and_then(AgentAdapter::installer) else { continue };
        let files = InstalledFile::all(theirs).into_iter().filter(|file| other.scopes.contains(&file.scope));
        let calling = files.filter(|file| file.entries(theirs).is_ok_and(|entries| !entries.is_empty()));
        routes.extend(calling.map(|file| SharedFile {
            of: theirs.title(),
            scope: file.scope,
            path: file.path,
            reading: other.reading,
        }));
    }
    routes
}

/// Agents that read the settings of this one, have entries of their own, and cannot be told apart from it by what they
/// send: hooks run twice there.
pub(crate) fn disguised_readers(agent: &dyn AgentAdapter) -> Vec<(&'static str, PathBuf)> {
    let name = agent.name();
    let mut found = Vec::new();
    for reader in tenter_adapters::all().iter().filter_map(|adapter| adapter.installer()) {
        let disguised = |other: &tenter_contract::ports::ReadsToo| {
            other.agent == name && other.reading == Reading::InDisguise
        };
        if !reader.reads_too().iter().any(disguised) {
            continue;
        }
        let files = InstalledFile::all(reader).into_iter();
        let calling = files.filter(|file| file.entries(reader).is_ok_and(|entries| !entries.is_empty()));
        found.extend(calling.map(|file| (reader.title(), file.path)));
    }
    found
}
