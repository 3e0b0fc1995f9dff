//! Codex CLI's `hooks.json`: text in, text out. Its `config.toml`, where it keeps what its user trusts, is not touched
//! for hooks; the memory's server gets a table of its own there (`servers`).

use serde_json::Value;
use tenter_contract::EventKind;
use tenter_contract::ports::{
    AgentInstaller, Agreement, Consent, Entry, Installed, Scope, SettingsError, SettingsPlace, Switch,
    Uninstalled, Wiring,
};

use super::{Codex, NAME, trust};
use crate::settings_text::{Duty, HookGroups, Layout, Row, Unit, not_strict, row};

/// Codex cuts context of more than 2,500 tokens unless it is told not to, at the events that take any. tenter does
/// that itself, so that the model gets a fair beginning of each text.
const WHOLE: [(&str, u32); 1] = [(CONTEXT_LIMIT, 0)];

/// The field of an entry that says how much.
pub(super) const CONTEXT_LIMIT: &str = "additionalContextLimit";

/// Not here: the events around a call of the model, of which nothing is published; `Interrupt`, at which nothing
/// can be said.
///
/// Without a timeout of its own Codex waits 600 s, at `SessionEnd` 1 s and never more than 3.
const ROWS: [Row; 11] = [
    row("SessionStart", 600, Duty::Watch).with(&WHOLE),
    row("UserPromptSubmit", 60, Duty::Guard).with(&WHOLE),
    row("PreToolUse", 600, Duty::Guard).with(&WHOLE),
    row("PermissionRequest", 600, Duty::Guard),
    row("PostToolUse", 600, Duty::Watch).with(&WHOLE),
    row("SubagentStart", 600, Duty::Watch).with(&WHOLE),
    row("SubagentStop", 600, Duty::Watch),
    row("PreCompact", 600, Duty::Watch),
    row("PostCompact", 600, Duty::Watch),
    row("Stop", 600, Duty::Watch),
    row("SessionEnd", 3, Duty::Watch),
];

static GROUPS: HookGroups =
    HookGroups { agent: NAME, rows: &ROWS, unit: Unit::Seconds, layout: Layout::CLAUDE, warnings };

impl AgentInstaller for Codex {
    fn title(&self) -> &'static str {
        "Codex CLI"
    }

    fn package(&self) -> Option<&'static str> {
        Some("@openai/codex")
    }

    /// There is no file for one user in one project.
    fn place(&self, scope: Scope) -> Option<SettingsPlace> {
        match scope {
            Scope::User => {
                Some(SettingsPlace::Home { variable: "CODEX_HOME", folder: ".codex", file: "hooks.json" })
            }
            Scope::Project => Some(SettingsPlace::Project { file: ".codex/hooks.json" }),
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

    fn switch(&self) -> Option<Switch> {
        Some(SWITCH)
    }

    fn consent(&self) -> Option<Consent> {
        Some(CONSENT)
    }

    fn agreements(&self, file: &str, settings: &str) -> Result<Vec<Agreement>, SettingsError> {
        Ok(GROUPS.placed(settings)?.iter().filter_map(|placed| trust::agreement(file, placed)).collect())
    }
}

const CONSENT: Consent = Consent {
    how: "start `codex`, type `/hooks`, look at tenter's entries and trust them. Codex runs no hook without that, and does not say so. It trusts exactly these lines, and asks again when one of them changes",
    kept_in: CONFIG,
};

const CONFIG: SettingsPlace =
    SettingsPlace::Home { variable: "CODEX_HOME", folder: ".codex", file: "config.toml" };

/// As `codex features list` of 0.166.0 tells it: of both names the newer counts, in whichever file it stands.
const SWITCH: Switch = Switch {
    user: CONFIG,
    project: SettingsPlace::Project { file: ".codex/config.toml" },
    table: "features",
    keys: &["hooks", "codex_hooks"],
};

/// What keeps Codex from calling us: it drops a whole file that is not strict JSON, or has a key at the top that
/// it does not know.
fn warnings(text: &str, settings: &Value) -> Vec<String> {
    let strange = settings
        .as_object()
        .into_iter()
        .flat_map(|settings| settings.keys())
        .filter(|key| !["description", "hooks"].contains(&key.as_str()))
        .map(|key| {
            format!(
                "`{key}` stands in this file, and Codex takes `description` and `hooks` there and nothing else: it runs no hook of the whole file; remove `{key}`"
            )
        });
    not_strict("Codex", text).into_iter().chain(strange).collect()
}
