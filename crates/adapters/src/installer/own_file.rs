//! A file of our own in a folder of which the agent reads every file.

use tenter_contract::ports::{Entry, Installed, SettingsError, Uninstalled, Wiring};

use super::{EntryFormat, Layout, hook_command, tenter_program};
use crate::agent_spec::{AgentEvent, AgentSpec};

/// The agent's name for an event, and the command that runs there.
pub(crate) type EventCommand = (String, String);

pub(crate) struct OwnFile {
    /// The whole file, from the events and their commands.
    pub(crate) write: fn(&[(&AgentEvent, String)]) -> String,
    /// The events of a file and their commands; none if the file has another form.
    pub(crate) commands: fn(&str) -> Option<Vec<EventCommand>>,
}

impl EntryFormat for OwnFile {
    /// Writes the file anew, unless it has entries of others.
    fn install(
        &self,
        agent: &AgentSpec,
        found: Option<&str>,
        wiring: &Wiring,
    ) -> Result<Installed, SettingsError> {
        if found.is_some_and(|found| !found.trim().is_empty() && !self.is_ours(agent, found)) {
            return Err(not_ours());
        }
        let events = agent.installed_events();
        let commands: Vec<(&AgentEvent, String)> =
            events.map(|event| (event, hook_command(agent, &Layout::CLAUDE, event, wiring))).collect();
        Ok(Installed { text: (self.write)(&commands), warnings: Vec::new() })
    }

    fn uninstall(
        &self,
        agent: &AgentSpec,
        found: &str,
        before: Option<&str>,
    ) -> Result<Uninstalled, SettingsError> {
        let was_empty = before.is_some_and(|before| before.trim().is_empty());
        match (self.entries(agent, found)?.is_empty(), self.is_ours(agent, found)) {
            (true, _) => Ok(Uninstalled::NotInstalled),
            (false, true) if was_empty => Ok(Uninstalled::Restored),
            (false, true) => Ok(Uninstalled::NothingElse),
            (false, false) => Err(not_ours()),
        }
    }

    fn entries(&self, agent: &AgentSpec, found: &str) -> Result<Vec<Entry>, SettingsError> {
        let commands = (self.commands)(found).unwrap_or_default().into_iter();
        let entry = |(event, line): EventCommand| {
            Some(Entry { program: tenter_program(&line, agent.name)?, event, line })
        };
        Ok(commands.filter_map(entry).collect())
    }
}

impl OwnFile {
    fn is_ours(&self, agent: &AgentSpec, found: &str) -> bool {
        let commands = (self.commands)(found);
        commands.is_some_and(|all| all.iter().all(|(_, line)| tenter_program(line, agent.name).is_some()))
    }
}

fn not_ours() -> SettingsError {
    SettingsError::WrongType {
        what: "its content".to_owned(),
        expected: "tenter's alone: move what is yours to a file of another name",
    }
}
