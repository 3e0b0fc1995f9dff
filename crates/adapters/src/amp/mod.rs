//! Amp, by a plugin that tenter writes: it has no hooks that are commands. Read in its documents; not measured.
//!
//! The format between `plugin.ts` and this folder is our own.

use serde_json::{Map, Value};
use tenter_contract::ports::Claim;
use tenter_contract::{AgentOutcome, Answer, Capabilities, EventKind, Support, ToolKind};

use crate::agent_spec::{AgentEvent, AgentSpec, NOTHING_EVER, Tools, guarded, watched};
use crate::answer::{JsonObject, deny_reason, non_blank, reason_or_default};
use crate::installer::{Installer, OwnFile, home, in_project};

const EVENT_KEY: &str = "amp_event";

pub(crate) static AMP: AgentSpec = AgentSpec {
    name: "amp",
    // By the names of the plugin. Amp calls the start of a turn `agent.start`, which elsewhere is the start of a session.
    events: &[
        watched("session.start", EventKind::SessionStart, 60),
        watched("prompt.submit", EventKind::PromptSubmit, 60),
        guarded("tool.call", EventKind::ToolPre, 600),
        watched("tool.result", EventKind::ToolPost, 60),
        watched("agent.end", EventKind::OrchestratorComplete, 60),
    ],
    event_key: EVENT_KEY,
    tools: &Tools {
        names: &[
            ("Bash", ToolKind::Shell, "Bash"),
            ("Write", ToolKind::Write, "create_file"),
            ("Edit", ToolKind::Edit, "edit_file"),
            ("undo_edit", ToolKind::Edit, "undo_edit"),
            ("Read", ToolKind::Read, "Read"),
            ("Grep", ToolKind::Search, "Grep"),
            ("Glob", ToolKind::Search, "glob"),
            ("finder", ToolKind::Search, "finder"),
            ("WebFetch", ToolKind::Fetch, "read_web_page"),
            ("WebSearch", ToolKind::Fetch, "web_search"),
            ("Agent", ToolKind::Task, "Task"),
            ("TodoWrite", ToolKind::Other, "todo_write"),
        ],
        keys: &[
            ("Bash", "cmd=command"),
            ("create_file undo_edit Read", "path=file_path"),
            ("edit_file", "path=file_path old_str=old_string new_str=new_string"),
        ],
        patches: &[("apply_patch", "")],
        ..Tools::DOCUMENTED
    },
    // Only our plugin sends this key.
    recognises: |payload| match payload.get(EVENT_KEY) {
        Some(Value::String(_)) => Claim::Mine,
        _ => Claim::NotMine,
    },
    // Refusing a call and a message for the user are documented. More is mentioned, but not its form.
    capabilities: |event| match event.kind {
        EventKind::ToolPre => Capabilities { block: Support::Yes, ..MESSAGE_NOW },
        EventKind::SessionStart
        | EventKind::PromptSubmit
        | EventKind::ToolPost
        | EventKind::OrchestratorComplete => MESSAGE_NOW,
        EventKind::Other(_) => Capabilities::NOTHING,
        _ => NOTHING_EVER,
    },
    encode,
    installer: Installer {
        title: "Amp",
        user: home("XDG_CONFIG_HOME", ".config", "amp/plugins/tenter.ts"),
        project: in_project(".amp/plugins/tenter.ts"),
        format: &OwnFile { write: write_plugin, commands },
        still_to_do: Some(
            "plugins of Amp are an experiment of its makers: older builds load none unless they are started with `PLUGINS=all`",
        ),
        ..Installer::NONE
    },
    ..AgentSpec::DOCUMENTED
};

const MESSAGE_NOW: Capabilities = Capabilities { message: Support::Yes, ..NOTHING_EVER };

fn encode(_: &AgentSpec, adapted: &AgentOutcome) -> Answer {
    let parts = adapted.parts();
    let mut answer = JsonObject::new();
    answer.put("deny", deny_reason(parts).map(reason_or_default));
    answer.put("tell", non_blank(parts.message.as_ref()));
    answer.into_answer()
}

const PLUGIN: &str = include_str!("plugin.ts");

/// The line of the plugin that has the commands, by event.
const COMMANDS: &str = "const COMMANDS: Record<string, string> = ";

fn write_plugin(commands: &[(&AgentEvent, String)]) -> String {
    let commands: Map<String, Value> =
        commands.iter().map(|(event, command)| (event.name.to_owned(), command.as_str().into())).collect();
    let commands = Value::Object(commands);
    PLUGIN.replace(&format!("{COMMANDS}{{}};"), &format!("{COMMANDS}{commands};"))
}

fn commands(plugin: &str) -> Option<Vec<(String, String)>> {
    let line = plugin.lines().find_map(|line| line.strip_prefix(COMMANDS)?.strip_suffix(';'))?;
    let commands: Map<String, Value> = serde_json::from_str(line).ok()?;
    let command = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Some(commands.iter().map(|(event, value)| (event.clone(), command(value))).collect())
}
