//! Settings of other agents that an agent also reads and that call tenter, so that one event arrives twice.

use std::path::PathBuf;

use tenter_contract::ports::{AgentAdapter, AgentInstaller, Reading, ReadsToo, Scope};

use crate::install::installed::InstalledFile;

pub(crate) struct SharedFile {
    /// The title of the agent that owns the file.
    pub(crate) of: &'static str,
    pub(crate) scope: Scope,
    pub(crate) path: PathBuf,
    pub(crate) reading: Reading,
}

/// The files of other agents that this agent reads here.
pub(crate) fn others(installer: &dyn AgentInstaller) -> Vec<SharedFile> {
    let mut files = Vec::new();
    for other in installer.reads_too() {
        let adapter = tenter_adapters::by_name(other.agent.as_str());
        let Some(owner) = adapter.and_then(AgentAdapter::installer) else { continue };
        let (of, reading) = (owner.title(), other.reading);
        let calling = calling_files(owner).filter(|file| other.scopes.contains(&file.scope));
        files.extend(calling.map(|file| SharedFile { of, scope: file.scope, path: file.path, reading }));
    }
    files
}

/// Agents that read the settings of this one, have entries of their own, and send the same payloads: hooks run twice
/// there.
pub(crate) fn disguised_readers(agent: &dyn AgentAdapter) -> Vec<(&'static str, PathBuf)> {
    let name = agent.name();
    let disguised = |other: &ReadsToo| other.agent == name && other.reading == Reading::InDisguise;
    let readers = tenter_adapters::all().iter().filter_map(|adapter| adapter.installer());
    readers
        .filter(|reader| reader.reads_too().iter().any(disguised))
        .flat_map(|reader| calling_files(reader).map(|file| (reader.title(), file.path)))
        .collect()
}

/// The settings files of an agent that call tenter.
fn calling_files(installer: &dyn AgentInstaller) -> impl Iterator<Item = InstalledFile> {
    let files = InstalledFile::all(installer).into_iter();
    files.filter(|file| file.entries(installer).is_ok_and(|entries| !entries.is_empty()))
}
