//! Devin's command line. Read in its documents; not measured.

use serde_json::{Map, Value};
use tenter_contract::ports::{Claim, Reading, ReadsToo, Scope, SettingsPlace};
use tenter_contract::{Abilities, AgentName, Answer, Carry, Event, EventKind, Fitted, StopLoop, ToolKind};

use crate::answer;
use crate::documented::{
    ContextAt, Deny, Dialect, Documented, Envelope, Installer, Mcp, NOTHING_EVER, Tools,
};
use crate::settings_text::{Duty, HookGroups, Layout, Row, Unit, not_strict, row};

const NAME: &str = "devin";

const EVENTS: &[(&str, EventKind)] = &[
    ("SessionStart", EventKind::SessionStart),
    ("SessionEnd", EventKind::SessionEnd),
    ("UserPromptSubmit", EventKind::PromptSubmit),
    ("PreToolUse", EventKind::ToolPre),
    ("PostToolUse", EventKind::ToolPost),
    ("PermissionRequest", EventKind::PermissionRequest),
    ("Stop", EventKind::OrchestratorComplete),
    ("PostCompaction", EventKind::ContextPostCompact),
];

static TOOLS: Tools = Tools {
    names: &[
        ("exec", "Bash", ToolKind::Shell),
        ("write", "Write", ToolKind::Write),
        ("edit", "Edit", ToolKind::Edit),
        ("read", "Read", ToolKind::Read),
        ("grep", "Grep", ToolKind::Search),
        ("glob", "Glob", ToolKind::Search),
    ],
    keys: &[],
    patches: &[],
    lists: &[],
    mcp: Mcp::Claude,
};

/// The adapter of Devin.
pub(crate) static DEVIN: Documented = Documented {
    dialect: Dialect { name: NAME, events: EVENTS, tools: &TOOLS, ..Dialect::CLAUDE },
    marks: &[],
    recognises,
    abilities,
    encode,
    silence: "",
    refusal: answer::exit_2,
    installer: &INSTALLER,
};

static ENVELOPE: Envelope = Envelope { tools: &TOOLS, deny, context: ContextAt::Inside };

fn encode(fitted: &Fitted) -> Answer {
    ENVELOPE.encode(fitted, "hook_event_name")
}

fn deny(kind: &EventKind) -> Deny {
    if *kind == EventKind::OrchestratorComplete { Deny::Block } else { Deny::ExitCode }
}

/// What Devin can carry at an event: of its documents only that is taken for sure which is a deny.
fn abilities(event: &Event) -> Abilities {
    let again = event.raw.get("stop_hook_active").and_then(Value::as_bool).unwrap_or(false);
    match event.kind {
        EventKind::ToolPre | EventKind::PromptSubmit => Abilities { block: Carry::Yes, ..NOTHING_EVER },
        EventKind::OrchestratorComplete => {
            Abilities { block: Carry::Yes, stop_loop: StopLoop::NeverEnds { again }, ..NOTHING_EVER }
        }
        EventKind::Other(_) => Abilities::NOTHING,
        _ => NOTHING_EVER,
    }
}

/// Claude Code's form without anything of its own, so nothing is certain.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let has = |key: &str| payload.contains_key(key);
    let foreign = [
        "timestamp",
        "prompt_id",
        "turn_id",
        "conversation_id",
        "tool_call_id",
        "sessionId",
        "permission_mode",
    ];
    let name = payload.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    let its_own = EVENTS.iter().any(|(own, _)| *own == name);
    let known = tenter_contract::event_names::find(name).is_some();
    if name.is_empty() || foreign.into_iter().any(has) || (known && !its_own) {
        Claim::NotMine
    } else {
        Claim::CannotTell
    }
}

const ROWS: [Row; 8] = [
    row("SessionStart", 60, Duty::Watch),
    row("UserPromptSubmit", 60, Duty::Guard),
    row("PreToolUse", 600, Duty::Guard),
    row("PermissionRequest", 60, Duty::Watch),
    row("PostToolUse", 600, Duty::Watch),
    row("PostCompaction", 60, Duty::Watch),
    row("Stop", 60, Duty::Watch),
    row("SessionEnd", 5, Duty::Watch),
];

static PROJECT: HookGroups = HookGroups {
    agent: AgentName::from_static(NAME),
    rows: &ROWS,
    unit: Unit::Seconds,
    // The map of the events is the whole file.
    layout: Layout { root: None, ..Layout::CLAUDE },
    warnings: |text, _| not_strict("Devin", text).into_iter().collect(),
};

/// It takes hooks of Claude Code's settings for its own, and says nothing by which its calls could be told apart.
static INSTALLER: Installer = Installer {
    title: "Devin CLI",
    program: "devin",
    user: None,
    project: Some(SettingsPlace::Project { file: ".devin/hooks.v1.json" }),
    local: None,
    groups: &PROJECT,
    still_to_do: None,
    reads_too: &[ReadsToo {
        agent: AgentName::from_static("claude"),
        scopes: &Scope::ALL,
        reading: Reading::InDisguise,
    }],
    entries_name: None,
    home_folder: None,
    sends: None,
    becomes_too: &[],
};
