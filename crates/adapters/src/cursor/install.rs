//! Cursor's `hooks.json`: flat entries under camel-case names.

use serde_json::Value;
use tenter_contract::AgentName;
use tenter_contract::ports::{Reading, ReadsToo, Scope};

use super::CURSOR;
use crate::installer::{Installer, Layout, home, in_project};

pub(super) const INSTALLER: Installer = Installer {
    title: "Cursor",
    program: Some("cursor"),
    user: home("", ".cursor", "hooks.json"),
    project: in_project(".cursor/hooks.json"),
    format: &Layout {
        required: &[("version", "1")],
        if_gone: "{}",
        // It runs the entries of the user and of the project both.
        names_scope: true,
        warnings,
        ..Layout::FLAT
    },
    // In the editor that is behind a switch for third-party hooks.
    reads_too: &[ReadsToo {
        agent: AgentName::from_static("claude"),
        scopes: &Scope::ALL,
        reading: Reading::Sometimes,
    }],
    ..Installer::NONE
};

const OTHERS: [&str; 4] = ["beforeTabFileRead", "afterTabFileEdit", "afterAgentThought", "workspaceOpen"];

/// Cursor drops a whole file for one unknown event or an entry without a command.
fn warnings(_: &str, settings: &Value) -> Vec<String> {
    let mut warnings = Vec::new();
    if settings.get("version").and_then(Value::as_u64).unwrap_or_default() == 0 {
        warnings.push("`version` is not a positive number in this file: Cursor runs no hook of it; write `\"version\": 1`".to_owned());
    }
    let known = |event: &str| CURSOR.find_event(event).is_some() || OTHERS.contains(&event);
    for (event, entries) in settings.get("hooks").and_then(Value::as_object).into_iter().flatten() {
        if !known(event) {
            warnings.push(format!(
                "`{event}` is not an event of Cursor, which runs no hook of a file with an unknown event; take it out"
            ));
        }
        let entries = entries.as_array().into_iter().flatten();
        if entries.filter(|entry| !runs_something(entry)).count() > 0 {
            warnings.push(format!(
                "an entry under `{event}` has neither a `command` nor a `prompt`: Cursor runs no hook of such a file; correct it or take it out"
            ));
        }
    }
    warnings
}

fn runs_something(entry: &Value) -> bool {
    ["command", "prompt"].iter().any(|key| entry.get(key).is_some_and(Value::is_string))
}
