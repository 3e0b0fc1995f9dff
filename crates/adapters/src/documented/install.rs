//! Putting us into the settings of a documented agent: a table of its places over what all installers share.

use tenter_contract::ports::{
    AgentInstaller, Entry, Installed, ReadsToo, Scope, SettingsError, SettingsPlace, Uninstalled, Wiring,
};
use tenter_contract::{AgentName, EventKind};

use crate::settings_text::HookGroups;

/// How one agent is installed.
pub(crate) struct Installer {
    /// What people call it.
    pub(crate) title: &'static str,
    /// The program by which it is found.
    pub(crate) program: &'static str,
    /// Its settings of the user, of the project, and of the user in the project.
    pub(crate) user: Option<SettingsPlace>,
    pub(crate) project: Option<SettingsPlace>,
    pub(crate) local: Option<SettingsPlace>,
    pub(crate) groups: &'static HookGroups,
    /// What its user has to do besides.
    pub(crate) still_to_do: Option<&'static str>,
    pub(crate) reads_too: &'static [ReadsToo],
    /// The agent that its entries name, if that is another one.
    pub(crate) entries_name: Option<&'static str>,
    /// The folder in the home by which it is found too, if its settings lie in none of its own.
    pub(crate) home_folder: Option<&'static str>,
    /// Its events, if they are not those of the entries.
    pub(crate) sends: Option<&'static [(&'static str, EventKind)]>,
    /// What these become besides.
    pub(crate) becomes_too: &'static [EventKind],
}

impl AgentInstaller for Installer {
    fn title(&self) -> &'static str {
        self.title
    }

    fn place(&self, scope: Scope) -> Option<SettingsPlace> {
        match scope {
            Scope::User => self.user,
            Scope::Project => self.project,
            Scope::Local => self.local,
        }
    }

    fn events(&self) -> Vec<EventKind> {
        match self.sends {
            Some(sends) => sends.iter().map(|(_, kind)| kind.clone()).collect(),
            None => self.groups.events(),
        }
    }

    fn becomes_too(&self) -> &'static [EventKind] {
        self.becomes_too
    }

    fn install(&self, settings: Option<&str>, wiring: &Wiring) -> Result<Installed, SettingsError> {
        self.groups.install(settings, wiring)
    }

    fn uninstall(&self, settings: &str, before: Option<&str>) -> Result<Uninstalled, SettingsError> {
        self.groups.uninstall(settings, before)
    }

    fn entries(&self, settings: &str) -> Result<Vec<Entry>, SettingsError> {
        self.groups.entries(settings)
    }

    fn is_installed(&self, settings: &str) -> Result<bool, SettingsError> {
        self.groups.is_installed(settings)
    }

    fn in_the_way(&self, settings: &str) -> Result<Vec<String>, SettingsError> {
        self.groups.in_the_way(settings)
    }

    fn still_to_do(&self) -> Option<&'static str> {
        self.still_to_do
    }

    fn program(&self) -> Option<&'static str> {
        Some(self.program)
    }

    fn home_folder(&self) -> Option<&'static str> {
        self.home_folder
    }

    fn entries_name(&self) -> Option<AgentName> {
        self.entries_name.map(AgentName::from_static)
    }

    fn reads_too(&self) -> &'static [ReadsToo] {
        self.reads_too
    }
}
