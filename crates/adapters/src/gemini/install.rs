//! Gemini CLI's settings.

use serde_json::Value;
use tenter_contract::ports::{AgentInstaller, Entry};

use super::GEMINI;
use crate::installer::{Installer, JsonRules, Layout, home, in_project, switch_warning, tenter_program};

pub(super) const INSTALLER: Installer = Installer {
    title: "Gemini CLI",
    package: Some("@google/gemini-cli"),
    // The variable replaces the home folder, not `.gemini`.
    user: home("GEMINI_CLI_HOME", "", ".gemini/settings.json"),
    project: in_project(".gemini/settings.json"),
    // Gemini CLI merges equal entries of two files; the scope keeps the user's entry apart. It does not start if the
    // file has a byte order mark.
    format: &Layout {
        milliseconds: true,
        names_scope: true,
        json: JsonRules::Commented,
        warnings,
        ..Layout::CLAUDE
    },
    // It runs entries with the same name and command once, over all files.
    runs_twins_once: true,
    ..Installer::NONE
};

fn warnings(text: &str, settings: &Value) -> Vec<String> {
    let off = switch_warning(
        settings,
        "/hooksConfig/enabled",
        false,
        "Gemini CLI runs no hook at all, and tenter is never called",
    );
    let disabled = settings.pointer("/hooksConfig/disabled").and_then(Value::as_array);
    let disabled: Vec<&str> = disabled.into_iter().flatten().filter_map(Value::as_str).collect();
    off.into_iter().chain(switched_off(&disabled, &GEMINI.entries(text).unwrap_or_default())).collect()
}

/// `/hooks disable` lists a hook without a name by its command. A command of ours that no entry here has belongs to an
/// entry in another file, unless there are entries here: then it is an old one.
fn switched_off(disabled: &[&str], entries: &[Entry]) -> Option<String> {
    let is_off = |entry: &&Entry| disabled.contains(&entry.line.as_str());
    let events: Vec<&str> = entries.iter().filter(is_off).map(|entry| entry.event.as_str()).collect();
    let elsewhere =
        || entries.is_empty() && disabled.iter().any(|line| tenter_program(line, GEMINI.name).is_some());
    let at = match events.as_slice() {
        [] if elsewhere() => String::new(),
        [] => return None,
        some => format!(" at {}", some.join(", ")),
    };
    Some(format!(
        "`hooksConfig.disabled` in this file names tenter's command: Gemini CLI does not call tenter{at}; take it out of that list, or type `/hooks enable-all` in `gemini`"
    ))
}
