//! auggie's settings: Claude Code's groups, with times in milliseconds.

use tenter_contract::ports::SettingsPlace;
use tenter_contract::{AgentName, EventKind};

use super::NAME;
use crate::documented::Installer;
use crate::settings_text::{Duty, HookGroups, Layout, Row, Unit, not_strict, row};

/// Without a time of its own auggie waits 60 s.
const ROWS: [Row; 7] = [
    row("SessionStart", 60, Duty::Watch),
    row("PromptSubmit", 60, Duty::Watch),
    row("PreToolUse", 600, Duty::Guard),
    row("PostToolUse", 600, Duty::Watch),
    row("Notification", 60, Duty::Watch),
    row("Stop", 60, Duty::Watch),
    row("SessionEnd", 5, Duty::Watch),
];

static GROUPS: HookGroups = HookGroups {
    agent: AgentName::from_static(NAME),
    rows: &ROWS,
    unit: Unit::Milliseconds,
    layout: Layout::CLAUDE,
    warnings: |text, _| not_strict("auggie", text).into_iter().collect(),
};

pub(super) static INSTALLER: Installer = Installer {
    title: "Augment",
    program: "auggie",
    user: Some(SettingsPlace::Home { variable: "", folder: ".augment", file: "settings.json" }),
    project: Some(SettingsPlace::Project { file: ".augment/settings.json" }),
    local: Some(SettingsPlace::Project { file: ".augment/settings.local.json" }),
    groups: &GROUPS,
    still_to_do: None,
    reads_too: &[],
    entries_name: None,
    home_folder: None,
    sends: None,
    becomes_too: &[EventKind::ToolError],
};
