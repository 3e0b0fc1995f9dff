//! Kimi's configuration: `[[hooks]]` tables at the end of a TOML file.

use serde_json::Value;
use tenter_contract::ports::{Entry, Installed, SettingsError, Uninstalled, Wiring};

use super::KIMI;
use super::tables::{Table, tables};
use crate::agent_spec::{AgentEvent, AgentSpec};
use crate::installer::{EntryFormat, Layout, hook_command, tenter_program};

pub(super) struct TomlTables;

impl EntryFormat for TomlTables {
    fn install(
        &self,
        agent: &AgentSpec,
        settings: Option<&str>,
        wiring: &Wiring,
    ) -> Result<Installed, SettingsError> {
        let settings = settings.unwrap_or_default();
        check(settings)?;
        let ours: String = agent.installed_events().map(|event| write_table(event, wiring)).collect();
        let mut text = without_ours(settings);
        if !text.is_empty() {
            text.push_str(if text.ends_with('\n') { "\n" } else { "\n\n" });
        }
        text.push_str(ours.trim_start());
        // An open string at the end of the file would swallow them.
        if our_hooks(&text).len() != agent.installed_events().count() {
            return Err(SettingsError::NotToml { detail: "a text in it has no end".to_owned() });
        }
        Ok(Installed { text, warnings: Vec::new() })
    }

    fn uninstall(
        &self,
        agent: &AgentSpec,
        settings: &str,
        before: Option<&str>,
    ) -> Result<Uninstalled, SettingsError> {
        check(settings)?;
        if !self.is_installed(agent, settings)? {
            return Ok(Uninstalled::NotInstalled);
        }
        let rest = without_ours(settings);
        let known = before.filter(|before| our_hooks(before).is_empty());
        if known.is_some_and(|before| before.trim_end() == rest.trim_end()) {
            return Ok(Uninstalled::Restored);
        }
        if rest.trim().is_empty() && known.is_none() {
            return Ok(Uninstalled::NothingElse);
        }
        Ok(Uninstalled::Cut { text: rest })
    }

    fn entries(&self, _agent: &AgentSpec, settings: &str) -> Result<Vec<Entry>, SettingsError> {
        Ok(our_hooks(settings))
    }
}

/// Accepts a file to whose end tables can be added, and no list of hooks in another form.
fn check(settings: &str) -> Result<(), SettingsError> {
    let mut lines = settings.trim_start_matches('\u{feff}').lines().map(str::trim);
    let first = lines.clone().find(|line| !line.is_empty() && !line.starts_with('#'));
    if first.is_some_and(|line| !line.starts_with('[') && !line.contains('=')) {
        let detail = "its first line is no TOML".to_owned();
        return Err(SettingsError::NotToml { detail });
    }
    let other_list = lines
        .any(|line| line == "[hooks]" || line.split_once('=').is_some_and(|(key, _)| key.trim() == "hooks"));
    if other_list {
        let expected = "a list of tables, `[[hooks]]`";
        return Err(SettingsError::WrongType { what: "`hooks`".to_owned(), expected });
    }
    Ok(())
}

fn write_table(event: &AgentEvent, wiring: &Wiring) -> String {
    // A TOML string on one line is escaped as in JSON.
    let command = Value::from(hook_command(&KIMI, &Layout::CLAUDE, event, wiring));
    format!("\n[[hooks]]\nevent = \"{}\"\ncommand = {command}\ntimeout = {}\n", event.name, event.seconds())
}

fn table_entry(table: &Table<'_>) -> Option<Entry> {
    let (event, line) = table.hook.clone()?;
    Some(Entry { program: tenter_program(&line, KIMI.name)?, event, line })
}

fn our_hooks(settings: &str) -> Vec<Entry> {
    tables(settings).iter().filter_map(table_entry).collect()
}

/// The file without our tables, and without the blank line before the first of them.
fn without_ours(settings: &str) -> String {
    let mut rest = String::new();
    let mut cut = false;
    for table in tables(settings) {
        if table_entry(&table).is_none() {
            rest.push_str(table.text);
        } else if !cut {
            cut = true;
            if rest.ends_with("\n\n") {
                rest.pop();
            }
        }
    }
    rest
}
