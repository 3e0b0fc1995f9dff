//! Copilot CLI's hook files: text in, text out. It reads every file of a folder, so tenter has one of its own there.

use serde_json::{Value, json};
use tenter_contract::ports::{
    AgentInstaller, Entry, Installed, Reading, ReadsToo, Scope, SettingsError, SettingsPlace, Uninstalled,
    Wiring,
};
use tenter_contract::{AgentName, EventKind};

use super::{Copilot, NAME};
use crate::settings_text::{Denies, Duty, HookGroups, Layout, Row, Unit, not_strict, row};

/// Under names in Pascal case, because only then payloads name their event. Not here: what happens to a prompt and
/// to a call of an MCP server besides, where nothing can be denied.
///
/// Without a timeout of its own Copilot waits 30 s.
const ROWS: [Row; 13] = [
    row("SessionStart", 600, Duty::Watch),
    row("UserPromptSubmit", 60, Duty::Guard),
    row("PreToolUse", 600, Duty::Guard),
    row("PermissionRequest", 600, Duty::Guard),
    row("PostToolUse", 600, Duty::Watch),
    row("PostToolUseFailure", 600, Duty::Watch),
    row("SubagentStart", 600, Duty::Watch),
    row("SubagentStop", 600, Duty::Watch),
    row("PreCompact", 600, Duty::Watch),
    row("Notification", 600, Duty::Watch),
    row("Stop", 600, Duty::Watch),
    row("ErrorOccurred", 600, Duty::Watch),
    row("SessionEnd", 5, Duty::Watch),
];

/// Where its files lie.
pub(crate) const USER: SettingsPlace =
    SettingsPlace::Home { variable: "COPILOT_HOME", folder: ".copilot", file: "hooks/tenter.json" };
pub(crate) const PROJECT: SettingsPlace = SettingsPlace::Project { file: ".github/hooks/tenter.json" };

/// VS Code reads the same folders, and is called by the same entries.
pub(crate) static GROUPS: HookGroups =
    HookGroups { agent: NAME, rows: &ROWS, unit: Unit::Seconds, layout: LAYOUT, warnings };

/// A prompt gets past an exit code, and before a tool the words beside it are lost. Its calls have no id, and it runs
/// the entries of the user and of the repository both.
const LAYOUT: Layout = Layout { denies: Denies::InWords(deny), tells_scope: true, ..Layout::CLAUDE };

/// What denies at an event that guards, in Copilot and in VS Code: before a tool both read the same, at a prompt each
/// has keys of its own, and a permission request is Copilot's alone.
fn deny(event: &str, reason: &str) -> Value {
    match event {
        "PreToolUse" => json!({"hookSpecificOutput": {
            "hookEventName": event,
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }}),
        "PermissionRequest" => json!({"behavior": "deny", "message": reason}),
        _ => json!({"decision": "block", "reason": reason, "continue": false, "stopReason": reason}),
    }
}

impl AgentInstaller for Copilot {
    fn title(&self) -> &'static str {
        "Copilot CLI"
    }

    fn package(&self) -> Option<&'static str> {
        Some("@github/copilot")
    }

    /// There is no file for one user in one project.
    fn place(&self, scope: Scope) -> Option<SettingsPlace> {
        match scope {
            Scope::User => Some(USER),
            Scope::Project => Some(PROJECT),
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

    /// Those of the repository, in a folder that it trusts.
    fn reads_too(&self) -> &'static [ReadsToo] {
        const {
            &[ReadsToo {
                agent: AgentName::from_static("claude"),
                scopes: &[Scope::Project, Scope::Local],
                reading: Reading::Sometimes,
            }]
        }
    }
}

/// Copilot drops a whole file that is not strict JSON, without a word.
fn warnings(text: &str, settings: &Value) -> Vec<String> {
    let off = settings.get("disableAllHooks") == Some(&Value::Bool(true));
    let told = "`disableAllHooks` is true in this file: Copilot runs no hook of it; remove that line";
    not_strict("Copilot", text).into_iter().chain(off.then(|| told.to_owned())).collect()
}
