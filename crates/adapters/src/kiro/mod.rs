//! Kiro, its command line 3 and its editor 1. Read in their documents; not measured.

use serde_json::{Map, Value, json};
use tenter_contract::ports::Claim;
use tenter_contract::{Capabilities, Event, EventKind, Support, ToolKind};

use crate::agent_spec::{
    AgentEvent, AgentSpec, ContextField, McpNames, NOTHING_EVER, Tools, guarded, has_any_key, watched,
};
use crate::installer::{Installer, OwnFile, home, in_project};

pub(crate) static KIRO: AgentSpec = AgentSpec {
    name: "kiro",
    // Payloads use camel case, files Pascal case. Triggers about files and tasks can be wired by hand.
    events: &[
        watched("SessionStart", EventKind::SessionStart, 60).also("sessionStart agentSpawn"),
        guarded("UserPromptSubmit", EventKind::PromptSubmit, 60).also("userPromptSubmit"),
        guarded("PreToolUse", EventKind::ToolPre, 600).also("preToolUse"),
        watched("PostToolUse", EventKind::ToolPost, 600).also("postToolUse"),
        watched("Stop", EventKind::OrchestratorComplete, 60).also("stop"),
    ],
    tools: &TOOLS,
    recognises,
    capabilities,
    // It reads no JSON: an exit code denies, and the output is context.
    context_field: ContextField::Whole,
    // It reads every file of a folder, so tenter has one of its own there.
    installer: Installer {
        title: "Kiro",
        program: Some("kiro-cli"),
        user: home("", ".kiro", "hooks/tenter.json"),
        project: in_project(".kiro/hooks/tenter.json"),
        format: &OwnFile { write: write_file, commands },
        ..Installer::NONE
    },
    ..AgentSpec::DOCUMENTED
};

/// Its tools, which are those of Amazon Q, and their other names.
pub(crate) static TOOLS: Tools = Tools {
    names: &[
        ("Bash", ToolKind::Shell, "execute_bash executeBash execute_cmd shell"),
        ("Write", ToolKind::Write, "fs_write fsWrite write"),
        ("Read", ToolKind::Read, "fs_read fsRead read"),
        ("use_aws", ToolKind::Other, "use_aws aws"),
    ],
    keys: &[
        ("fs_write write", "path=file_path file_text=content old_str=old_string new_str=new_string"),
        ("fsWrite", "path=file_path text=content"),
        ("fs_read fsRead read", "path=file_path"),
    ],
    lists: &[("fs_read", "operations", "path"), ("read", "operations", "path")],
    mcp: McpNames::At,
    ..Tools::DOCUMENTED
};

/// Output is cut at 10 KiB, and a character may need several bytes.
const CONTEXT_LIMIT: usize = 5_000;

pub(crate) const CONTEXT: Capabilities = Capabilities {
    context: ContextField::Whole.channel(),
    context_limit: Some(CONTEXT_LIMIT),
    ..Capabilities::NOTHING
};

/// By its documents a denied prompt is not sent; its editor was seen to send it all the same.
fn capabilities(event: &Event) -> Capabilities {
    match event.kind {
        EventKind::SessionStart | EventKind::ToolPost => CONTEXT,
        EventKind::PromptSubmit => Capabilities { block: Support::Yes, ..CONTEXT },
        EventKind::ToolPre => Capabilities { block: Support::Yes, ..Capabilities::NOTHING },
        EventKind::SessionEnd => NOTHING_EVER,
        _ => Capabilities::NOTHING,
    }
}

/// Names in camel case with few fields. Kiro names a session and Amazon Q does not.
fn recognises(payload: &Map<String, Value>) -> Claim {
    match (is_of_the_family(payload), payload.contains_key("session_id")) {
        (false, _) => Claim::NotMine,
        (true, true) => Claim::Mine,
        (true, false) => Claim::CannotTell,
    }
}

/// Whether a payload is one of Kiro or Amazon Q: no other agent names events in camel case without an id of its own or a
/// time.
pub(crate) fn is_of_the_family(payload: &Map<String, Value>) -> bool {
    let foreign = "conversation_id cursor_version sessionId timestamp hookName transcript_path turn_id";
    let name = payload.get("hook_event_name").and_then(Value::as_str).unwrap_or_default();
    let camel = name.starts_with(|first: char| first.is_ascii_lowercase());
    let own_trigger =
        ["PostFile", "PreTask", "PostTask", "Manual"].iter().any(|start| name.starts_with(start));
    ((KIRO.find_event(name).is_some() && camel) || own_trigger) && !has_any_key(payload, foreign)
}

/// One hook per trigger, on one line each.
fn write_file(commands: &[(&AgentEvent, String)]) -> String {
    let hooks: Vec<String> = commands
        .iter()
        .map(|(event, command)| {
            let hook = json!({
                "name": format!("tenter {}", event.name),
                "trigger": event.name,
                "action": {"type": "command", "command": command},
                "timeout": event.seconds(),
                "enabled": true,
            });
            format!("    {hook}")
        })
        .collect();
    format!("{{\n  \"version\": \"v1\",\n  \"hooks\": [\n{}\n  ]\n}}\n", hooks.join(",\n"))
}

fn commands(file: &str) -> Option<Vec<(String, String)>> {
    let file: Value = serde_json::from_str(file.trim_start_matches('\u{feff}')).ok()?;
    let text =
        |hook: &Value, path: &str| hook.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    let hooks = file.get("hooks")?.as_array()?;
    Some(hooks.iter().map(|hook| (text(hook, "/trigger"), text(hook, "/action/command"))).collect())
}
