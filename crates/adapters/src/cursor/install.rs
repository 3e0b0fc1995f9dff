//! Cursor's `hooks.json`: flat entries under camel-case names.

use serde_json::Value;
use tenter_contract::AgentName;
use tenter_contract::ports::{Reading, ReadsToo, Scope, SettingsPlace};

use super::{EVENTS, NAME};
use crate::documented::Installer;
use crate::settings_text::{Duty, HookGroups, Layout, Row, Unit, not_strict, row};

/// One unknown event and Cursor drops the whole file, so these are the ones that its engine has had for longest.
/// The events of shell, MCP and file calls repeat the general ones.
const ROWS: [Row; 10] = [
    row("sessionStart", 600, Duty::Watch),
    row("beforeSubmitPrompt", 60, Duty::Guard),
    row("preToolUse", 600, Duty::Guard),
    row("postToolUse", 600, Duty::Watch),
    row("postToolUseFailure", 600, Duty::Watch),
    row("subagentStart", 600, Duty::Watch),
    row("subagentStop", 600, Duty::Watch),
    row("preCompact", 600, Duty::Watch),
    row("stop", 600, Duty::Watch),
    row("sessionEnd", 5, Duty::Watch),
];

static GROUPS: HookGroups = HookGroups {
    agent: AgentName::from_static(NAME),
    rows: &ROWS,
    unit: Unit::Seconds,
    // It runs the entries of the user and of the project both.
    layout: Layout { beside: &[("version", "1")], if_gone: "{}", tells_scope: true, ..Layout::FLAT },
    warnings,
};

pub(super) static INSTALLER: Installer = Installer {
    title: "Cursor",
    program: "cursor",
    user: Some(SettingsPlace::Home { variable: "", folder: ".cursor", file: "hooks.json" }),
    project: Some(SettingsPlace::Project { file: ".cursor/hooks.json" }),
    local: None,
    groups: &GROUPS,
    still_to_do: None,
    // In the editor that is behind a switch for third-party hooks.
    reads_too: &[ReadsToo {
        agent: AgentName::from_static("claude"),
        scopes: &Scope::ALL,
        reading: Reading::Sometimes,
    }],
    entries_name: None,
    home_folder: None,
    sends: None,
    becomes_too: &[],
};

/// Events that it knows and we have no name of our own for.
const OTHERS: [&str; 4] = ["beforeTabFileRead", "afterTabFileEdit", "afterAgentThought", "workspaceOpen"];

/// What makes Cursor drop the whole file.
fn warnings(text: &str, settings: &Value) -> Vec<String> {
    let mut warnings: Vec<String> = not_strict("Cursor", text).into_iter().collect();
    if settings.get("version").and_then(Value::as_u64).unwrap_or_default() == 0 {
        warnings.push("`version` is not a positive number in this file: Cursor runs no hook of it; write `\"version\": 1`".to_owned());
    }
    let known = |event: &str| EVENTS.iter().any(|(own, _)| *own == event) || OTHERS.contains(&event);
    for (event, entries) in settings.get("hooks").and_then(Value::as_object).into_iter().flatten() {
        if !known(event) {
            warnings.push(format!(
                "`{event}` is no event of Cursor, which runs no hook of a file with one it does not know; take it out"
            ));
        }
        let entries = entries.as_array().into_iter().flatten();
        if entries.filter(|entry| !runs_something(entry)).count() > 0 {
            warnings.push(format!(
                "an entry under `{event}` has neither a `command` nor a `prompt`: Cursor runs no hook of such a file; mend it or take it out"
            ));
        }
    }
    warnings
}

fn runs_something(entry: &Value) -> bool {
    ["command", "prompt"].iter().any(|key| entry.get(key).is_some_and(Value::is_string))
}
