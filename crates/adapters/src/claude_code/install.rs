//! Claude Code's settings: settings text in, settings text out.

use serde_json::{Value, json};
use tenter_contract::EventKind;
use tenter_contract::ports::{
    AgentInstaller, Entry, Installed, Scope, SettingsError, SettingsPlace, Uninstalled, Wiring,
};

use super::{ClaudeCode, NAME};
use crate::settings_text::{Denies, Duty, HookGroups, Layout, Row, Unit, commented, row};

/// Events on which an answer or a record is harmless. Not here: `WorktreeCreate`, where a hook takes over git's
/// own work; `MessageDisplay` and the events around the choice of a model, which are many and say little.
///
/// Without a timeout of its own Claude Code waits 600 s, at `UserPromptSubmit` 30 s, at `SessionEnd` 1.5 s.
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
    HookGroups { agent: NAME, rows: &ROWS, unit: Unit::Seconds, layout: LAYOUT, warnings };

/// Cursor and VS Code read these settings too and take an exit code; Copilot CLI does not at a prompt, nor Claude Code
/// itself at a permission request, where it goes on to ask its user.
const LAYOUT: Layout = Layout { denies: Denies::Both(deny), ..Layout::CLAUDE };

/// What denies at an event that guards, in Claude Code and in Copilot CLI, where the keys at the top count. Measured on
/// 2.1.197 and 1.0.102, beside exit code 2.
fn deny(event: &str, reason: &str) -> Value {
    match event {
        "PreToolUse" => json!({
            "decision": "block",
            "reason": reason,
            "permissionDecision": "deny",
            "permissionDecisionReason": reason,
        }),
        "PermissionRequest" => json!({
            "hookSpecificOutput": {
                "hookEventName": event,
                "decision": {"behavior": "deny", "message": reason},
            },
            "behavior": "deny",
            "message": reason,
        }),
        _ => json!({"decision": "block", "reason": reason}),
    }
}

impl AgentInstaller for ClaudeCode {
    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn package(&self) -> Option<&'static str> {
        Some("@anthropic-ai/claude-code")
    }

    fn place(&self, scope: Scope) -> Option<SettingsPlace> {
        Some(match scope {
            Scope::User => SettingsPlace::Home {
                variable: "CLAUDE_CONFIG_DIR",
                folder: ".claude",
                file: "settings.json",
            },
            Scope::Project => SettingsPlace::Project { file: ".claude/settings.json" },
            Scope::Local => SettingsPlace::Project { file: ".claude/settings.local.json" },
        })
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
}

/// What keeps Claude Code from calling us, measured with 2.1.197: it drops a whole settings file, hooks and all,
/// without a word, if the file is not strict JSON or one of its values is not what it expects. A byte order
/// mark it takes.
fn warnings(text: &str, settings: &Value) -> Vec<String> {
    let mut warnings: Vec<String> = commented("Claude Code", text).into_iter().collect();
    for (key, _) in settings.as_object().into_iter().flatten().filter(|(_, value)| value.is_null()) {
        warnings.push(format!(
            "`{key}` is null in this file: Claude Code drops a whole file with a value that it does not expect, and runs no hook of it; remove that line"
        ));
    }
    if settings.get("disableAllHooks") == Some(&Value::Bool(true)) {
        warnings.push("`disableAllHooks` is true in this file: Claude Code runs no hook at all, and tenter is never called; remove that line".to_owned());
    }
    warnings
}
