//! Windsurf's `hooks.json`: flat entries without a time.

use tenter_contract::AgentName;
use tenter_contract::ports::SettingsPlace;

use super::NAME;
use crate::documented::Installer;
use crate::settings_text::{Duty, HookGroups, Layout, Row, Unit, not_strict, row};

/// How long Windsurf waits is not written anywhere; a minute is more than a hook should need.
const ROWS: [Row; 10] = [
    row("pre_user_prompt", 60, Duty::Guard),
    row("pre_read_code", 60, Duty::Guard),
    row("pre_write_code", 60, Duty::Guard),
    row("pre_run_command", 60, Duty::Guard),
    row("pre_mcp_tool_use", 60, Duty::Guard),
    row("post_read_code", 60, Duty::Watch),
    row("post_write_code", 60, Duty::Watch),
    row("post_run_command", 60, Duty::Watch),
    row("post_mcp_tool_use", 60, Duty::Watch),
    row("post_cascade_response", 60, Duty::Watch),
];

static GROUPS: HookGroups = HookGroups {
    agent: AgentName::from_static(NAME),
    rows: &ROWS,
    unit: Unit::Seconds,
    layout: Layout { timeout: None, ..Layout::FLAT },
    warnings: |text, _| not_strict("Windsurf", text).into_iter().collect(),
};

pub(super) static INSTALLER: Installer = Installer {
    title: "Windsurf",
    program: "windsurf",
    user: Some(SettingsPlace::Home { variable: "", folder: ".codeium/windsurf", file: "hooks.json" }),
    project: Some(SettingsPlace::Project { file: ".windsurf/hooks.json" }),
    local: None,
    groups: &GROUPS,
    still_to_do: None,
    reads_too: &[],
    entries_name: None,
    home_folder: None,
    sends: None,
    becomes_too: &[],
};
