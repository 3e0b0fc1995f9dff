//! A plugin of tenter's own for Goose: Claude Code's groups in its `hooks.json`.

use tenter_contract::AgentName;
use tenter_contract::ports::SettingsPlace;

use super::NAME;
use crate::documented::Installer;
use crate::settings_text::{Duty, HookGroups, Layout, Row, Unit, not_strict, row};

/// The events around sub-agents are named and never sent. Without a time of its own Goose waits 30 s.
const ROWS: [Row; 7] = [
    row("SessionStart", 60, Duty::Watch),
    row("UserPromptSubmit", 60, Duty::Watch),
    row("PreToolUse", 600, Duty::Guard),
    row("PostToolUse", 600, Duty::Watch),
    row("PostToolUseFailure", 600, Duty::Watch),
    row("Stop", 60, Duty::Watch),
    row("SessionEnd", 5, Duty::Watch),
];

static GROUPS: HookGroups = HookGroups {
    agent: AgentName::from_static(NAME),
    rows: &ROWS,
    unit: Unit::Seconds,
    layout: Layout::CLAUDE,
    warnings: |text, _| not_strict("Goose", text).into_iter().collect(),
};

pub(super) static INSTALLER: Installer = Installer {
    title: "Goose",
    program: "goose",
    user: Some(SettingsPlace::Home {
        variable: "",
        folder: ".agents/plugins/tenter",
        file: "hooks/hooks.json",
    }),
    project: Some(SettingsPlace::Project { file: ".agents/plugins/tenter/hooks/hooks.json" }),
    local: None,
    groups: &GROUPS,
    still_to_do: None,
    reads_too: &[],
    entries_name: None,
    home_folder: None,
    sends: None,
    becomes_too: &[],
};
