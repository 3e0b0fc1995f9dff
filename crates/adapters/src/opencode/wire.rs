//! What the plugin says and hears. The format is ours; `plugin.js` is the other side.

use serde::Serialize;
use serde_json::{Map, Value};
use tenter_contract::EventKind;
use tenter_contract::ports::DecodeError;

/// The plugin's events and ours: OpenCode's names, and some in their manner where it has none.
pub(super) static EVENTS: &[(&str, EventKind)] = &[
    ("session.created", EventKind::SessionStart),
    ("chat.message", EventKind::PromptSubmit),
    ("tool.execute.before", EventKind::ToolPre),
    ("permission.asked", EventKind::PermissionRequest),
    ("tool.execute.after", EventKind::ToolPost),
    ("tool.execute.failed", EventKind::ToolError),
    ("subagent.created", EventKind::SubagentStart),
    ("subagent.idle", EventKind::SubagentComplete),
    ("experimental.session.compacting", EventKind::ContextPreCompact),
    ("session.compacted", EventKind::ContextPostCompact),
    ("session.idle", EventKind::OrchestratorComplete),
    ("session.error", EventKind::ErrorOrchestrator),
    ("session.deleted", EventKind::SessionEnd),
];

/// Under this key the plugin says whose it is.
pub(super) const PLUGIN: &str = "plugin";

/// What any payload may hold, for as far as we read it.
///
/// Read by hand and not by serde: a field of an unexpected type counts as absent. A derived reader would
/// refuse the whole payload for it, and no guard would see the call.
#[derive(Debug)]
pub(super) struct PayloadWire<'a> {
    pub(super) hook_event_name: &'a str,
    pub(super) session_id: Option<&'a str>,
    pub(super) agent_id: Option<&'a str>,
    pub(super) agent_type: Option<&'a str>,
    pub(super) cwd: Option<&'a str>,
    pub(super) project_root: Option<&'a str>,
    pub(super) attended: Option<bool>,
    pub(super) again: Option<bool>,
    pub(super) turn: Option<&'a str>,
    pub(super) source: Option<&'a str>,
    pub(super) reason: Option<&'a str>,
    pub(super) prompt: Option<&'a str>,
    pub(super) files: Vec<&'a str>,
    pub(super) error: Option<&'a str>,
    pub(super) error_kind: Option<&'a str>,
    pub(super) tool: Option<&'a str>,
    pub(super) mcp_server: Option<&'a str>,
    pub(super) call_id: Option<&'a str>,
    pub(super) args: Option<&'a Value>,
    pub(super) output: Option<&'a Value>,
    pub(super) exit_code: Option<i64>,
}

impl<'a> PayloadWire<'a> {
    /// Reads a payload; only one without the name of its event is none.
    pub(super) fn read(payload: &'a Map<String, Value>) -> Result<Self, DecodeError> {
        let text = |key: &str| payload.get(key).and_then(Value::as_str);
        let word = |key: &str| text(key).filter(|word| !word.is_empty());
        let flag = |key: &str| payload.get(key).and_then(Value::as_bool);
        let files = payload.get("files").and_then(Value::as_array).into_iter().flatten();
        Ok(Self {
            hook_event_name: word("hook_event_name")
                .ok_or(DecodeError::BadField { field: "hook_event_name" })?,
            session_id: word("session_id"),
            agent_id: word("agent_id"),
            agent_type: word("agent_type"),
            cwd: word("cwd"),
            project_root: word("project_root"),
            attended: flag("attended"),
            again: flag("again"),
            turn: word("turn"),
            source: word("source"),
            reason: word("reason"),
            prompt: text("prompt"),
            files: files.filter_map(Value::as_str).collect(),
            error: text("error"),
            error_kind: word("error_kind"),
            tool: word("tool"),
            mcp_server: word("mcp_server"),
            call_id: word("call_id"),
            args: payload.get("args"),
            output: payload.get("output"),
            exit_code: payload.get("exit_code").and_then(Value::as_i64),
        })
    }
}

/// An answer. The order of the fields is the order on the wire.
#[derive(Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AnswerWire<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) decision: Option<DecisionWire>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) args: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) output: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prompt: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) additional_context: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) system_message: Option<&'a str>,
}

/// What the plugin is to do.
#[derive(Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum DecisionWire {
    /// Answer the agent's question to its user.
    Allow,
    /// Keep the call, the prompt or the result from happening.
    Deny,
    /// Send the agent on.
    Continue,
}
