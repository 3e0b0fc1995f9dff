//! Amazon Q Developer's command line, which became Kiro's. Read in its source of April 2026; not measured.

use serde_json::{Map, Value};
use tenter_contract::AgentName;
use tenter_contract::ports::{Claim, SettingsPlace};
use tenter_contract::{Abilities, Carry, Event, EventKind};

use crate::answer;
use crate::documented::{Dialect, Documented, Installer, NOTHING_EVER};
use crate::kiro;
use crate::settings_text::{Duty, HookGroups, Layout, Row, Unit, not_strict, row};

const NAME: &str = "amazonq";

/// The adapter of Amazon Q.
pub(crate) static AMAZON_Q: Documented = Documented {
    dialect: Dialect { name: NAME, events: kiro::EVENTS, tools: &kiro::tools::TOOLS, ..Dialect::CLAUDE },
    marks: &[],
    recognises,
    abilities,
    encode: kiro::encode,
    silence: "",
    refusal: answer::exit_2,
    installer: &INSTALLER,
};

/// What Amazon Q can carry at an event: what is printed is context where a turn begins, and an exit code denies
/// before a tool alone.
fn abilities(event: &Event) -> Abilities {
    match event.kind {
        EventKind::SessionStart | EventKind::PromptSubmit => kiro::CONTEXT,
        EventKind::ToolPre => Abilities { block: Carry::Yes, ..Abilities::NOTHING },
        EventKind::SessionEnd => NOTHING_EVER,
        _ => Abilities::NOTHING,
    }
}

/// As Kiro's, without a session.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let fits = kiro::is_of_the_family(payload) && !payload.contains_key("session_id");
    if fits { Claim::CannotTell } else { Claim::NotMine }
}

/// Without a time of its own an entry has 30 s.
const ROWS: [Row; 5] = [
    row("agentSpawn", 60, Duty::Watch),
    row("userPromptSubmit", 60, Duty::Watch),
    row("preToolUse", 600, Duty::Guard),
    row("postToolUse", 600, Duty::Watch),
    row("stop", 60, Duty::Watch),
];

static GROUPS: HookGroups = HookGroups {
    agent: AgentName::from_static(NAME),
    rows: &ROWS,
    unit: Unit::Milliseconds,
    layout: Layout {
        timeout: Some("timeout_ms"),
        // An agent of its own: hooks belong to one, and the one that comes with the program is in no file.
        beside: &[("name", "\"tenter\""), ("tools", "[\"*\"]"), ("useLegacyMcpJson", "true")],
        ..Layout::FLAT
    },
    warnings: |text, _| not_strict("Amazon Q", text).into_iter().collect(),
};

static INSTALLER: Installer = Installer {
    title: "Amazon Q",
    program: "q",
    user: Some(SettingsPlace::Home { variable: "", folder: ".aws/amazonq", file: "cli-agents/tenter.json" }),
    project: Some(SettingsPlace::Project { file: ".amazonq/cli-agents/tenter.json" }),
    local: None,
    groups: &GROUPS,
    still_to_do: Some(
        "hooks of Amazon Q belong to an agent and run only with it: type `q settings chat.defaultAgent tenter`, or copy the `hooks` of this file into the agent you use",
    ),
    reads_too: &[],
    entries_name: None,
    home_folder: None,
    sends: None,
    becomes_too: &[],
};
