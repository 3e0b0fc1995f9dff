//! Kimi's configuration: `[[hooks]]` tables at the end of a TOML file.

use tenter_contract::ports::{
    AgentInstaller, Entry, Installed, Scope, SettingsError, SettingsPlace, Uninstalled, Wiring,
};
use tenter_contract::{AgentName, EventKind, event_names};

use super::NAME;
use super::tables::{Table, tables};
use crate::settings_text::{Duty, Row, called, command, row};

/// Without a time of its own Kimi waits 30 s.
const ROWS: [Row; 13] = [
    row("SessionStart", 60, Duty::Watch),
    row("UserPromptSubmit", 60, Duty::Guard),
    row("PreToolUse", 600, Duty::Guard),
    row("PostToolUse", 600, Duty::Watch),
    row("PostToolUseFailure", 600, Duty::Watch),
    row("SubagentStart", 60, Duty::Watch),
    row("SubagentStop", 60, Duty::Watch),
    row("PreCompact", 60, Duty::Watch),
    row("PostCompact", 60, Duty::Watch),
    row("Notification", 60, Duty::Watch),
    row("Stop", 60, Duty::Watch),
    row("StopFailure", 60, Duty::Watch),
    row("SessionEnd", 5, Duty::Watch),
];

const KIMI: AgentName = AgentName::from_static(NAME);

pub(super) struct Installer;

pub(super) static INSTALLER: Installer = Installer;

impl AgentInstaller for Installer {
    fn title(&self) -> &'static str {
        "Kimi CLI"
    }

    /// It reads hooks of the user alone.
    fn place(&self, scope: Scope) -> Option<SettingsPlace> {
        match scope {
            Scope::User => Some(SettingsPlace::Home { variable: "", folder: ".kimi", file: "config.toml" }),
            Scope::Project | Scope::Local => None,
        }
    }

    fn events(&self) -> Vec<EventKind> {
        ROWS.iter().filter_map(|row| event_names::find(row.event)).map(|row| row.kind.clone()).collect()
    }

    fn install(&self, settings: Option<&str>, wiring: &Wiring) -> Result<Installed, SettingsError> {
        let settings = settings.unwrap_or_default();
        check(settings)?;
        let ours: String = ROWS.iter().map(|row| table(row, wiring)).collect();
        let mut text = without_ours(settings);
        if !text.is_empty() {
            text.push_str(if text.ends_with('\n') { "\n" } else { "\n\n" });
        }
        text.push_str(ours.trim_start());
        // A text that is open at the end of the file would swallow them.
        if our_hooks(&text).len() != ROWS.len() {
            return Err(SettingsError::NotToml { detail: "a text in it has no end".to_owned() });
        }
        Ok(Installed { text, warnings: Vec::new() })
    }

    fn uninstall(&self, settings: &str, before: Option<&str>) -> Result<Uninstalled, SettingsError> {
        check(settings)?;
        if !self.is_installed(settings)? {
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

    fn entries(&self, settings: &str) -> Result<Vec<Entry>, SettingsError> {
        Ok(our_hooks(settings))
    }

    fn is_installed(&self, settings: &str) -> Result<bool, SettingsError> {
        Ok(!our_hooks(settings).is_empty())
    }

    fn in_the_way(&self, _settings: &str) -> Result<Vec<String>, SettingsError> {
        Ok(Vec::new())
    }
}

/// A file to whose end tables can be added. Of a list that is written in another way there would be two.
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

fn table(row: &Row, wiring: &Wiring) -> String {
    // A text of TOML on one line is escaped as in JSON.
    let command = serde_json::Value::from(command(&KIMI, row, wiring));
    format!("\n[[hooks]]\nevent = \"{}\"\ncommand = {command}\ntimeout = {}\n", row.event, row.timeout)
}

fn entry(table: &Table<'_>) -> Option<Entry> {
    let (event, line) = table.hook.clone()?;
    Some(Entry { program: called(&line, &KIMI)?, event, line })
}

fn our_hooks(settings: &str) -> Vec<Entry> {
    tables(settings).iter().filter_map(entry).collect()
}

/// The file without our tables, and without the blank line before the first of them.
fn without_ours(settings: &str) -> String {
    let mut rest = String::new();
    let mut cut = false;
    for table in tables(settings) {
        if entry(&table).is_none() {
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
