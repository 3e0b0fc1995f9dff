//! Reads the settings files of an agent on this machine, and tenter's entries in them.

use std::path::PathBuf;
use std::{env, fs};

use tenter_contract::event_names;
use tenter_contract::ports::{AgentInstaller, Entry, IfGone, Scope, Wiring};
use tenter_host::install::{SettingsFile, settings_path};

use crate::install::consent::{PendingConsent, pending_consent};
use crate::install::settings::scope_option;

pub(crate) struct InstalledFile {
    pub(crate) scope: Scope,
    pub(crate) path: PathBuf,
    text: Result<String, String>,
}

impl InstalledFile {
    /// The files of every scope, seen from the current folder.
    pub(crate) fn all(installer: &dyn AgentInstaller) -> Vec<Self> {
        let project = env::current_dir().unwrap_or_default();
        let mut found: Vec<Self> = Vec::new();
        for scope in Scope::ALL {
            let path = installer.place(scope).and_then(|place| settings_path(place, &project).ok());
            // In the home folder, the project's file is the user's.
            let Some(path) = path.filter(|path| found.iter().all(|other| other.path != *path)) else {
                continue;
            };
            let text = match SettingsFile::open(installer, &path) {
                Ok(file) => file.text.map(Ok),
                Err(error) => Some(Err(error.to_string())),
            };
            found.extend(text.map(|text| Self { scope, path, text }));
        }
        found
    }

    pub(crate) fn entries(&self, installer: &dyn AgentInstaller) -> Result<Vec<Entry>, String> {
        let text = self.text.as_ref().map_err(Clone::clone)?;
        installer.entries(text).map_err(|error| error.to_string())
    }

    /// Settings, here or in another file, that keep the entries from working.
    pub(crate) fn obstacles(&self, installer: &dyn AgentInstaller) -> Vec<String> {
        let found = self.text.as_ref().ok().and_then(|text| installer.in_the_way(text).ok());
        found.unwrap_or_default().into_iter().chain(overruled(installer, self.scope)).collect()
    }

    /// What our entries do when the tenter program is missing.
    pub(crate) fn if_gone(&self, installer: &dyn AgentInstaller) -> IfGone {
        self.text.as_deref().map_or(IfGone::GoOn, |text| installer.if_gone(text))
    }

    /// Whether our entries are those that `init` writes.
    pub(crate) fn is_as_written(&self, installer: &dyn AgentInstaller) -> bool {
        self.text.as_deref().is_ok_and(|text| installer.is_as_written(text, self.scope))
    }

    pub(crate) fn pending_consent(&self, installer: &dyn AgentInstaller) -> Option<PendingConsent> {
        pending_consent(installer, &self.path, self.text.as_deref().ok()?)
    }

    /// The command that updates our entries.
    pub(crate) fn again(&self, agent: &str) -> String {
        format!("tenter init {agent}{}", scope_option(self.scope))
    }

    /// The command that removes our entries.
    pub(crate) fn undo(&self, agent: &str) -> String {
        format!("tenter uninstall {agent}{}", scope_option(self.scope))
    }
}

/// Why entries of this scope do not work because of another file.
pub(crate) fn overruled(installer: &dyn AgentInstaller, scope: Scope) -> Vec<String> {
    let project = env::current_dir().unwrap_or_default();
    let path = installer.taken_instead(scope).and_then(|place| settings_path(place, &project).ok());
    let text = path.and_then(|path| SettingsFile::read(&path).ok()?.text);
    text.map(|text| installer.overruled_by(&text)).unwrap_or_default()
}

/// The file that an entry calls, if it exists.
pub(crate) fn program_of(entry: &Entry) -> Option<PathBuf> {
    let named = PathBuf::from(&entry.program);
    let file = if entry.program.contains('/') { Some(named) } else { on_path(&entry.program) };
    fs::canonicalize(file?).ok()
}

/// The events that have an entry in what `init` would write, but not in these entries. An event without a name of ours
/// has the agent's.
pub(crate) fn missing_events(entries: &[Entry], installer: &dyn AgentInstaller) -> Vec<String> {
    let any = Wiring {
        program: "/tenter".to_owned(),
        if_gone: IfGone::GoOn,
        scope: Scope::User,
        installation: None,
    };
    let new = installer.install(None, &any).and_then(|installed| installer.entries(&installed.text));
    let name = |entry: &Entry| {
        event_names::find(&entry.event).map_or_else(|| entry.event.clone(), |row| row.canonical.to_owned())
    };
    let installed: Vec<String> = entries.iter().map(name).collect();
    new.unwrap_or_default().iter().map(name).filter(|event| !installed.contains(event)).collect()
}

/// The first file of that name on `PATH`.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_absolute() && file.is_file())
}
