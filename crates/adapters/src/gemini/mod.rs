//! Gemini CLI, as measured on version 0.61.0.

mod encode;
mod capabilities;
mod tools;
mod install;

use serde_json::{Map, Value};
use tenter_contract::ports::{Claim, Surroundings};
use tenter_contract::{Event, EventKind, SessionId, event_names};

use crate::agent_spec::{AgentSpec, FieldNames, Payload, error_from_value, guarded, received, watched};

/// The session, for a payload that does not name it.
const SESSION_VARIABLE: &str = "GEMINI_SESSION_ID";

pub(crate) static GEMINI: AgentSpec = AgentSpec {
    name: "gemini",
    variables: &["GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR", SESSION_VARIABLE],
    // Gemini CLI sets both; the first is its own.
    project_variables: &["GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR"],
    marks: &[SESSION_VARIABLE, "GEMINI_CWD"],
    // Not installed: `PreCompress`, which comes before every call of the model, compaction or not; the three events
    // around a call of the model, one of them once per piece of the stream. Without a timeout in the entry Gemini CLI
    // waits 60 s.
    events: &[
        watched("SessionStart", EventKind::SessionStart, 600),
        guarded("BeforeAgent", EventKind::PromptSubmit, 60),
        guarded("BeforeTool", EventKind::ToolPre, 600),
        watched("AfterTool", EventKind::ToolPost, 600),
        watched("Notification", EventKind::UserNotification, 600),
        watched("AfterAgent", EventKind::OrchestratorComplete, 600),
        watched("SessionEnd", EventKind::SessionEnd, 5),
        received("BeforeModel", EventKind::ProviderRequest),
        received("AfterModel", EventKind::ProviderResponse),
        received("BeforeToolSelection", EventKind::DecisionToolResolution),
        received("PreCompress", EventKind::ContextPreCompact),
    ],
    fields: FieldNames {
        message: &["message", "prompt_response", "/llm_response/text"],
        agent_id: &[],
        agent_type: &[],
        call_id: &[],
        ..FieldNames::CLAUDE
    },
    tools: &tools::TOOLS,
    call: tools::call,
    complete,
    recognises,
    capabilities: capabilities::capabilities,
    encode: encode::encode,
    installer: install::INSTALLER,
    ..AgentSpec::MEASURED
};

/// There is no event for a failure: the result of a failed tool has an error.
fn complete(event: &mut Event, payload: &Payload<'_>, surroundings: &Surroundings) {
    event.error = payload.value(&["/tool_response/error"]).and_then(|error| error_from_value(error, "type"));
    if payload.word(&["session_id"]).is_none()
        && let Some(session) = surroundings.variable(SESSION_VARIABLE).and_then(SessionId::parse)
    {
        event.session = Some(session);
    }
}

/// Most of its events have names of their own. In payloads of the others there is always a time and never a
/// `permission_mode`; Qwen Code, which was made from it, leaves that out too at times.
fn recognises(payload: &Map<String, Value>) -> Claim {
    match GEMINI.possible_event(payload, "permission_mode prompt_id sessionId hookName conversation_id") {
        Some("SessionStart" | "SessionEnd" | "Notification") if !payload.contains_key("timestamp") => {
            Claim::NotMine
        }
        Some("SessionStart" | "SessionEnd" | "Notification") => Claim::CannotTell,
        Some(name) if event_names::find(name).is_some() => Claim::Mine,
        Some(_) => Claim::CannotTell,
        None => Claim::NotMine,
    }
}
