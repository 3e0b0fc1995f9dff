//! Factory's droid. Read in the program 0.225.2; not measured.

use serde_json::{Map, Value};
use tenter_contract::ports::{Claim, SettingsPlace};
use tenter_contract::{Capabilities, Event, EventKind, RewriteInput, StopLoop, Support, ToolKind};

use crate::agent_spec::{AgentSpec, ContextField, NOTHING_EVER, Tools, guarded, watched};
use crate::installer::{Installer, Layout, TakenInstead, home, in_project, switch_warning};
use tenter_json_edit::JsonText;

pub(crate) static FACTORY: AgentSpec = AgentSpec {
    name: "factory",
    project_variables: &["FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    marks: &["FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR"],
    // Without a timeout in the entry droid waits 60 s.
    events: &[
        watched("SessionStart", EventKind::SessionStart, 600),
        guarded("UserPromptSubmit", EventKind::PromptSubmit, 60),
        guarded("PreToolUse", EventKind::ToolPre, 600),
        watched("PostToolUse", EventKind::ToolPost, 600),
        watched("SubagentStop", EventKind::SubagentComplete, 600),
        watched("PreCompact", EventKind::ContextPreCompact, 600),
        watched("Notification", EventKind::UserNotification, 600),
        watched("Stop", EventKind::OrchestratorComplete, 600),
        watched("SessionEnd", EventKind::SessionEnd, 5),
    ],
    tools: &TOOLS,
    recognises,
    capabilities,
    // Denies are exit codes: of several decisions in JSON the first counts, so that a hook that allows everything could
    // lift a deny.
    installer: Installer {
        title: "Factory droid",
        program: Some("droid"),
        user: home("", ".factory", "settings.json"),
        project: in_project(".factory/settings.json"),
        format: &Layout {
            warnings: |_, settings| {
                let effect = "droid runs no hook at all, and tenter is never called";
                switch_warning(settings, "/hooksDisabled", true, effect).into_iter().collect()
            },
            ..Layout::CLAUDE
        },
        still_to_do: Some("droid runs hooks only in folders that you trust"),
        taken_instead: Some(TakenInstead {
            user: SettingsPlace::Home { variable: "", folder: ".factory", file: "hooks.json" },
            project: SettingsPlace::Project { file: ".factory/hooks.json" },
            warn: warn_of_hooks_file,
        }),
        ..Installer::NONE
    },
    ..AgentSpec::DOCUMENTED
};

static TOOLS: Tools = Tools {
    names: &[
        ("Bash", ToolKind::Shell, "Execute"),
        ("Write", ToolKind::Write, "Create"),
        ("Edit", ToolKind::Edit, "Edit"),
        ("Read", ToolKind::Read, "Read"),
        ("LS", ToolKind::Search, "LS"),
        ("Glob", ToolKind::Search, "Glob"),
        ("Grep", ToolKind::Search, "Grep"),
        ("WebSearch", ToolKind::Fetch, "WebSearch"),
        ("WebFetch", ToolKind::Fetch, "FetchUrl"),
        ("Agent", ToolKind::Task, "Task"),
        ("TodoWrite", ToolKind::Other, "TodoWrite"),
    ],
    keys: &[("Edit", "old_str=old_string new_str=new_string")],
    patches: &[("ApplyPatch", "")],
    ..Tools::DOCUMENTED
};

const CONTEXT: Capabilities =
    Capabilities { context: ContextField::Inside.channel(), ..Capabilities::NOTHING };

/// One channel for context, so no role is supported.
fn capabilities(event: &Event) -> Capabilities {
    let again = event.raw.get("stop_hook_active").and_then(Value::as_bool).unwrap_or(false);
    match event.kind {
        EventKind::SessionStart => CONTEXT,
        EventKind::PromptSubmit => {
            Capabilities { block: Support::Yes, rewrite_prompt: Support::Yes, ..CONTEXT }
        }
        EventKind::ToolPre => Capabilities {
            block: Support::Yes,
            stop: Support::Yes,
            allow: Support::Yes,
            rewrite_input: match event.tool.as_ref() {
                Some(tool) if !TOOLS.is_plain(&tool.native_name) => RewriteInput::Never,
                Some(_) | None => RewriteInput::MergedOver,
            },
            ..Capabilities::NOTHING
        },
        // The reason goes to the model, and so does the result.
        EventKind::ToolPost => Capabilities { block: Support::Yes, message: Support::Yes, ..CONTEXT },
        EventKind::OrchestratorComplete => Capabilities {
            block: Support::Yes,
            stop_loop: StopLoop::NeverEnds { again },
            ..Capabilities::NOTHING
        },
        EventKind::ContextPreCompact => Capabilities { block: Support::Yes, ..Capabilities::NOTHING },
        EventKind::SessionEnd => NOTHING_EVER,
        _ => Capabilities::NOTHING,
    }
}

/// Its modes have names of their own.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let foreign = "timestamp sessionId conversation_id turn_id prompt_id hookName";
    let mode = payload.get("permission_mode").and_then(Value::as_str);
    match mode.map(|mode| matches!(mode, "off" | "spec") || mode.starts_with("auto-")) {
        _ if FACTORY.possible_event(payload, foreign).is_none() => Claim::NotMine,
        Some(true) => Claim::Mine,
        Some(false) => Claim::NotMine,
        None => Claim::CannotTell,
    }
}

/// droid reads an event from `hooks.json` and then ignores the settings for it.
fn warn_of_hooks_file(text: &str) -> Option<String> {
    let value = JsonText::parse(text).ok()?.value()?;
    let names = FACTORY.installed_events().map(|event| event.name);
    let taken: Vec<String> =
        names.filter(|name| value.get(name).is_some()).map(|name| format!("`{name}`")).collect();
    (!taken.is_empty()).then(|| {
        format!(
            "`hooks.json` next to it has {}, and droid then runs no hook of `settings.json` for that; move these hooks into the `hooks` of `settings.json`",
            taken.join(", ")
        )
    })
}
