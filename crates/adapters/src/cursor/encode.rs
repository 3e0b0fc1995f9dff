//! Our fitted outcome becomes Cursor's answer. It is never empty: some builds block on silence, and all of them on a
//! field that has no place at the event.

use serde::Serialize;
use serde_json::{Map, Value};
use tenter_contract::{Answer, Event, EventKind, Fitted, FittedParts, FittedVerdict};

use super::EVENT_KEY;
use crate::answer::{self, said};
use crate::documented::native_event;

/// An answer. The order of the fields is the order on the wire.
#[derive(Debug, Default, Serialize)]
struct AnswerWire<'a> {
    #[serde(rename = "continue", skip_serializing_if = "Option::is_none")]
    goes_on: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    user_message: Option<&'a str>,
    /// The editor gives the agent this one, the command line the other.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    followup_message: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    updated_input: Option<Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'a str>,
}

/// Writes the answer.
pub(super) fn encode(fitted: &Fitted) -> Answer {
    let (event, parts) = (fitted.event(), fitted.parts());
    let mut answer = AnswerWire {
        user_message: said(parts.message.as_ref()),
        updated_input: changed_input(event, parts),
        additional_context: said(parts.context.as_ref()),
        ..AnswerWire::default()
    };
    match (&parts.verdict, &event.kind) {
        (FittedVerdict::Silent, _) => {}
        (FittedVerdict::Deny { reason }, EventKind::PromptSubmit) => {
            (answer.goes_on, answer.user_message) = (Some(false), Some(reason.as_str()));
        }
        (FittedVerdict::Deny { reason }, EventKind::OrchestratorComplete | EventKind::SubagentComplete) => {
            answer.followup_message = Some(reason);
        }
        (FittedVerdict::Deny { reason }, _) => {
            (answer.permission, answer.user_message) = (Some("deny"), Some(reason.as_str()));
            let takes_two = native_event(event, EVENT_KEY) != "beforeReadFile";
            answer.agent_message = takes_two.then_some(reason);
        }
        (FittedVerdict::Ask { prompt }, _) => {
            (answer.permission, answer.user_message) = (Some("ask"), Some(prompt.as_str()));
        }
        (FittedVerdict::Allow { reason }, _) => {
            (answer.permission, answer.user_message) = (Some("allow"), reason.as_deref());
        }
    }
    answer::json(&answer)
}

/// What has changed of the input, and nothing else.
fn changed_input(event: &Event, parts: &FittedParts) -> Option<Map<String, Value>> {
    let (new, call) = (parts.input.as_ref()?, event.tool.as_ref()?);
    let old = call.asked_input();
    let changed = new.iter().filter(|(key, value)| old.get(key.as_str()) != Some(value));
    let changed: Map<String, Value> = changed.map(|(key, value)| (key.clone(), value.clone())).collect();
    (!changed.is_empty()).then_some(changed)
}
