//! Our outcome becomes Cursor's answer. It is never empty: some builds block on silence, and all of them on a field that
//! the event does not have.

use serde_json::{Map, Value};
use tenter_contract::{AgentOutcome, AgentOutcomeParts, AgentVerdict, Answer, Event, EventKind};

use super::EVENT_KEY;
use crate::agent_spec::{AgentSpec, native_event};
use crate::answer::{JsonObject, non_blank};

pub(super) fn encode(_: &AgentSpec, adapted: &AgentOutcome) -> Answer {
    let (event, parts) = (adapted.event(), adapted.parts());
    let mut user_message = non_blank(parts.message.as_ref());
    let (mut agent_message, mut followup_message) = (None, None);
    let mut answer = JsonObject::new();
    match (&parts.verdict, &event.kind) {
        (AgentVerdict::Silent, _) => {}
        (AgentVerdict::Deny { reason }, EventKind::PromptSubmit) => {
            answer.put("continue", Some(false));
            user_message = Some(reason);
        }
        (AgentVerdict::Deny { reason }, EventKind::OrchestratorComplete | EventKind::SubagentComplete) => {
            followup_message = Some(reason);
        }
        (AgentVerdict::Deny { reason }, _) => {
            answer.put("permission", Some("deny"));
            user_message = Some(reason);
            // The editor shows the agent this one, the command line the other.
            agent_message = (native_event(event, EVENT_KEY) != "beforeReadFile").then_some(reason);
        }
        (AgentVerdict::Ask { prompt }, _) => {
            answer.put("permission", Some("ask"));
            user_message = Some(prompt);
        }
        (AgentVerdict::Allow { reason }, _) => {
            answer.put("permission", Some("allow"));
            user_message = reason.as_deref();
        }
    }
    answer.put("user_message", user_message);
    answer.put("agent_message", agent_message);
    answer.put("followup_message", followup_message);
    answer.put("updated_input", changed_input(event, parts));
    answer.put("additional_context", non_blank(parts.context.as_ref()));
    answer.into_full_answer()
}

fn changed_input(event: &Event, parts: &AgentOutcomeParts) -> Option<Map<String, Value>> {
    let (new, call) = (parts.input.as_ref()?, event.tool.as_ref()?);
    let old = call.asked_input();
    let changed = new.iter().filter(|(key, value)| old.get(key.as_str()) != Some(value));
    let changed: Map<String, Value> = changed.map(|(key, value)| (key.clone(), value.clone())).collect();
    (!changed.is_empty()).then_some(changed)
}
