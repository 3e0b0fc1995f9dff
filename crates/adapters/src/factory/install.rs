//! droid's settings: the `hooks` of `settings.json`, unless a `hooks.json` beside it has the same events.

use serde_json::Value;
use tenter_contract::ports::{
    AgentInstaller, Entry, Installed, Scope, SettingsError, SettingsPlace, Uninstalled, Wiring,
};
use tenter_contract::{AgentName, EventKind};

use super::NAME;
use crate::settings_text::{Duty, HookGroups, Layout, Row, SettingsText, Unit, not_strict, row};

/// Without a time of its own droid waits 60 s.
const ROWS: [Row; 9] = [
    row("SessionStart", 600, Duty::Watch),
    row("UserPromptSubmit", 60, Duty::Guard),
    row("PreToolUse", 600, Duty::Guard),
    row("PostToolUse", 600, Duty::Watch),
    row("SubagentStop", 600, Duty::Watch),
    row("PreCompact", 600, Duty::Watch),
    row("Notification", 600, Duty::Watch),
    row("Stop", 600, Duty::Watch),
    row("SessionEnd", 5, Duty::Watch),
];

static GROUPS: HookGroups = HookGroups {
    agent: AgentName::from_static(NAME),
    rows: &ROWS,
    unit: Unit::Seconds,
    layout: Layout::CLAUDE,
    warnings,
};

fn warnings(text: &str, settings: &Value) -> Vec<String> {
    let off = settings.get("hooksDisabled") == Some(&Value::Bool(true));
    let told = "`hooksDisabled` is true in this file: droid runs no hook at all, and tenter is never called; remove that line";
    not_strict("droid", text).into_iter().chain(off.then(|| told.to_owned())).collect()
}

pub(super) struct Installer;

pub(super) static INSTALLER: Installer = Installer;

impl AgentInstaller for Installer {
    fn title(&self) -> &'static str {
        "Factory droid"
    }

    fn place(&self, scope: Scope) -> Option<SettingsPlace> {
        match scope {
            Scope::User => {
                Some(SettingsPlace::Home { variable: "", folder: ".factory", file: "settings.json" })
            }
            Scope::Project => Some(SettingsPlace::Project { file: ".factory/settings.json" }),
            Scope::Local => None,
        }
    }

    fn events(&self) -> Vec<EventKind> {
        GROUPS.events()
    }

    fn install(&self, settings: Option<&str>, wiring: &Wiring) -> Result<Installed, SettingsError> {
        GROUPS.install(settings, wiring)
    }

    fn uninstall(&self, settings: &str, before: Option<&str>) -> Result<Uninstalled, SettingsError> {
        GROUPS.uninstall(settings, before)
    }

    fn entries(&self, settings: &str) -> Result<Vec<Entry>, SettingsError> {
        GROUPS.entries(settings)
    }

    fn is_installed(&self, settings: &str) -> Result<bool, SettingsError> {
        GROUPS.is_installed(settings)
    }

    fn in_the_way(&self, settings: &str) -> Result<Vec<String>, SettingsError> {
        GROUPS.in_the_way(settings)
    }

    /// An event that stands here is not looked for in the settings, whatever hooks they have for it.
    fn taken_instead(&self, scope: Scope) -> Option<SettingsPlace> {
        match scope {
            Scope::User => Some(SettingsPlace::Home { variable: "", folder: ".factory", file: "hooks.json" }),
            Scope::Project => Some(SettingsPlace::Project { file: ".factory/hooks.json" }),
            Scope::Local => None,
        }
    }

    fn overruled_by(&self, other: &str) -> Vec<String> {
        let Some(value) = SettingsText::parse(other).ok().and_then(|text| text.value()) else {
            return Vec::new();
        };
        let taken = ROWS.iter().map(|row| row.event).filter(|event| value.get(event).is_some());
        let taken: Vec<String> = taken.map(|event| format!("`{event}`")).collect();
        if taken.is_empty() {
            return Vec::new();
        }
        vec![format!(
            "`hooks.json` beside it has {}, and droid then runs no hook of `settings.json` for that; move these hooks into the `hooks` of `settings.json`",
            taken.join(", ")
        )]
    }

    fn program(&self) -> Option<&'static str> {
        Some("droid")
    }

    fn still_to_do(&self) -> Option<&'static str> {
        Some("droid runs hooks only in folders that you have told it to trust")
    }
}
