//! Detects whether an agent is on this machine, for `init` and `doctor`.

use std::path::{Path, PathBuf};

use tenter_contract::ports::{AgentAdapter, AgentInstaller, Scope, SettingsPlace};
use tenter_host::install::settings_path;

use crate::install::installed::on_path;

pub(crate) enum Detected {
    Program(PathBuf),
    /// The folder with the agent's own files.
    Folder(PathBuf),
}

impl Detected {
    pub(crate) fn find(agent: &dyn AgentAdapter, installer: &dyn AgentInstaller) -> Option<Self> {
        let name = agent.name();
        let program = on_path(installer.program().unwrap_or(name.as_str())).map(Self::Program);
        program.or_else(|| own_folder(installer).filter(|folder| folder.is_dir()).map(Self::Folder))
    }

    pub(crate) fn program(&self) -> Option<&Path> {
        match self {
            Self::Program(path) => Some(path),
            Self::Folder(_) => None,
        }
    }
}

/// The folder in the user's home that belongs to this agent alone.
fn own_folder(installer: &dyn AgentInstaller) -> Option<PathBuf> {
    let place = match (installer.home_folder(), installer.place(Scope::User)?) {
        (Some(folder), _) => SettingsPlace::Home { variable: "", folder, file: "" },
        // With the entries of another agent it has no folder of its own.
        (None, _) if installer.entries_name().is_some() => return None,
        (None, SettingsPlace::Project { .. }) => return None,
        (None, SettingsPlace::Home { variable, folder, file }) => {
            // Many programs have a folder in these.
            let common = ["", ".config"].contains(&folder);
            let below = file.split('/').next().filter(|_| common).unwrap_or_default();
            SettingsPlace::Home { variable, folder, file: below }
        }
    };
    // Joined with nothing, a path ends with a slash.
    settings_path(place, Path::new("")).ok().map(|path| path.components().collect())
}
