//! Copilot CLI's JSON, exactly as it is written, in both spellings.

use serde::Serialize;
use serde_json::{Map, Value};
use tenter_contract::EventKind;
use tenter_contract::ports::DecodeError;

/// Its events in camel case, in Pascal case, and ours.
pub(super) static EVENTS: &[(&str, &str, EventKind)] = &[
    ("sessionStart", "SessionStart", EventKind::SessionStart),
    ("sessionEnd", "SessionEnd", EventKind::SessionEnd),
    ("userPromptSubmitted", "UserPromptSubmit", EventKind::PromptSubmit),
    ("preToolUse", "PreToolUse", EventKind::ToolPre),
    ("permissionRequest", "PermissionRequest", EventKind::PermissionRequest),
    ("postToolUse", "PostToolUse", EventKind::ToolPost),
    ("postToolUseFailure", "PostToolUseFailure", EventKind::ToolError),
    ("agentStop", "Stop", EventKind::OrchestratorComplete),
    ("subagentStart", "SubagentStart", EventKind::SubagentStart),
    ("subagentStop", "SubagentStop", EventKind::SubagentComplete),
    ("preCompact", "PreCompact", EventKind::ContextPreCompact),
    ("errorOccurred", "ErrorOccurred", EventKind::ErrorOrchestrator),
    ("notification", "Notification", EventKind::UserNotification),
];

/// The end of a sub-agent's turn. It comes just before `subagentStop`, which tells the same.
pub(super) const SUBAGENT_TURN: &str = "SubagentTurnEnd";

/// Events without a counterpart, in camel case and in Pascal case. A call of an MCP server comes at `preToolUse` too.
pub(super) const OTHERS: [(&str, &str); 2] =
    [("userPromptTransformed", "UserPromptTransformed"), ("preMcpToolCall", "PreMcpToolCall")];

/// Whether it calls one of its events so.
pub(super) fn is_its_own(name: &str) -> bool {
    let names = EVENTS.iter().map(|(camel, pascal, _)| (*camel, *pascal)).chain(OTHERS);
    names.into_iter().any(|(camel, pascal)| camel == name || pascal == name)
}

/// What any of its payloads may hold, for as far as we read it. A key counts under either spelling: at the start
/// of a sub-agent they are mixed.
///
/// Read by hand and not by serde: a field of an unexpected type counts as absent. A derived reader would
/// refuse the whole payload for it, and no guard would see the call.
#[derive(Debug)]
pub(super) struct PayloadWire<'a> {
    pub(super) event: &'a str,
    pub(super) session_id: Option<&'a str>,
    pub(super) cwd: Option<&'a str>,
    pub(super) agent_id: Option<&'a str>,
    pub(super) agent_type: Option<&'a str>,
    pub(super) parent_agent_id: Option<&'a str>,
    pub(super) source: Option<&'a str>,
    pub(super) reason: Option<&'a str>,
    pub(super) prompt: Option<&'a str>,
    pub(super) message: Option<&'a str>,
    pub(super) error: Option<&'a Value>,
    pub(super) error_context: Option<&'a str>,
    pub(super) tool_name: Option<&'a str>,
    pub(super) tool_input: Option<&'a Value>,
    pub(super) tool_result: Option<&'a Value>,
}

impl<'a> PayloadWire<'a> {
    /// Reads a payload; only one whose event cannot be told is none.
    pub(super) fn read(payload: &'a Map<String, Value>) -> Result<Self, DecodeError> {
        let either = |camel: &str, snake: &str| payload.get(camel).or_else(|| payload.get(snake));
        let text = |camel: &str, snake: &str| either(camel, snake).and_then(Value::as_str);
        let word = |camel: &str, snake: &str| text(camel, snake).filter(|word| !word.is_empty());
        Ok(Self {
            event: event(payload).ok_or(DecodeError::BadField { field: "hook_event_name" })?,
            session_id: word("sessionId", "session_id"),
            cwd: word("cwd", "cwd"),
            agent_id: word("agentId", "agent_id"),
            agent_type: word("agentType", "agent_type").or_else(|| word("agentName", "agent_name")),
            parent_agent_id: word("parentAgentId", "parent_agent_id"),
            source: word("source", "source")
                .or_else(|| word("trigger", "trigger"))
                .or_else(|| word("notificationType", "notification_type")),
            reason: word("reason", "reason"),
            prompt: text("prompt", "prompt"),
            message: text("message", "last_assistant_message").or_else(|| text("response", "response")),
            error: either("error", "error"),
            error_context: word("errorContext", "error_context"),
            tool_name: word("toolName", "tool_name"),
            tool_input: either("toolArgs", "tool_input").or_else(|| payload.get("toolInput")),
            tool_result: either("toolResult", "tool_result"),
        })
    }
}

/// The name of the event: what the payload says, else what its keys say. Under names in camel case hardly any
/// payload names it.
fn event(payload: &Map<String, Value>) -> Option<&str> {
    let named = |key: &str| payload.get(key).and_then(Value::as_str).filter(|name| !name.is_empty());
    if payload.contains_key("hook_event_name") {
        return named("hook_event_name");
    }
    let has = |key: &str| payload.contains_key(key);
    let tool = has("toolName") || has("tool_name");
    let by_keys = [
        (tool && has("toolResult"), "postToolUse"),
        (tool && has("error"), "postToolUseFailure"),
        (tool && has("serverName"), "preMcpToolCall"),
        (tool, "preToolUse"),
        (has("transformedPrompt"), "userPromptTransformed"),
        (has("prompt"), "userPromptSubmitted"),
        (has("errorContext"), "errorOccurred"),
        (has("agentName") && (has("stopReason") || has("response")), "subagentStop"),
        (has("agentName"), "subagentStart"),
        (has("stopReason"), "agentStop"),
        (has("customInstructions") || has("trigger"), "preCompact"),
        (has("source") || has("initialPrompt"), "sessionStart"),
        (has("reason"), "sessionEnd"),
    ];
    let told = || by_keys.into_iter().find(|(fits, _)| *fits).map(|(_, name)| name);
    named("hookName").or_else(|| told().filter(|_| has("sessionId")))
}

/// An answer. The order of the fields is the order on the wire; every field stands at the top, whatever the spelling
/// of the event.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AnswerWire<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_decision: Option<PermissionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) permission_decision_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) behavior: Option<PermissionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<BlockWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) modified_args: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) modified_result: Option<ResultWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) additional_context: Option<&'a str>,
}

/// A deny for an event that is not known: every key that denies at some event. Copilot passes over those that mean
/// nothing where they stand.
///
/// VS Code is called by the same entries, and has other keys: `hookSpecificOutput` before a tool, and `continue` at a
/// prompt. To Copilot the first says the same once more, and the second nothing.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RefusalWire<'a> {
    #[serde(flatten)]
    own: AnswerWire<'a>,
    #[serde(rename = "continue")]
    goes_on: bool,
    stop_reason: &'a str,
    hook_specific_output: ToolRefusalWire<'a>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolRefusalWire<'a> {
    hook_event_name: &'static str,
    permission_decision: PermissionWire,
    permission_decision_reason: &'a str,
}

impl<'a> RefusalWire<'a> {
    pub(super) fn new(reason: &'a str) -> Self {
        let own = AnswerWire {
            permission_decision: Some(PermissionWire::Deny),
            permission_decision_reason: Some(reason),
            behavior: Some(PermissionWire::Deny),
            message: Some(reason),
            decision: Some(BlockWire::Block),
            reason: Some(reason),
            ..AnswerWire::default()
        };
        let hook_specific_output = ToolRefusalWire {
            hook_event_name: "PreToolUse",
            permission_decision: PermissionWire::Deny,
            permission_decision_reason: reason,
        };
        Self { own, goes_on: false, stop_reason: reason, hook_specific_output }
    }
}

/// `permissionDecision` before a tool, and `behavior` at a permission request.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PermissionWire {
    Allow,
    Ask,
    Deny,
}

/// The only `decision` that is not the same as silence.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum BlockWire {
    Block,
}

/// A result in the place of another.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResultWire {
    pub(super) result_type: String,
    pub(super) text_result_for_llm: String,
}
