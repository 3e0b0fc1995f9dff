//! Amazon Q Developer's command line, which became Kiro's. Read in its source of April 2026; not measured.

use tenter_contract::ports::Claim;
use tenter_contract::{Capabilities, EventKind, Support};

use crate::agent_spec::{AgentSpec, ContextField, NOTHING_EVER, guarded, watched};
use crate::installer::{Installer, Layout, home, in_project};
use crate::kiro;

pub(crate) static AMAZON_Q: AgentSpec = AgentSpec {
    name: "amazonq",
    // Without a timeout an entry has 30 s.
    events: &[
        watched("agentSpawn", EventKind::SessionStart, 60).also("sessionStart SessionStart"),
        watched("userPromptSubmit", EventKind::PromptSubmit, 60).also("UserPromptSubmit"),
        guarded("preToolUse", EventKind::ToolPre, 600).also("PreToolUse"),
        watched("postToolUse", EventKind::ToolPost, 600).also("PostToolUse"),
        watched("stop", EventKind::OrchestratorComplete, 60).also("Stop"),
    ],
    tools: &kiro::TOOLS,
    // Like Kiro's, without a session.
    recognises: |payload| match payload.get("session_id") {
        None if kiro::is_of_the_family(payload) => Claim::CannotTell,
        _ => Claim::NotMine,
    },
    // The output is context at the beginning of a turn, and an exit code denies only before a tool.
    capabilities: |event| match event.kind {
        EventKind::SessionStart | EventKind::PromptSubmit => kiro::CONTEXT,
        EventKind::ToolPre => Capabilities { block: Support::Yes, ..Capabilities::NOTHING },
        EventKind::SessionEnd => NOTHING_EVER,
        _ => Capabilities::NOTHING,
    },
    context_field: ContextField::Whole,
    installer: Installer {
        title: "Amazon Q",
        program: Some("q"),
        user: home("", ".aws/amazonq", "cli-agents/tenter.json"),
        project: in_project(".amazonq/cli-agents/tenter.json"),
        format: &Layout {
            timeout: Some("timeout_ms"),
            milliseconds: true,
            // An agent of its own: hooks belong to one, and the one that comes with the program is in no file.
            required: &[("name", "\"tenter\""), ("tools", "[\"*\"]"), ("useLegacyMcpJson", "true")],
            ..Layout::FLAT
        },
        still_to_do: Some(
            "hooks of Amazon Q belong to an agent and run only with it: type `q settings chat.defaultAgent tenter`, or copy the `hooks` of this file into the agent you use",
        ),
        ..Installer::NONE
    },
    ..AgentSpec::DOCUMENTED
};
