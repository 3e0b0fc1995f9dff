//! Whether an agent is on this machine: one rule for those who install and for those who look.

use std::path::{Path, PathBuf};

use tenter_contract::ports::{AgentAdapter, AgentInstaller, Scope, SettingsPlace};
use tenter_host::install::settings_path;

use crate::install::installed::on_path;

pub(crate) enum Detected {
    Program(PathBuf),
    /// The folder in which it keeps things of its own.
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

/// The folder of the user that is the agent's and no one else's, if there is one.
fn own_folder(installer: &dyn AgentInstaller) -> Option<PathBuf> {
    let place = match (installer.home_folder(), installer.place(Scope::User)?) {
        (Some(folder), _) => SettingsPlace::Home { variable: "", folder, file: "" },
        // In the settings of another agent, which call this one too, it has nothing of its own.
        (None, _) if installer.entries_name().is_some() => return None,
        (None, SettingsPlace::Project { .. }) => return None,
        (None, SettingsPlace::Home { variable, folder, file }) => {
            // In these, everybody has a folder.
            let common = ["", ".config"].contains(&folder);
            let below = file.split('/').next().filter(|_| common).unwrap_or_default();
            SettingsPlace::Home { variable, folder, file: below }
        }
    };
    // Joined with nothing, a path ends with a slash.
    settings_path(place, Path::new("")).ok().map(|path| path.components().collect())
}
