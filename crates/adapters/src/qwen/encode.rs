//! Our fitted outcome becomes Qwen Code's answer: minimal and exact, and nothing at all where there is nothing
//! to say.

use serde_json::{Map, Value};
use tenter_contract::{Answer, Event, EventKind, Fitted, FittedParts, FittedVerdict};

use super::tools::Tool;
use super::wire::{AnswerWire, BlockWire, DecisionWire, EVENTS, SpecificWire};
use crate::answer::{self, said};

/// Writes the answer.
pub(super) fn encode(fitted: &Fitted) -> Answer {
    let (event, parts) = (fitted.event(), fitted.parts());
    let mut answer = AnswerWire {
        system_message: said(parts.message.as_ref()),
        hook_specific_output: SpecificWire {
            hook_event_name: EVENTS.iter().find(|(_, kind)| *kind == event.kind).map_or("", |(own, _)| own),
            additional_context: said(parts.context.as_ref()),
            ..SpecificWire::default()
        },
        ..AnswerWire::default()
    };
    match (&parts.verdict, &event.kind) {
        (FittedVerdict::Allow { reason }, EventKind::PermissionRequest) => {
            answer.reason = reason.as_deref();
            let updated_input = new_input(event, parts);
            answer.hook_specific_output.decision = Some(DecisionWire::Allow { updated_input });
        }
        (FittedVerdict::Deny { reason }, kind) => deny(&mut answer, reason, kind),
        // No question fits anywhere, and no other permission.
        (FittedVerdict::Silent | FittedVerdict::Ask { .. } | FittedVerdict::Allow { .. }, _) => {}
    }
    if answer.is_empty() { Answer::default() } else { answer::json(&answer) }
}

fn deny<'a>(answer: &mut AnswerWire<'a>, reason: &'a str, kind: &EventKind) {
    match kind {
        // Of several `permissionDecision`s Qwen Code takes the last, so that a hook of the project that allows
        // everything could lift the deny; one `continue: false` counts whatever others say. After the call there
        // is nothing else that it heeds.
        EventKind::ToolPre | EventKind::ToolPost => {
            (answer.goes_on, answer.stop_reason) = (Some(false), Some(reason));
        }
        EventKind::PermissionRequest => {
            answer.hook_specific_output.decision = Some(DecisionWire::Deny { message: reason });
        }
        _ => (answer.decision, answer.reason) = (Some(BlockWire::Block), Some(reason)),
    }
}

/// The whole changed input, under Qwen Code's own keys: it takes it in the place of the original.
fn new_input(event: &Event, parts: &FittedParts) -> Option<Map<String, Value>> {
    let (new, call) = (parts.input.as_ref()?, event.tool.as_ref()?);
    Some(Tool::of(&call.native_name).translated(new))
}
