//! Antigravity's `hooks.json`: under a name of our own the events, groups for tools and flat entries elsewhere.

use tenter_contract::AgentName;
use tenter_contract::ports::SettingsPlace;

use super::NAME;
use super::encode::{GO_ON, deny};
use crate::documented::{EVENT_VARIABLE, Installer};
use crate::settings_text::{Denies, Duty, Form, HookGroups, Layout, Row, Unit, not_strict, row};

/// `PreInvocation` comes before every call of the model, which nobody else is asked to tell: here it is the only place
/// where text reaches the model, so that what hooks have to say elsewhere waits for it. `PostInvocation` gives nothing.
const ROWS: [Row; 4] = [
    row("PreToolUse", 600, Duty::Guard),
    row("PostToolUse", 60, Duty::Watch),
    row("PreInvocation", 60, Duty::Watch),
    row("Stop", 60, Duty::Watch),
];

static GROUPS: HookGroups = HookGroups {
    agent: AgentName::from_static(NAME),
    rows: &ROWS,
    unit: Unit::Seconds,
    layout: Layout {
        root: Some("tenter"),
        form: Form::GroupsUnder(&["PreToolUse", "PostToolUse"]),
        if_gone: GO_ON,
        denies: Denies::InWords(|_, reason| deny(reason)),
        tells_event: Some(EVENT_VARIABLE),
        ..Layout::CLAUDE
    },
    warnings: |text, _| not_strict("Antigravity", text).into_iter().collect(),
};

pub(super) static INSTALLER: Installer = Installer {
    title: "Antigravity",
    program: "agy",
    user: Some(SettingsPlace::Home { variable: "", folder: ".gemini/config", file: "hooks.json" }),
    project: Some(SettingsPlace::Project { file: ".agents/hooks.json" }),
    local: None,
    groups: &GROUPS,
    still_to_do: Some(
        "see once whether Antigravity still asks you before a tool runs: it takes no silence, so where no hook objects tenter answers `allow`, and its documents let that stand for your permission",
    ),
    reads_too: &[],
    entries_name: None,
    home_folder: None,
    sends: None,
    becomes_too: &[],
};
