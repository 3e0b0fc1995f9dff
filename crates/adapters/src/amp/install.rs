//! Our plugin for Amp: one file that it loads by itself.

use tenter_contract::ports::{
    AgentInstaller, Entry, Installed, Scope, SettingsError, SettingsPlace, Uninstalled, Wiring,
};
use tenter_contract::{AgentName, EventKind};

use super::NAME;
use crate::settings_text::{Duty, Line, OwnFile, Row, row};

const ROWS: [Row; 5] = [
    row("session.start", 60, Duty::Watch),
    row("prompt.submit", 60, Duty::Watch),
    row("tool.call", 600, Duty::Guard),
    row("tool.result", 60, Duty::Watch),
    row("agent.end", 60, Duty::Watch),
];

const PLUGIN: &str = include_str!("plugin.ts");

/// The line of the plugin in which the commands stand, by event.
const COMMANDS: &str = "const COMMANDS: Record<string, string> = ";

static FILE: OwnFile = OwnFile { agent: AgentName::from_static(NAME), rows: &ROWS, text, lines };

fn text(rows: &[(&Row, String)]) -> String {
    let commands: serde_json::Map<String, serde_json::Value> =
        rows.iter().map(|(row, command)| (row.event.to_owned(), command.as_str().into())).collect();
    let commands = serde_json::Value::Object(commands);
    PLUGIN.replace(&format!("{COMMANDS}{{}};"), &format!("{COMMANDS}{commands};"))
}

fn lines(text: &str) -> Option<Vec<Line>> {
    let line = text.lines().find_map(|line| line.strip_prefix(COMMANDS)?.strip_suffix(';'))?;
    let commands: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).ok()?;
    let command = |value: serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    Some(commands.into_iter().map(|(event, value)| (event, command(value))).collect())
}

pub(super) struct Installer;

pub(super) static INSTALLER: Installer = Installer;

impl AgentInstaller for Installer {
    fn title(&self) -> &'static str {
        "Amp"
    }

    fn place(&self, scope: Scope) -> Option<SettingsPlace> {
        match scope {
            Scope::User => Some(SettingsPlace::Home {
                variable: "XDG_CONFIG_HOME",
                folder: ".config",
                file: "amp/plugins/tenter.ts",
            }),
            Scope::Project => Some(SettingsPlace::Project { file: ".amp/plugins/tenter.ts" }),
            Scope::Local => None,
        }
    }

    fn events(&self) -> Vec<EventKind> {
        FILE.events()
    }

    fn install(&self, settings: Option<&str>, wiring: &Wiring) -> Result<Installed, SettingsError> {
        FILE.install(settings, wiring)
    }

    fn uninstall(&self, settings: &str, before: Option<&str>) -> Result<Uninstalled, SettingsError> {
        FILE.uninstall(settings, before)
    }

    fn entries(&self, settings: &str) -> Result<Vec<Entry>, SettingsError> {
        Ok(FILE.entries(settings))
    }

    fn is_installed(&self, settings: &str) -> Result<bool, SettingsError> {
        Ok(!FILE.entries(settings).is_empty())
    }

    fn in_the_way(&self, _settings: &str) -> Result<Vec<String>, SettingsError> {
        Ok(Vec::new())
    }

    fn still_to_do(&self) -> Option<&'static str> {
        Some(
            "plugins of Amp are an experiment of its makers: older builds load none unless they are started with `PLUGINS=all`",
        )
    }
}
