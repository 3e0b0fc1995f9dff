//! Gemini CLI's settings: settings text in, settings text out.

use serde_json::Value;
use tenter_contract::EventKind;
use tenter_contract::ports::{
    AgentInstaller, Entry, Installed, Scope, SettingsError, SettingsPlace, Uninstalled, Wiring,
};

use super::{Gemini, NAME};
use crate::settings_text::{Duty, HookGroups, Layout, Row, Unit, called, marked, row};

/// Not here: `PreCompress`, which comes before every call of the model, compaction or not; the three events
/// around a call of the model, one of them once per piece of the stream.
///
/// Without a timeout of its own Gemini CLI waits 60 s.
const ROWS: [Row; 7] = [
    row("SessionStart", 600, Duty::Watch),
    row("BeforeAgent", 60, Duty::Guard),
    row("BeforeTool", 600, Duty::Guard),
    row("AfterTool", 600, Duty::Watch),
    row("Notification", 600, Duty::Watch),
    row("AfterAgent", 600, Duty::Watch),
    row("SessionEnd", 5, Duty::Watch),
];

static GROUPS: HookGroups =
    HookGroups { agent: NAME, rows: &ROWS, unit: Unit::Milliseconds, layout: LAYOUT, warnings };

/// The user's entry tells the installation, so that it is no twin of the project's, which leaves the event to it.
const LAYOUT: Layout = Layout { tells_scope: true, ..Layout::CLAUDE };

impl AgentInstaller for Gemini {
    fn title(&self) -> &'static str {
        "Gemini CLI"
    }

    fn package(&self) -> Option<&'static str> {
        Some("@google/gemini-cli")
    }

    /// There is no file for one user in one project.
    fn place(&self, scope: Scope) -> Option<SettingsPlace> {
        match scope {
            // The variable stands in for the home folder, not for `.gemini`.
            Scope::User => Some(SettingsPlace::Home {
                variable: "GEMINI_CLI_HOME",
                folder: "",
                file: ".gemini/settings.json",
            }),
            Scope::Project => Some(SettingsPlace::Project { file: ".gemini/settings.json" }),
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

/// Comments and commas too many it takes; a byte order mark it does not: it refuses to start.
fn warnings(text: &str, settings: &Value) -> Vec<String> {
    let config = settings.get("hooksConfig");
    let off = config.and_then(|config| config.get("enabled")) == Some(&Value::Bool(false));
    let told = "`hooksConfig.enabled` is false in this file: Gemini CLI runs no hook at all, and tenter is never called; remove that line";
    let disabled = config.and_then(|config| config.get("disabled")).and_then(Value::as_array);
    let disabled: Vec<&str> = disabled.into_iter().flatten().filter_map(Value::as_str).collect();
    marked("Gemini CLI", text)
        .into_iter()
        .chain(off.then(|| told.to_owned()))
        .chain(switched_off(&disabled, &GROUPS.entries(text).unwrap_or_default()))
        .collect()
}

/// What its `/hooks disable` leaves: a hook without a name is named by its command. A command of ours that none of the
/// entries here has may be that of an entry in another file, unless there are entries here: then it is an old one.
fn switched_off(disabled: &[&str], entries: &[Entry]) -> Option<String> {
    let is_off = |entry: &&Entry| disabled.contains(&entry.line.as_str());
    let events: Vec<&str> = entries.iter().filter(is_off).map(|entry| entry.event.as_str()).collect();
    let elsewhere = || entries.is_empty() && disabled.iter().any(|line| called(line, &NAME).is_some());
    let at = match events.as_slice() {
        [] if elsewhere() => String::new(),
        [] => return None,
        some => format!(" at {}", some.join(", ")),
    };
    Some(format!(
        "`hooksConfig.disabled` in this file names tenter's command: Gemini CLI does not call tenter{at}; take it out of that list, or type `/hooks enable-all` in `gemini`"
    ))
}
