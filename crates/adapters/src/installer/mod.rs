//! Installing tenter in an agent: one implementation over a table of places and a format of entries.

mod tenter_call;
mod command;
mod hook_groups;
mod layout;
mod own_file;
mod json_rules;

use tenter_contract::ports::{
    AgentInstaller, Agreement, Consent, Entry, IfGone, Installed, ReadsToo, Scope, SettingsError,
    SettingsPlace, Switch, Uninstalled, Wiring,
};
use tenter_contract::{AgentName, EventKind};

pub(crate) use command::{DenyIfGone, hook_command};
pub(crate) use hook_groups::{HookGroups, PlacedHandler};
pub(crate) use json_rules::{JsonRules, switch_warning};
pub(crate) use layout::{Form, Layout};
pub(crate) use own_file::OwnFile;
pub(crate) use tenter_call::tenter_program;

use crate::agent_spec::{AgentEvent, AgentSpec};

pub(crate) struct Installer {
    pub(crate) title: &'static str,
    /// The program by which it is found, if it is not called as we call the agent.
    pub(crate) program: Option<&'static str>,
    pub(crate) package: Option<&'static str>,
    /// Its settings of the user, of the project, and of the user in the project.
    pub(crate) user: Option<SettingsPlace>,
    pub(crate) project: Option<SettingsPlace>,
    pub(crate) local: Option<SettingsPlace>,
    pub(crate) format: &'static dyn EntryFormat,
    /// The agent whose entries call this one too.
    pub(crate) entries_of: Option<&'static AgentSpec>,
    pub(crate) reads_too: &'static [ReadsToo],
    pub(crate) becomes_too: &'static [EventKind],
    pub(crate) runs_twins_once: bool,
    pub(crate) still_to_do: Option<&'static str>,
    /// The folder in the home by which it is found too.
    pub(crate) home_folder: Option<&'static str>,
    pub(crate) taken_instead: Option<TakenInstead>,
    pub(crate) switch: Option<Switch>,
    pub(crate) consent: Option<Consent>,
    pub(crate) agreements: fn(&str, &str) -> Result<Vec<Agreement>, SettingsError>,
}

/// Other files of the user and of the project that the agent takes hooks from instead.
pub(crate) struct TakenInstead {
    pub(crate) user: SettingsPlace,
    pub(crate) project: SettingsPlace,
    /// Which of our entries such a file overrules, as a warning.
    pub(crate) warn: fn(&str) -> Option<String>,
}

impl Installer {
    /// An installer of Claude Code's groups that has no place yet.
    pub(crate) const NONE: Self = Self {
        title: "",
        program: None,
        package: None,
        user: None,
        project: None,
        local: None,
        format: &Layout::CLAUDE,
        entries_of: None,
        reads_too: &[],
        becomes_too: &[],
        runs_twins_once: false,
        still_to_do: None,
        home_folder: None,
        taken_instead: None,
        switch: None,
        consent: None,
        agreements: |_, _| Ok(Vec::new()),
    };
}

/// A settings file in a folder of the user; an empty variable means none.
pub(crate) const fn home(
    variable: &'static str,
    folder: &'static str,
    file: &'static str,
) -> Option<SettingsPlace> {
    Some(SettingsPlace::Home { variable, folder, file })
}

pub(crate) const fn in_project(file: &'static str) -> Option<SettingsPlace> {
    Some(SettingsPlace::Project { file })
}

/// How entries of ours are written into a text, read and removed. The promises are those of `AgentInstaller`.
pub(crate) trait EntryFormat: Sync {
    fn install(
        &self,
        agent: &AgentSpec,
        settings: Option<&str>,
        wiring: &Wiring,
    ) -> Result<Installed, SettingsError>;

    fn uninstall(
        &self,
        agent: &AgentSpec,
        settings: &str,
        before: Option<&str>,
    ) -> Result<Uninstalled, SettingsError>;

    fn entries(&self, agent: &AgentSpec, settings: &str) -> Result<Vec<Entry>, SettingsError>;

    fn is_installed(&self, agent: &AgentSpec, settings: &str) -> Result<bool, SettingsError> {
        Ok(!self.entries(agent, settings)?.is_empty())
    }

    fn warnings(&self, _agent: &AgentSpec, _settings: &str) -> Result<Vec<String>, SettingsError> {
        Ok(Vec::new())
    }

    fn if_gone(&self, agent: &AgentSpec, settings: &str) -> IfGone {
        let entries = self.entries(agent, settings).unwrap_or_default();
        let denies = entries.iter().any(|entry| entry.line.contains("tenter is gone from "));
        if denies { IfGone::Deny } else { IfGone::GoOn }
    }

    /// The file of each event, for an agent that runs the files of a folder.
    fn files(&self) -> &'static [&'static str] {
        &[]
    }
}

impl AgentSpec {
    pub(crate) fn installed_events(&self) -> impl Iterator<Item = &'static AgentEvent> {
        self.events.iter().filter(|event| event.timeout.is_some())
    }

    fn entries_agent(&self) -> &AgentSpec {
        self.installer.entries_of.unwrap_or(self)
    }
}

impl AgentInstaller for AgentSpec {
    fn title(&self) -> &'static str {
        self.installer.title
    }

    fn place(&self, scope: Scope) -> Option<SettingsPlace> {
        match scope {
            Scope::User => self.installer.user,
            Scope::Project => self.installer.project,
            Scope::Local => self.installer.local,
        }
    }

    fn files(&self) -> &'static [&'static str] {
        self.installer.format.files()
    }

    fn events(&self) -> Vec<EventKind> {
        self.installed_events().map(|event| event.event_kind(self)).collect()
    }

    fn becomes_too(&self) -> &'static [EventKind] {
        self.installer.becomes_too
    }

    fn install(&self, settings: Option<&str>, wiring: &Wiring) -> Result<Installed, SettingsError> {
        let agent = self.entries_agent();
        agent.installer.format.install(agent, settings, wiring)
    }

    fn uninstall(&self, settings: &str, before: Option<&str>) -> Result<Uninstalled, SettingsError> {
        let agent = self.entries_agent();
        agent.installer.format.uninstall(agent, settings, before)
    }

    fn entries(&self, settings: &str) -> Result<Vec<Entry>, SettingsError> {
        let agent = self.entries_agent();
        agent.installer.format.entries(agent, settings)
    }

    fn is_installed(&self, settings: &str) -> Result<bool, SettingsError> {
        let agent = self.entries_agent();
        agent.installer.format.is_installed(agent, settings)
    }

    fn if_gone(&self, settings: &str) -> IfGone {
        let agent = self.entries_agent();
        agent.installer.format.if_gone(agent, settings)
    }

    fn in_the_way(&self, settings: &str) -> Result<Vec<String>, SettingsError> {
        let agent = self.entries_agent();
        agent.installer.format.warnings(agent, settings)
    }

    fn taken_instead(&self, scope: Scope) -> Option<SettingsPlace> {
        let instead = self.installer.taken_instead.as_ref()?;
        match scope {
            Scope::User => Some(instead.user),
            Scope::Project => Some(instead.project),
            Scope::Local => None,
        }
    }

    fn overruled_by(&self, other: &str) -> Vec<String> {
        let instead = self.installer.taken_instead.as_ref();
        instead.and_then(|instead| (instead.warn)(other)).into_iter().collect()
    }

    fn switch(&self) -> Option<Switch> {
        self.installer.switch
    }

    fn consent(&self) -> Option<Consent> {
        self.installer.consent
    }

    fn agreements(&self, file: &str, settings: &str) -> Result<Vec<Agreement>, SettingsError> {
        (self.installer.agreements)(file, settings)
    }

    fn still_to_do(&self) -> Option<&'static str> {
        self.installer.still_to_do
    }

    fn program(&self) -> Option<&'static str> {
        self.installer.program
    }

    fn home_folder(&self) -> Option<&'static str> {
        self.installer.home_folder
    }

    fn package(&self) -> Option<&'static str> {
        self.installer.package
    }

    fn entries_name(&self) -> Option<AgentName> {
        self.installer.entries_of.map(AgentSpec::agent_name)
    }

    fn reads_too(&self) -> &'static [ReadsToo] {
        self.installer.reads_too
    }

    fn runs_twins_once(&self) -> bool {
        self.installer.runs_twins_once
    }
}
