//! Codex CLI's `hooks.json`. Its `config.toml`, where it keeps what its user trusts, is only read.

use serde_json::Value;
use tenter_contract::ports::{Agreement, Consent, SettingsError, SettingsPlace, Switch};

use super::{CODEX, trust};
use crate::installer::{HookGroups, Installer, Layout, home, in_project};

pub(super) const INSTALLER: Installer = Installer {
    title: "Codex CLI",
    package: Some("@openai/codex"),
    user: home("CODEX_HOME", ".codex", "hooks.json"),
    project: in_project(".codex/hooks.json"),
    format: &LAYOUT,
    switch: Some(SWITCH),
    consent: Some(CONSENT),
    agreements,
    ..Installer::NONE
};

/// The field of an entry that limits context.
pub(super) const CONTEXT_LIMIT: &str = "additionalContextLimit";

/// The events at which an entry may set it.
pub(super) const CONTEXT_EVENTS: &[&str] =
    &["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"];

/// Codex cuts context of more than 2,500 tokens unless the entry sets no limit. tenter cuts it instead, so that the model
/// gets a fair beginning of each text.
static LAYOUT: Layout = Layout { extra: (CONTEXT_EVENTS, CONTEXT_LIMIT, 0), warnings, ..Layout::CLAUDE };

fn agreements(file: &str, settings: &str) -> Result<Vec<Agreement>, SettingsError> {
    let placed = HookGroups { agent: &CODEX, layout: &LAYOUT }.placed(settings)?;
    Ok(placed.iter().filter_map(|placed| trust::agreement(file, placed)).collect())
}

const CONSENT: Consent = Consent {
    how: "start `codex`, type `/hooks`, look at tenter's entries and trust them. Codex runs no hook without that, and does not say so. It trusts exactly these lines, and asks again when one of them changes",
    kept_in: CONFIG,
};

const CONFIG: SettingsPlace =
    SettingsPlace::Home { variable: "CODEX_HOME", folder: ".codex", file: "config.toml" };

/// As `codex features list` of 0.166.0 shows: the newer name counts, in either file.
const SWITCH: Switch = Switch {
    user: CONFIG,
    project: SettingsPlace::Project { file: ".codex/config.toml" },
    table: "features",
    keys: &["hooks", "codex_hooks"],
};

/// Codex drops a whole file with an unknown key at the top.
fn warnings(_: &str, settings: &Value) -> Vec<String> {
    let keys = settings.as_object().into_iter().flat_map(|settings| settings.keys());
    let unknown = keys.filter(|key| !["description", "hooks"].contains(&key.as_str()));
    let warning = |key| {
        format!(
            "`{key}` is in this file, and Codex accepts only `description` and `hooks` there: it runs no hook of the whole file; remove `{key}`"
        )
    };
    unknown.map(warning).collect()
}
