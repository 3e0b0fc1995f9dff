//! A file of our own in a folder of which the agent reads every file.

use tenter_contract::ports::{Entry, Installed, SettingsError, Uninstalled, Wiring};
use tenter_contract::{AgentName, EventKind, event_names};

use super::{Row, called, command};

/// An event, and what is run there.
pub(crate) type Line = (String, String);

/// What stands in it, and how it is read back.
pub(crate) struct OwnFile {
    pub(crate) agent: AgentName,
    pub(crate) rows: &'static [Row],
    /// The whole file, from the events and what is run at each.
    pub(crate) text: fn(&[(&Row, String)]) -> String,
    /// The events of a file and what is run at each; none if it is of another kind.
    pub(crate) lines: fn(&str) -> Option<Vec<Line>>,
}

impl OwnFile {
    /// The events, by our names.
    pub(crate) fn events(&self) -> Vec<EventKind> {
        self.rows.iter().filter_map(|row| event_names::find(row.event)).map(|row| row.kind.clone()).collect()
    }

    /// Writes the file anew. One in which somebody has written something else is not ours to replace.
    pub(crate) fn install(&self, found: Option<&str>, wiring: &Wiring) -> Result<Installed, SettingsError> {
        if found.is_some_and(|found| !found.trim().is_empty() && !self.is_ours(found)) {
            return Err(not_ours());
        }
        let rows: Vec<(&Row, String)> =
            self.rows.iter().map(|row| (row, command(&self.agent, row, wiring))).collect();
        Ok(Installed { text: (self.text)(&rows), warnings: Vec::new() })
    }

    /// Gives the file up, or gives back an empty one that was there before.
    pub(crate) fn uninstall(&self, found: &str, before: Option<&str>) -> Result<Uninstalled, SettingsError> {
        let was_empty = before.is_some_and(|before| before.trim().is_empty());
        match (self.entries(found).is_empty(), self.is_ours(found)) {
            (true, _) => Ok(Uninstalled::NotInstalled),
            (false, true) if was_empty => Ok(Uninstalled::Restored),
            (false, true) => Ok(Uninstalled::NothingElse),
            (false, false) => Err(not_ours()),
        }
    }

    /// Our entries in it.
    pub(crate) fn entries(&self, found: &str) -> Vec<Entry> {
        let lines = (self.lines)(found).unwrap_or_default().into_iter();
        lines
            .filter_map(|(event, line)| Some(Entry { program: called(&line, &self.agent)?, event, line }))
            .collect()
    }

    fn is_ours(&self, found: &str) -> bool {
        let lines = (self.lines)(found);
        lines.is_some_and(|lines| lines.iter().all(|(_, line)| called(line, &self.agent).is_some()))
    }
}

fn not_ours() -> SettingsError {
    SettingsError::WrongType {
        what: "what stands in it".to_owned(),
        expected: "tenter's alone: move what is yours to a file of another name",
    }
}
