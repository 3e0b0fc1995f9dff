//! What Copilot CLI's payloads say beyond the table.

use serde_json::{Map, Value};
use tenter_contract::ports::Surroundings;
use tenter_contract::{Event, EventKind, SessionId};

use crate::agent_spec::{Payload, error_from_value};

pub(super) fn complete(event: &mut Event, payload: &Payload<'_>, _: &Surroundings) {
    // The end of a sub-agent's turn comes just before `subagentStop`, which repeats it.
    if event.kind == EventKind::OrchestratorComplete && event.agent_id.is_some() {
        event.kind = EventKind::Other("copilot:SubagentTurnEnd".to_owned());
    }
    // The session is the one that the user sees. A sub-agent's own events have its own id, others about it the id of the
    // agent that started it.
    let session = payload.word(&["sessionId", "session_id"]);
    let parent = payload.word(&["parentAgentId", "parent_agent_id"]);
    if event.agent_id.is_some() && event.agent_id.as_deref() == session && parent.is_some() {
        event.session = parent.and_then(SessionId::parse);
    }
    let kind = payload.word(&["errorContext", "error_context"]).map(str::to_owned);
    event.error = payload.value(&["error"]).and_then(|error| error_from_value(error, ""));
    if let Some(error) = &mut event.error {
        error.kind = kind;
    }
}

/// The event of a payload that does not name it, by its keys. In camel case hardly any payload names it.
pub(super) fn unnamed_event(payload: &Map<String, Value>) -> Option<&str> {
    let has = |key: &str| payload.contains_key(key);
    let tool = has("toolName") || has("tool_name");
    let by_keys = || {
        Some(match () {
            () if tool && has("toolResult") => "postToolUse",
            () if tool && has("error") => "postToolUseFailure",
            () if tool && has("serverName") => "preMcpToolCall",
            () if tool => "preToolUse",
            () if has("transformedPrompt") => "userPromptTransformed",
            () if has("prompt") => "userPromptSubmitted",
            () if has("errorContext") => "errorOccurred",
            () if has("agentName") && (has("stopReason") || has("response")) => "subagentStop",
            () if has("agentName") => "subagentStart",
            () if has("stopReason") => "agentStop",
            () if has("customInstructions") || has("trigger") => "preCompact",
            () if has("source") || has("initialPrompt") => "sessionStart",
            () if has("reason") => "sessionEnd",
            () => return None,
        })
    };
    let named = payload.get("hookName").and_then(Value::as_str).filter(|name| !name.is_empty());
    named.or_else(|| by_keys().filter(|_| has("sessionId")))
}
