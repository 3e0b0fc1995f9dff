//! Restores an event from its record, so that hooks can run again.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use serde_with_macros::skip_serializing_none;
use tenter_contract::{AgentName, Event, EventError, EventKind, SessionId, Timestamp, ToolCall, ToolKind};

use super::event::{ErrorV1, guess_kind};
use super::record::{RecordV1, RecordedTool};
use crate::shorten;

/// What hooks received of an event besides what every record has. Texts and results are kept only if a hook was
/// asked: they are evidence of what it judged, and of no use to anyone else.
#[skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RecordedRest {
    /// The session that started this one.
    pub parent_id: Option<String>,
    /// The orchestrator that runs it.
    pub orchestrator_id: Option<String>,
    /// The kind of sub-agent.
    pub agent_type: Option<String>,
    /// How many turns there have been.
    pub turn_count: Option<u64>,
    /// How something ended.
    pub status: Option<String>,
    /// Why a session ends.
    pub reason: Option<String>,
    /// How long it took.
    pub duration_ms: Option<u64>,
    /// What failed; its message only if a hook was asked.
    pub error: Option<ErrorV1>,
    /// What the tool does, where its name does not say so.
    pub tool_kind: Option<String>,
    /// Paths the call touches, where they are not those of its input.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Files attached or changed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// A notification's text, or the agent's last message.
    pub message: Option<String>,
    /// The result of the tool as it was in the end, in the agent's own shape.
    pub output: Option<Value>,
    /// Standard output of the tool, where it is not the `stdout` of its result.
    pub stdout: Option<String>,
    /// Standard error of the tool, where it is not the `stderr` of its result.
    pub stderr: Option<String>,
    /// What an embedder added.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
}

impl RecordedRest {
    /// The further fields of an event; `None` if all are empty.
    pub(crate) fn new(event: &Event, asked: bool) -> Option<Box<Self>> {
        let tool = event.tool.as_ref();
        let mut rest = Self {
            parent_id: event.parent.as_ref().map(ToString::to_string),
            orchestrator_id: event.orchestrator.clone(),
            agent_type: event.agent_type.clone(),
            turn_count: event.turn_count,
            status: event.status.clone(),
            reason: event.reason.as_deref().map(shorten::text),
            duration_ms: event.duration_ms,
            error: event
                .error
                .as_ref()
                .map(|error| ErrorV1 { kind: error.kind.clone(), message: String::new() }),
            tool_kind: tool
                .filter(|tool| guess_kind(&tool.name) != tool.kind)
                .map(|tool| tool.kind.as_str().to_owned()),
            files: event.files.clone(),
            data: event.data.iter().map(|(key, value)| (key.clone(), shorten::value(value))).collect(),
            paths: tool.filter(|tool| !lifts(tool)).map(|tool| tool.paths.clone()).unwrap_or_default(),
            ..Self::default()
        };
        if asked {
            rest.keep_texts(event);
        }
        (rest != Self::default()).then(|| Box::new(rest))
    }

    #[inline(never)]
    fn keep_texts(&mut self, event: &Event) {
        self.message = event.message.as_deref().map(shorten::text);
        if let (Some(kept), Some(error)) = (&mut self.error, &event.error) {
            kept.message = shorten::text(&error.message);
        }
        let Some(tool) = &event.tool else { return };
        self.output = tool.output.as_ref().map(shorten::value);
        let apart = |text: &Option<String>, key: &str| {
            let text = text.as_deref()?;
            let same = tool.output.as_ref().and_then(|it| it.get(key)).and_then(Value::as_str) == Some(text);
            (!same).then(|| shorten::text(text))
        };
        self.stdout = apart(&tool.stdout, "stdout");
        self.stderr = apart(&tool.stderr, "stderr");
    }
}

/// Whether the paths of a call are those that its input names.
fn lifts(tool: &ToolCall) -> bool {
    ToolCall::new(&tool.name, tool.kind, tool.input.clone()).paths == tool.paths
}

/// An event from its record.
#[derive(Clone, Debug, PartialEq)]
pub struct Recalled {
    /// The event as it arrived, as far as the record has it.
    pub event: Event,
    /// Descriptions of the parts that the record does not have.
    pub missing: Vec<String>,
}

impl RecordV1 {
    /// Whether this is the record of an event, rather than of what tenter or a person did.
    pub fn is_event(&self) -> bool {
        self.decision.is_some() && self.problem.is_none()
    }

    /// The event before any rewrite; `None` if this is not the record of an event.
    pub fn recalled(&self) -> Option<Recalled> {
        if !self.is_event() {
            return None;
        }
        let rest = self.also.as_deref().cloned().unwrap_or_default();
        let session = SessionId::parse(&self.session_id);
        let at = Timestamp::parse(&self.timestamp).unwrap_or_default();
        let mut event = Event::new(EventKind::parse(&self.event)?, AgentName::new(&self.agent), session, at);
        event.tool = self.tool.as_ref().map(|tool| call(tool, &rest));
        event.parent = rest.parent_id.as_deref().and_then(SessionId::parse);
        event.orchestrator = rest.orchestrator_id;
        event.agent_id.clone_from(&self.agent_id);
        event.agent_type = rest.agent_type;
        event.cwd.clone_from(&self.cwd);
        event.project_root.clone_from(&self.project_root);
        event.turn.clone_from(&self.turn);
        event.turn_count = rest.turn_count;
        event.source.clone_from(&self.source);
        event.status = rest.status;
        event.reason = rest.reason;
        event.duration_ms = rest.duration_ms;
        event.prompt.clone_from(&self.prompt);
        event.files = rest.files;
        event.message = rest.message;
        event.error = rest.error.map(|error| EventError { kind: error.kind, message: error.message });
        event.data = rest.data;
        Some(Recalled { event, missing: self.missing() })
    }

    /// The parts of the hooks' input that the record does not have.
    fn missing(&self) -> Vec<String> {
        let mut missing = Vec::new();
        let mut inputs = vec![Value::from(self.prompt.as_deref())];
        inputs.extend(self.tool.iter().map(|tool| tool.original_input.clone().unwrap_or(tool.input.clone())));
        inputs.extend(self.also.as_ref().and_then(|rest| serde_json::to_value(rest).ok()));
        if inputs.iter().any(|value| holds(value, shorten::is_shortened)) {
            missing.push("of texts above 16 KiB only the beginning is kept".to_owned());
        }
        if inputs.iter().any(|value| holds(value, |text| text.contains("[redacted:"))) {
            missing.push("secrets in it are not kept".to_owned());
        }
        let rewrote = |target: &str| {
            let mut effects = self.hooks.iter().flat_map(|hook| &hook.effects);
            effects.any(|effect| effect.target.as_deref() == Some(target))
        };
        for (target, what) in [("prompt", "prompt"), ("tool_output", "result"), ("data", "data")] {
            if rewrote(target) {
                missing.push(format!("of the {what} only what hooks made of it is kept"));
            }
        }
        let has_texts = matches!(
            EventKind::parse(&self.event),
            Some(
                EventKind::ToolPost
                    | EventKind::ToolError
                    | EventKind::ProviderError
                    | EventKind::ErrorOrchestrator
                    | EventKind::UserNotification
                    | EventKind::OrchestratorComplete
                    | EventKind::SubagentComplete
            )
        );
        if self.hooks.is_empty() && has_texts {
            missing.push("no hook was asked then, so results and messages were not kept".to_owned());
        }
        missing
    }
}

fn call(tool: &RecordedTool, rest: &RecordedRest) -> ToolCall {
    let kind = rest.tool_kind.as_deref().and_then(ToolKind::parse).unwrap_or_else(|| guess_kind(&tool.name));
    let asked = tool.original_input.as_ref().unwrap_or(&tool.input);
    let mut call = ToolCall::new(&tool.name, kind, asked.as_object().cloned().unwrap_or_default());
    if let Some(native) = &tool.native_name {
        call.native_name.clone_from(native);
    }
    if !rest.paths.is_empty() && tool.original_input.is_none() {
        call.paths.clone_from(&rest.paths);
    }
    let of_output = |key: &str| Some(rest.output.as_ref()?.get(key)?.as_str()?.to_owned());
    call.stdout = rest.stdout.clone().or_else(|| of_output("stdout"));
    call.stderr = rest.stderr.clone().or_else(|| of_output("stderr"));
    call.output.clone_from(&rest.output);
    call.exit_code = tool.exit_code;
    call.call_id.clone_from(&tool.call_id);
    call
}

/// Whether a text in a value satisfies the test.
fn holds(value: &Value, is: fn(&str) -> bool) -> bool {
    match value {
        Value::String(text) => is(text),
        Value::Array(list) => list.iter().any(|inner| holds(inner, is)),
        Value::Object(map) => map.iter().any(|(key, inner)| is(key) || holds(inner, is)),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests;
