//! Kiro's hook files: it reads every file of a folder, so tenter has one of its own there.

use serde_json::Value;
use tenter_contract::ports::{
    AgentInstaller, Entry, Installed, Scope, SettingsError, SettingsPlace, Uninstalled, Wiring,
};
use tenter_contract::{AgentName, EventKind};

use crate::settings_text::{Duty, Line, OwnFile, Row, row};

/// The triggers that are about an agent. Those about files and tasks can be wired by hand.
const ROWS: [Row; 5] = [
    row("SessionStart", 60, Duty::Watch),
    row("UserPromptSubmit", 60, Duty::Guard),
    row("PreToolUse", 600, Duty::Guard),
    row("PostToolUse", 600, Duty::Watch),
    row("Stop", 60, Duty::Watch),
];

static FILE: OwnFile = OwnFile { agent: AgentName::from_static(super::NAME), rows: &ROWS, text, lines };

/// One hook per trigger, on one line each.
fn text(rows: &[(&Row, String)]) -> String {
    let hooks: Vec<String> = rows
        .iter()
        .map(|(row, command)| {
            let hook = serde_json::json!({
                "name": format!("tenter {}", row.event),
                "trigger": row.event,
                "action": {"type": "command", "command": command},
                "timeout": row.timeout,
                "enabled": true,
            });
            format!("    {hook}")
        })
        .collect();
    format!("{{\n  \"version\": \"v1\",\n  \"hooks\": [\n{}\n  ]\n}}\n", hooks.join(",\n"))
}

fn lines(text: &str) -> Option<Vec<Line>> {
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
    let text =
        |value: &Value, pointer: &str| value.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    let hooks = value.get("hooks")?.as_array()?;
    let lines = hooks.iter().map(|hook| {
        (text(hook, "/trigger").unwrap_or_default(), text(hook, "/action/command").unwrap_or_default())
    });
    Some(lines.collect())
}

pub(super) struct Installer;

pub(super) static INSTALLER: Installer = Installer;

impl AgentInstaller for Installer {
    fn title(&self) -> &'static str {
        "Kiro"
    }

    fn place(&self, scope: Scope) -> Option<SettingsPlace> {
        match scope {
            Scope::User => {
                Some(SettingsPlace::Home { variable: "", folder: ".kiro", file: "hooks/tenter.json" })
            }
            Scope::Project => Some(SettingsPlace::Project { file: ".kiro/hooks/tenter.json" }),
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

    fn program(&self) -> Option<&'static str> {
        Some("kiro-cli")
    }
}
