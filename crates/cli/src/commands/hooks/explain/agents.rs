//! Lists the agents with their support for a hook: whether they send the event, and which effects they do not support.

use std::env;

use tenter_contract::ports::{AgentAdapter, AgentInstaller, Proof, Scope};
use tenter_contract::{Event, HookSpec, event_names};
use tenter_host::install::{SettingsFile, settings_path};

use crate::capabilities::{MissingCapability, missing_capabilities, shows};

pub(crate) struct AgentView {
    pub(crate) title: String,
    pub(crate) proven: bool,
    pub(crate) name: String,
    pub(crate) installed: bool,
    pub(crate) shows: bool,
    /// `None` if it never sends the event.
    pub(crate) missing_capabilities: Option<Vec<MissingCapability>>,
}

pub(crate) fn views(hook: &HookSpec, event: Option<&Event>) -> Vec<AgentView> {
    let agents = tenter_adapters::all().iter().copied();
    agents
        .filter_map(|agent| Some((agent, agent.installer()?)))
        .map(|(agent, installer)| view(agent, installer, hook, event))
        .filter(|view| view.proven || view.installed)
        .collect()
}

fn view(
    agent: &dyn AgentAdapter,
    installer: &'static dyn AgentInstaller,
    hook: &HookSpec,
    event: Option<&Event>,
) -> AgentView {
    // An event of another agent says nothing about this one.
    let own = event.filter(|event| event.agent == agent.name() && event.kind == hook.event);
    let row = event_names::row(&hook.event);
    let missing = row.map(|row| missing_capabilities(agent, row, own)).unwrap_or_default();
    AgentView {
        title: format!("{}{}", installer.title(), agent.proof().label()),
        proven: agent.proof() == Proof::Measured,
        name: agent.name().to_string(),
        // Entries of another agent do not show that this one is installed.
        installed: installer.entries_name().is_none() && is_installed(installer),
        shows: row.is_some_and(|row| shows(agent, row, own)),
        missing_capabilities: installer
            .sends(&hook.event)
            .then(|| missing.into_iter().filter(|lack| lack.matters_to(hook)).collect()),
    }
}

fn is_installed(installer: &dyn AgentInstaller) -> bool {
    let project = env::current_dir().unwrap_or_default();
    Scope::ALL.into_iter().any(|scope| {
        let path = installer.place(scope).and_then(|place| settings_path(place, &project).ok());
        let text = path.and_then(|path| SettingsFile::open(installer, &path).ok()?.text);
        text.is_some_and(|text| installer.is_installed(&text).unwrap_or(false))
    })
}
