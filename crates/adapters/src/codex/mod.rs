//! Codex CLI, as measured on version 0.166.0. It sets no environment variables for its hooks.

mod encode;
mod capabilities;
mod tools;
mod install;
mod trust;

use serde_json::{Map, Value};
use tenter_contract::EventKind;
use tenter_contract::ports::Claim;

use crate::agent_spec::{AgentSpec, FieldNames, guarded, observed, received, watched};
use crate::answer;

pub(crate) static CODEX: AgentSpec = AgentSpec {
    name: "codex",
    // Not installed: the events around a call of the model, which are not documented; `Interrupt`, which takes no
    // answer. Without a timeout in the entry Codex waits 600 s, at `SessionEnd` 1 s and never more than 3.
    events: &[
        watched("SessionStart", EventKind::SessionStart, 600),
        guarded("UserPromptSubmit", EventKind::PromptSubmit, 60),
        guarded("PreToolUse", EventKind::ToolPre, 600),
        guarded("PermissionRequest", EventKind::PermissionRequest, 600),
        watched("PostToolUse", EventKind::ToolPost, 600),
        watched("SubagentStart", EventKind::SubagentStart, 600),
        watched("SubagentStop", EventKind::SubagentComplete, 600),
        watched("PreCompact", EventKind::ContextPreCompact, 600),
        watched("PostCompact", EventKind::ContextPostCompact, 600),
        watched("Stop", EventKind::OrchestratorComplete, 600),
        watched("SessionEnd", EventKind::SessionEnd, 3),
        received("PreModelRequest", EventKind::ProviderRequest),
        received("PostModelRequest", EventKind::ProviderResponse),
        observed("Interrupt", None),
    ],
    fields: FieldNames {
        turn: &["turn_id"],
        source: &["source", "trigger"],
        message: &["last_assistant_message"],
        ..FieldNames::CLAUDE
    },
    tools: &tools::TOOLS,
    recognises,
    capabilities: capabilities::capabilities,
    encode: encode::encode,
    // Exit code 2 denies only with a text on standard error.
    refusal: |reason| answer::exit_2(answer::reason_or_default(reason)),
    installer: install::INSTALLER,
    ..AgentSpec::MEASURED
};

/// Within a turn every payload has a `turn_id` and the name of the `model`, which no other agent sends. None has a time,
/// a `prompt_id`, or a key in camel case. Payloads of the start and the end of a session could be another agent's.
fn recognises(payload: &Map<String, Value>) -> Claim {
    let foreign = "timestamp prompt_id sessionId hookName conversation_id cursor_version";
    match CODEX.possible_event(payload, foreign) {
        None => Claim::NotMine,
        Some(_) if payload.contains_key("turn_id") && payload.contains_key("model") => Claim::Mine,
        Some(_) => Claim::CannotTell,
    }
}
