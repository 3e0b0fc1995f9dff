//! Claude Code's settings.

use serde_json::{Value, json};

use crate::installer::{DenyIfGone, Installer, JsonRules, Layout, home, in_project, switch_warning};

pub(super) const INSTALLER: Installer = Installer {
    title: "Claude Code",
    package: Some("@anthropic-ai/claude-code"),
    user: home("CLAUDE_CONFIG_DIR", ".claude", "settings.json"),
    project: in_project(".claude/settings.json"),
    local: in_project(".claude/settings.local.json"),
    // Cursor and VS Code read these settings too and take an exit code; Copilot CLI does not at a prompt, nor Claude
    // Code itself at a permission request, where it continues and asks its user.
    format: &Layout {
        deny_if_gone: DenyIfGone::Both(deny),
        json: JsonRules::Marked,
        warnings,
        ..Layout::CLAUDE
    },
    ..Installer::NONE
};

/// A deny in Claude Code and in Copilot CLI, where the keys at the top count. Measured on
/// 2.1.197 and 1.0.102, with exit code 2.
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

/// Measured with 2.1.197: Claude Code silently drops a whole settings file that has an unexpected value.
fn warnings(_: &str, settings: &Value) -> Vec<String> {
    let nulls = settings.as_object().into_iter().flatten().filter(|(_, value)| value.is_null());
    let of_null = nulls.map(|(key, _)| {
        format!(
            "`{key}` is null in this file: Claude Code drops a whole file with a value that it does not expect, and runs no hook of it; remove that line"
        )
    });
    let effect = "Claude Code runs no hook at all, and tenter is never called";
    of_null.chain(switch_warning(settings, "/disableAllHooks", true, effect)).collect()
}
