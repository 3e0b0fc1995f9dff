//! Our fitted outcome becomes Gemini CLI's answer: minimal and exact, and nothing at all where there is nothing
//! to say. The exit code is 0: from 2 on, any text would be a deny.

use serde_json::{Map, Value};
use tenter_contract::{Answer, Event, Fitted, FittedParts, FittedVerdict};

use super::tools::Tool;
use super::wire::{self, AnswerWire, DenyWire, EVENTS, SpecificWire};
use crate::answer::{self, said};
use crate::door;

/// Writes the answer. Its form is the same at every event; what means something where is in the abilities.
pub(super) fn encode(fitted: &Fitted) -> Answer {
    let (event, parts) = (fitted.event(), fitted.parts());
    let reason = match &parts.verdict {
        FittedVerdict::Deny { reason } => Some(reason.as_str()),
        FittedVerdict::Silent | FittedVerdict::Allow { .. } | FittedVerdict::Ask { .. } => None,
    };
    let answer = AnswerWire {
        go_on: parts.stop.as_ref().map(|_| false),
        stop_reason: parts.stop.as_deref(),
        decision: reason.map(|_| DenyWire::Deny),
        reason,
        system_message: said(parts.message.as_ref()),
        hook_specific_output: SpecificWire {
            hook_event_name: EVENTS.iter().find(|(_, kind)| *kind == event.kind).map_or("", |(own, _)| own),
            tool_input: changed_input(event, parts),
            additional_context: said(parts.context.as_ref()),
        },
    };
    if answer.is_empty() { Answer::default() } else { answer::json(&answer) }
}

/// The whole changed input under Gemini CLI's own keys. It lays it over the original; a version that took it
/// in its place would run the same. An input that is as it was is left out, because the model is told of it.
fn changed_input(event: &Event, parts: &FittedParts) -> Option<Map<String, Value>> {
    let (new, call) = (parts.input.as_ref()?, event.tool.as_ref()?);
    let context = event.raw.as_object().and_then(wire::mcp_context);
    let original = door::input(event.raw.get("tool_input"));
    let new = Tool::of(&call.native_name, context).translated(new);
    (new != original).then_some(new)
}
