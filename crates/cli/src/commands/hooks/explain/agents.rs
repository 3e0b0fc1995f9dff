//! What each agent makes of a hook: whether it sends the event, and what of the hook's words it cannot carry.

use std::env;

use tenter_contract::ports::{AgentAdapter, AgentInstaller, Proof, Scope};
use tenter_contract::{Event, HookSpec, event_names};
use tenter_host::install::{SettingsFile, settings_path};

use crate::commands::carrying::{Lack, lacks, shows};

/// An agent, and the hook as it sees it.
pub(super) struct AgentView {
    /// What people call it, and whether it is proven.
    pub(super) title: String,
    pub(super) proven: bool,
    pub(super) name: String,
    /// Whether it calls us.
    pub(super) installed: bool,
    /// Whether its user sees messages at the event.
    pub(super) shows: bool,
    /// What it cannot carry; none if it never sends the event.
    pub(super) lacks: Option<Vec<Lack>>,
}

/// Every agent that is proven, and of the others those that call us.
pub(super) fn views(hook: &HookSpec, event: Option<&Event>) -> Vec<AgentView> {
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
    // An event of another agent says nothing about what this one carries.
    let own = event.filter(|event| event.agent == agent.name() && event.kind == hook.event);
    let row = event_names::row(&hook.event);
    let carried = row.map(|row| lacks(agent, row, own)).unwrap_or_default();
    AgentView {
        title: format!("{}{}", installer.title(), agent.proof().label()),
        proven: agent.proof() == Proof::Measured,
        name: agent.name().to_string(),
        // One that is called by another's entries is not known to be there.
        installed: installer.entries_name().is_none() && is_installed(installer),
        shows: row.is_some_and(|row| shows(agent, row, own)),
        lacks: installer
            .sends(&hook.event)
            .then(|| carried.into_iter().filter(|lack| lack.matters_to(hook)).collect()),
    }
}

fn is_installed(installer: &dyn AgentInstaller) -> bool {
    let project = env::current_dir().unwrap_or_default();
    Scope::ALL.into_iter().any(|scope| {
        let path = installer.place(scope).and_then(|place| settings_path(place, &project).ok());
        let text = path.and_then(|path| SettingsFile::of(installer, &path).ok()?.text);
        text.is_some_and(|text| installer.is_installed(&text).unwrap_or(false))
    })
}
