//! OpenCode and Kilo, which runs OpenCode's plugins, as measured on versions 1.18.33 and 7.7.7.
//!
//! They have no hooks that are commands: `plugin.js` runs inside the agent, calls tenter at each event with a payload of
//! our own form, and carries out the answer. Both sides of that format are in this folder.

mod encode;
mod capabilities;
mod tools;
mod plugin_file;

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};
use tenter_contract::ports::{Claim, Surroundings};
use tenter_contract::{Event, EventError, EventKind};

use crate::agent_spec::{AgentEvent, AgentSpec, FieldNames, Payload, guarded, watched};
use crate::installer::{Installer, home, in_project};

pub(crate) static OPENCODE: AgentSpec = AgentSpec {
    name: "opencode",
    recognises: |payload| recognises(&OPENCODE, payload),
    installer: Installer {
        title: "OpenCode",
        package: Some("opencode-ai"),
        user: home("XDG_CONFIG_HOME", ".config", "opencode/plugins/tenter.js"),
        project: in_project(".opencode/plugins/tenter.js"),
        ..PLUGIN_HOST.installer
    },
    ..PLUGIN_HOST
};

pub(crate) static KILO: AgentSpec = AgentSpec {
    name: "kilo",
    recognises: |payload| recognises(&KILO, payload),
    installer: Installer {
        title: "Kilo",
        package: Some("@kilocode/cli"),
        user: home("XDG_CONFIG_HOME", ".config", "kilo/plugin/tenter.js"),
        project: in_project(".kilo/plugin/tenter.js"),
        ..PLUGIN_HOST.installer
    },
    ..PLUGIN_HOST
};

/// OpenCode's names, and similar ones for events that it has no name for. The agent itself would wait for ever.
const EVENTS: &[AgentEvent] = &[
    watched("session.created", EventKind::SessionStart, 600),
    guarded("chat.message", EventKind::PromptSubmit, 60),
    guarded("tool.execute.before", EventKind::ToolPre, 600),
    watched("permission.asked", EventKind::PermissionRequest, 600),
    watched("tool.execute.after", EventKind::ToolPost, 600),
    watched("tool.execute.failed", EventKind::ToolError, 600),
    watched("subagent.created", EventKind::SubagentStart, 600),
    watched("subagent.idle", EventKind::SubagentComplete, 600),
    watched("experimental.session.compacting", EventKind::ContextPreCompact, 600),
    watched("session.compacted", EventKind::ContextPostCompact, 600),
    watched("session.idle", EventKind::OrchestratorComplete, 600),
    watched("session.error", EventKind::ErrorOrchestrator, 600),
    watched("session.deleted", EventKind::SessionEnd, 5),
];

const PLUGIN_HOST: AgentSpec = AgentSpec {
    events: EVENTS,
    fields: FieldNames {
        project_root: &["project_root"],
        turn: &["turn"],
        source: &["source"],
        tool_name: &["tool"],
        tool_input: &["args"],
        tool_output: &["output"],
        call_id: &["call_id"],
        ..FieldNames::CLAUDE
    },
    tools: &tools::TOOLS,
    call_field: "tool",
    call: tools::call,
    complete,
    capabilities: capabilities::capabilities,
    encode: encode::encode,
    refusal: encode::refusal,
    installer: Installer {
        format: &plugin_file::PluginFile,
        // The second of two plugins with the same wiring finds the first, and does nothing.
        runs_twins_once: true,
        ..Installer::NONE
    },
    ..AgentSpec::MEASURED
};

fn complete(event: &mut Event, payload: &Payload<'_>, _: &Surroundings) {
    event.attended = payload.flag("attended");
    let files = payload.top.get("files").and_then(Value::as_array).into_iter().flatten();
    event.files = files.filter_map(Value::as_str).map(str::to_owned).collect();
    event.error = payload.text(&["error"]).map(|message| EventError {
        kind: payload.word(&["error_kind"]).map(str::to_owned),
        message: message.to_owned(),
    });
    if let Some(tool) = &mut event.tool {
        tool.exit_code = payload.top.get("exit_code").and_then(Value::as_i64);
    }
}

/// The plugin names its agent. Without that, a name of OpenCode's events may be of any agent that runs its plugins.
fn recognises(agent: &AgentSpec, payload: &Map<String, Value>) -> Claim {
    let possible = agent.possible_event(payload, "").is_some();
    match payload.get("plugin") {
        Some(plugin) if payload.contains_key(agent.event_key) && *plugin == *agent.name => Claim::Mine,
        None if possible => Claim::CannotTell,
        _ => Claim::NotMine,
    }
}
