//! Crush's configuration: flat entries under `hooks`.

use tenter_contract::AgentName;
use tenter_contract::ports::SettingsPlace;

use super::NAME;
use crate::documented::Installer;
use crate::settings_text::{Duty, HookGroups, Layout, Row, Unit, not_strict, row};

/// Without a time of its own Crush waits 30 s.
const ROWS: [Row; 1] = [row("PreToolUse", 600, Duty::Guard)];

static GROUPS: HookGroups = HookGroups {
    agent: AgentName::from_static(NAME),
    rows: &ROWS,
    unit: Unit::Seconds,
    layout: Layout::FLAT,
    warnings: |text, _| not_strict("Crush", text).into_iter().collect(),
};

pub(super) static INSTALLER: Installer = Installer {
    title: "Crush",
    program: "crush",
    user: Some(SettingsPlace::Home {
        variable: "XDG_CONFIG_HOME",
        folder: ".config",
        file: "crush/crush.json",
    }),
    project: Some(SettingsPlace::Project { file: "crush.json" }),
    local: None,
    groups: &GROUPS,
    still_to_do: None,
    reads_too: &[],
    entries_name: None,
    home_folder: None,
    sends: None,
    becomes_too: &[],
};
