//! A payload of a documented agent becomes our event.

use std::time::Duration;

use serde_json::{Map, Value};
use tenter_contract::ports::{DecodeError, Surroundings};
use tenter_contract::{AgentName, Event, EventError, EventKind, SessionId, ToolCall};

use super::{NO_TOOLS, Tools};
use crate::door;

/// In which an entry of ours tells its event, for agents whose payloads do not.
pub(crate) const EVENT_VARIABLE: &str = "TENTER_EVENT";

/// What one agent sends.
pub(crate) struct Dialect {
    pub(crate) name: &'static str,
    /// The variables that are read, and those of them that name the project.
    pub(crate) variables: &'static [&'static str],
    pub(crate) project_variables: &'static [&'static str],
    /// The key of the event's name.
    pub(crate) event_key: &'static str,
    /// The name of the event of a payload that does not tell it.
    pub(crate) unnamed: fn(&Map<String, Value>) -> Option<&'static str>,
    /// Its events and ours. Only its own spellings lead to ours.
    pub(crate) events: &'static [(&'static str, EventKind)],
    /// Its events without a counterpart whose names mean something elsewhere.
    pub(crate) own: &'static [&'static str],
    /// The key under which it puts what belongs to the event, if that does not stand at the top.
    pub(crate) inside: Option<&'static str>,
    /// The tool call of a payload of this event.
    pub(crate) call: fn(&Map<String, Value>, &str) -> Option<Told>,
    pub(crate) tools: &'static Tools,
}

/// A tool call as the agent tells it.
#[derive(Debug, PartialEq)]
pub(crate) struct Told {
    /// Its name.
    pub(crate) name: String,
    pub(crate) input: Map<String, Value>,
    /// The MCP server whose tool it is: empty if that is not told, none if it is no such tool.
    pub(crate) server: Option<String>,
}

/// The words of all of them, in the order in which they count: no two mean different things by one of them.
const SESSION: &[&str] = &["session_id", "conversation_id", "conversationId", "trajectory_id"];
const CWD: &[&str] = &["cwd", "working_dir"];
const ROOTS: &[&str] = &["workspace_roots", "workspacePaths"];
const AGENT_ID: &[&str] = &["agent_id", "subagent_id"];
const AGENT_TYPE: &[&str] = &["agent_type", "subagent_type", "agent_name", "task_name"];
const SOURCE: &[&str] = &["source", "trigger", "notification_type"];
const STATUS: &[&str] = &["status", "final_status", "agent_stop_cause", "terminationReason"];
const PROMPT: &[&str] = &["prompt", "user_prompt", "task"];
const MESSAGE: &[&str] =
    &["message", "notification_message", "body", "text", "response", "summary", "task_result"];
const ERROR: &[&str] = &["error", "error_message", "tool_error", "task_error"];
const ERROR_KIND: &[&str] = &["failure_type", "error_type"];
const OUTPUT: &[&str] =
    &["tool_response", "tool_output", "output", "result_json", "mcp_result", "tool_result"];
const CALL_ID: &[&str] = &["tool_use_id", "tool_call_id"];
const TURN: &[&str] = &["generation_id", "execution_id"];
const DURATION: &[&str] = &["duration_ms", "duration", "session_duration_ms"];

/// What any of its payloads may hold. Read by hand: a field of an unexpected type counts as absent, so that a guard
/// sees the call all the same.
struct Fields<'a> {
    payload: &'a Map<String, Value>,
    inside: Option<&'a Map<String, Value>>,
}

impl<'a> Fields<'a> {
    fn value(&self, keys: &[&str]) -> Option<&'a Value> {
        let maps = [Some(self.payload), self.inside];
        maps.into_iter().flatten().find_map(|map| keys.iter().find_map(|key| map.get(*key)))
    }

    fn text(&self, keys: &[&str]) -> Option<&'a str> {
        let maps = [Some(self.payload), self.inside];
        let text = |map: &'a Map<String, Value>| keys.iter().find_map(|key| map.get(*key)?.as_str());
        maps.into_iter().flatten().find_map(text)
    }

    fn word(&self, keys: &[&str]) -> Option<String> {
        self.text(keys).filter(|word| !word.is_empty()).map(str::to_owned)
    }
}

impl Dialect {
    /// What most have in common.
    pub(crate) const CLAUDE: Self = Self {
        name: "",
        variables: &[],
        project_variables: &[],
        event_key: "hook_event_name",
        unnamed: |_| None,
        events: &[],
        own: &[],
        inside: None,
        call: named_call,
        tools: &NO_TOOLS,
    };

    /// Reads a payload. Missing fields stay empty; what is about to run must be named, or no guard could judge it.
    pub(super) fn decode(
        &self,
        payload: Map<String, Value>,
        surroundings: &Surroundings,
    ) -> Result<Event, DecodeError> {
        let name = self.event(&payload, surroundings)?;
        let inside = self.inside.and_then(|key| payload.get(key)).and_then(Value::as_object);
        let fields = Fields { payload: &payload, inside };
        let kind = self.kind(&name, &fields)?;
        let tool = self.tool(&name, &kind, &fields)?;
        let root = fields.value(ROOTS).and_then(|roots| roots.get(0)?.as_str()).map(str::to_owned);
        let session = fields.word(SESSION).as_deref().and_then(SessionId::parse);
        let project = surroundings.first_of(self.project_variables).map(str::to_owned);
        let speaks = kind == EventKind::PromptSubmit;
        let prompts = speaks || kind == EventKind::SubagentStart;
        let message = fields.text(MESSAGE).map(str::to_owned);
        let prompt = fields.text(PROMPT).map(str::to_owned).filter(|_| prompts);
        let event = Event {
            agent_id: fields.word(AGENT_ID),
            agent_type: fields.word(AGENT_TYPE),
            // A folder inside is that of the tool, which the model chooses.
            cwd: Fields { payload: &payload, inside: None }.word(CWD).or_else(|| root.clone()),
            project_root: project.or(root),
            turn: fields.word(TURN),
            source: fields.word(SOURCE),
            status: fields.word(STATUS),
            reason: fields.word(&["reason"]),
            duration_ms: fields.value(DURATION).and_then(milliseconds),
            // Where there is no prompt, the message is the user's.
            prompt: prompt.or_else(|| message.clone().filter(|_| speaks)),
            message: message.filter(|_| !speaks),
            error: error(&kind, &fields),
            tool,
            ..Event::new(
                kind,
                AgentName::from_static(self.name),
                session.unwrap_or_else(SessionId::unknown),
                surroundings.at,
            )
        };
        Ok(Event { raw: Value::Object(payload), ..event })
    }

    /// What the agent calls the event: what the payload says, else what our entry says, else what its keys say.
    fn event(
        &self,
        payload: &Map<String, Value>,
        surroundings: &Surroundings,
    ) -> Result<String, DecodeError> {
        let bad = DecodeError::BadField { field: self.event_key };
        let named = match payload.get(self.event_key) {
            Some(named) => {
                return named.as_str().filter(|name| !name.is_empty()).map(str::to_owned).ok_or(bad);
            }
            None => surroundings.variable(EVENT_VARIABLE),
        };
        let named = named.or_else(|| (self.unnamed)(payload)).or_else(|| door::unknown_event(payload));
        named.map(str::to_owned).ok_or(bad)
    }

    fn kind(&self, name: &str, fields: &Fields<'_>) -> Result<EventKind, DecodeError> {
        if self.own.contains(&name) {
            return Ok(EventKind::Other(format!("{}:{name}", self.name)));
        }
        match self.events.iter().find(|(own, _)| *own == name) {
            // Some tell of a tool that failed at the event of one that did not.
            Some((_, EventKind::ToolPost)) if fields.word(&["tool_error"]).is_some() => {
                Ok(EventKind::ToolError)
            }
            Some((_, kind)) => Ok(kind.clone()),
            None => door::foreign_event(&AgentName::from_static(self.name), name),
        }
    }

    fn tool(
        &self,
        name: &str,
        kind: &EventKind,
        fields: &Fields<'_>,
    ) -> Result<Option<ToolCall>, DecodeError> {
        let about_to_run = matches!(kind, EventKind::ToolPre | EventKind::PermissionRequest);
        let Some(told) = (self.call)(fields.payload, name) else {
            return if about_to_run { Err(DecodeError::BadField { field: "tool_name" }) } else { Ok(None) };
        };
        let call = self.tools.call(told);
        let output = fields.value(OUTPUT).filter(|_| *kind == EventKind::ToolPost).cloned();
        Ok(Some(ToolCall { output, call_id: fields.word(CALL_ID), ..call }))
    }
}

/// The tool call where it has its name and its input at the top.
pub(crate) fn named_call(payload: &Map<String, Value>, _event: &str) -> Option<Told> {
    let name = payload.get("tool_name").and_then(Value::as_str).filter(|name| !name.is_empty())?;
    let server = match (payload.get("mcp_server_name").and_then(Value::as_str), payload.get("is_mcp_tool")) {
        (Some(server), _) => Some(server.to_owned()),
        (None, Some(Value::Bool(true))) => Some(String::new()),
        (None, _) => None,
    };
    Some(Told { name: name.to_owned(), input: input(payload.get("tool_input")), server })
}

/// An input. Some send it as a text that is JSON.
fn input(value: Option<&Value>) -> Map<String, Value> {
    let written = value.and_then(Value::as_str).and_then(|text| serde_json::from_str(text).ok());
    match written {
        Some(Value::Object(fields)) => fields,
        _ => door::input(value),
    }
}

/// What the agent calls the event that this one was made of.
pub(crate) fn native_event<'a>(event: &'a Event, key: &str) -> &'a str {
    event.raw.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn error(kind: &EventKind, fields: &Fields<'_>) -> Option<EventError> {
    let failed = matches!(kind, EventKind::ToolError | EventKind::ErrorOrchestrator);
    failed.then(|| EventError {
        kind: fields.word(ERROR_KIND),
        message: fields.text(ERROR).unwrap_or_default().to_owned(),
    })
}

/// Whole milliseconds; the fraction is of no interest.
fn milliseconds(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let duration = Duration::try_from_secs_f64(value.as_f64()? / 1000.0).ok()?;
        u64::try_from(duration.as_millis()).ok()
    })
}
