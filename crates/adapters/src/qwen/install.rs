//! Qwen Code's settings: settings text in, settings text out.

use serde_json::Value;
use tenter_contract::EventKind;
use tenter_contract::ports::{
    AgentInstaller, Entry, Installed, Scope, SettingsError, SettingsPlace, Uninstalled, Wiring,
};

use super::{NAME, Qwen};
use crate::settings_text::{Duty, HookGroups, Layout, Row, Unit, marked, row};

/// All events that 0.15.10 has.
///
/// Without a timeout of its own Qwen Code waits 60 s. It counts milliseconds; later versions count seconds below
/// a thousand, so nothing here may be shorter than a second.
const ROWS: [Row; 14] = [
    row("SessionStart", 600, Duty::Watch),
    row("UserPromptSubmit", 60, Duty::Guard),
    row("PreToolUse", 600, Duty::Guard),
    row("PermissionRequest", 600, Duty::Guard),
    row("PostToolUse", 600, Duty::Watch),
    row("PostToolUseFailure", 600, Duty::Watch),
    row("SubagentStart", 600, Duty::Watch),
    row("SubagentStop", 600, Duty::Watch),
    row("PreCompact", 600, Duty::Watch),
    row("PostCompact", 600, Duty::Watch),
    row("Notification", 600, Duty::Watch),
    row("Stop", 600, Duty::Watch),
    row("StopFailure", 600, Duty::Watch),
    row("SessionEnd", 5, Duty::Watch),
];

static GROUPS: HookGroups =
    HookGroups { agent: NAME, rows: &ROWS, unit: Unit::Milliseconds, layout: LAYOUT, warnings };

/// The user's entry tells the installation, so that it is no twin of the project's, which leaves the event to it.
const LAYOUT: Layout = Layout { tells_scope: true, ..Layout::CLAUDE };

impl AgentInstaller for Qwen {
    fn title(&self) -> &'static str {
        "Qwen Code"
    }

    fn package(&self) -> Option<&'static str> {
        Some("@qwen-code/qwen-code")
    }

    /// There is no file for one user in one project.
    fn place(&self, scope: Scope) -> Option<SettingsPlace> {
        match scope {
            Scope::User => {
                Some(SettingsPlace::Home { variable: "QWEN_HOME", folder: ".qwen", file: "settings.json" })
            }
            Scope::Project => Some(SettingsPlace::Project { file: ".qwen/settings.json" }),
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

    /// By name and command, over all files; ours have no name.
    fn runs_twins_once(&self) -> bool {
        true
    }
}

/// Comments and commas too many it takes; a byte order mark it does not: it moves the file away as corrupted.
fn warnings(text: &str, settings: &Value) -> Vec<String> {
    let off = settings.get("disableAllHooks") == Some(&Value::Bool(true));
    let told = "`disableAllHooks` is true in this file: Qwen Code runs no hook at all, and tenter is never called; remove that line";
    marked("Qwen Code", text).into_iter().chain(off.then(|| told.to_owned())).collect()
}
