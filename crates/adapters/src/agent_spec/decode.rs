//! A payload becomes our event.

use serde_json::Value;
use tenter_contract::ports::{DecodeError, Decoded, Surroundings};
use tenter_contract::{Event, EventError, EventKind, SessionId, ToolCall, ToolKind};

use super::{AgentSpec, Payload};
use crate::payload;

/// In which an entry of ours names its event, for agents whose payloads do not.
pub(crate) const ENTRY_EVENT_VARIABLE: &str = "TENTER_EVENT";

impl AgentSpec {
    /// Reads a payload. Missing fields stay empty; a call that is about to run must be named, or no guard could judge it.
    pub(super) fn decode_payload(
        &self,
        bytes: &[u8],
        surroundings: &Surroundings,
    ) -> Result<Decoded, DecodeError> {
        let fields = payload::parse_payload(bytes)?;
        let nested = self.fields.nested_under.and_then(|key| fields.get(key)).and_then(Value::as_object);
        let event = self.event(&Payload { top: &fields, nested }, surroundings)?;
        if (self.ignores)(&event) {
            return Ok(Decoded::NotForUs);
        }
        payload::check_call(Event { raw: Value::Object(fields), ..event })
    }

    fn event(&self, payload: &Payload<'_>, surroundings: &Surroundings) -> Result<Event, DecodeError> {
        let name = self.event_name(payload, surroundings)?;
        let kind = match self.find_event(name) {
            Some(event) => event.event_kind(self),
            None => payload::unknown_event_kind(&self.agent_name(), name)?,
        };
        let tool = self.tool(name, &kind, payload)?;
        let names = &self.fields;
        let word = |keys: &[&str]| payload.word(keys).map(str::to_owned);
        let text = |keys: &[&str]| payload.text(keys).map(str::to_owned);
        let session = payload.word(names.session).and_then(SessionId::parse);
        let project = surroundings.first_of(self.project_variables).map(str::to_owned);
        let mut event = Event {
            agent_id: word(names.agent_id),
            agent_type: word(names.agent_type),
            // A nested folder is that of the tool, which the model chooses.
            cwd: Payload { top: payload.top, nested: None }.word(names.cwd).map(str::to_owned),
            project_root: project.or_else(|| word(names.project_root)),
            turn: word(names.turn),
            source: word(names.source),
            status: word(names.status),
            reason: word(names.reason),
            duration_ms: payload.milliseconds(names.duration),
            prompt: text(names.prompt),
            message: text(names.message),
            files: word(names.file).into_iter().collect(),
            tool,
            ..Event::new(kind, self.agent_name(), session, surroundings.at)
        };
        (self.complete)(&mut event, payload, surroundings);
        Ok(event)
    }

    /// The event's name: from the payload, else from our entry, else by the keys of the payload.
    fn event_name<'a>(
        &self,
        payload: &Payload<'a>,
        surroundings: &'a Surroundings,
    ) -> Result<&'a str, DecodeError> {
        let named = match payload.top.get(self.event_key) {
            Some(named) => named.as_str().filter(|name| !name.is_empty()),
            None => surroundings
                .variable(ENTRY_EVENT_VARIABLE)
                .or_else(|| (self.unnamed_event)(payload.top))
                .or_else(|| payload::unknown_event_name(payload.top)),
        };
        named.ok_or(DecodeError::BadField { field: self.event_key })
    }

    fn tool(
        &self,
        name: &str,
        kind: &EventKind,
        payload: &Payload<'_>,
    ) -> Result<Option<ToolCall>, DecodeError> {
        let Some(call) = (self.call)(self, payload, name) else {
            let about_to_run = matches!(kind, EventKind::ToolPre | EventKind::PermissionRequest);
            return if about_to_run {
                Err(DecodeError::BadField { field: self.call_field })
            } else {
                Ok(None)
            };
        };
        let output = payload.value(self.fields.tool_output);
        let exit_code = output.filter(|_| call.kind == ToolKind::Shell).and_then(self.tools.exit_code);
        let call_id = payload.word(self.fields.call_id).map(str::to_owned);
        Ok(Some(ToolCall { output: output.cloned(), exit_code, call_id, ..call }))
    }
}

/// The tool call of a payload that has its name and its input under the keys of the table.
pub(crate) fn named_call(agent: &AgentSpec, payload: &Payload<'_>, _event: &str) -> Option<ToolCall> {
    let name = payload.word(agent.fields.tool_name)?;
    let input = payload::input_object(payload.value(agent.fields.tool_input));
    Some(agent.tools.call(name, None, input))
}

/// The same for agents known from documents: some send the input as a text of JSON, some name the MCP server.
pub(crate) fn documented_call(agent: &AgentSpec, payload: &Payload<'_>, _event: &str) -> Option<ToolCall> {
    let is_mcp = payload.flag("is_mcp_tool") == Some(true);
    documented_call_of(agent, payload, is_mcp)
}

/// The same, if it is known whether the tool is one of an MCP server.
pub(crate) fn documented_call_of(agent: &AgentSpec, payload: &Payload<'_>, is_mcp: bool) -> Option<ToolCall> {
    let name = payload.word(agent.fields.tool_name)?;
    let server = payload.text(&["mcp_server_name"]).or(is_mcp.then_some(""));
    let input = payload.value(agent.fields.tool_input);
    let parsed = input.and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok());
    let input = parsed.unwrap_or_else(|| payload::input_object(input));
    Some(agent.tools.call(name, server, input))
}

/// Common to agents known from documents: a field marks a failure, and a prompt may be a message.
pub(crate) fn complete_documented(event: &mut Event, payload: &Payload<'_>, _: &Surroundings) {
    let failed_tool = payload.word(&["tool_error"]).is_some();
    if event.kind == EventKind::ToolPost && failed_tool {
        event.kind = EventKind::ToolError;
    }
    let submits = event.kind == EventKind::PromptSubmit;
    if !submits && event.kind != EventKind::SubagentStart {
        event.prompt = None;
    }
    if submits {
        event.prompt = event.prompt.take().or(event.message.take());
        event.message = None;
    }
    if matches!(event.kind, EventKind::ToolError | EventKind::ErrorOrchestrator) {
        event.error = Some(EventError {
            kind: payload.word(&["failure_type", "error_type"]).map(str::to_owned),
            message: payload
                .text(&["error", "error_message", "tool_error", "task_error"])
                .unwrap_or_default()
                .to_owned(),
        });
    }
    if let Some(tool) = event.tool.as_mut().filter(|_| event.kind != EventKind::ToolPost) {
        tool.output = None;
    }
}

/// The failure in Claude Code's fields: `error` is a text where a tool failed and a code where the agent did.
pub(crate) fn claude_error(event: &Event, payload: &Payload<'_>) -> Option<EventError> {
    let error = payload.text(&["error"]);
    match event.kind {
        EventKind::ToolError => Some(EventError {
            kind: (payload.flag("is_interrupt") == Some(true)).then(|| "interrupt".to_owned()),
            message: error.unwrap_or_default().to_owned(),
        }),
        // Without details, the last message is the error as the user was shown it.
        EventKind::ErrorOrchestrator => Some(EventError {
            kind: error.map(str::to_owned),
            message: payload
                .text(&["error_details", "last_assistant_message"])
                .unwrap_or_default()
                .to_owned(),
        }),
        _ => None,
    }
}

/// A failure that is a text, or an object with its kind under this key.
pub(crate) fn error_from_value(error: &Value, kind_key: &str) -> Option<EventError> {
    let text = |key: &str| error.get(key).and_then(Value::as_str).map(str::to_owned);
    let (kind, message) = match error {
        Value::Null => return None,
        Value::Object(_) => (text(kind_key), text("message").unwrap_or_default()),
        Value::String(message) => (None, message.clone()),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => (None, error.to_string()),
    };
    Some(EventError { kind, message })
}

/// What the agent calls the event that this one was made of.
pub(crate) fn native_event<'a>(event: &'a Event, key: &str) -> &'a str {
    event.raw.get(key).and_then(Value::as_str).unwrap_or_default()
}
