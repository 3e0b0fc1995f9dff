//! Our fitted outcome becomes what the plugin carries out: minimal and exact, and nothing at all where there is
//! nothing to say.

use serde_json::{Map, Value};
use tenter_contract::{Answer, Event, EventKind, Fitted, FittedParts, FittedVerdict};

use super::tools;
use super::wire::{AnswerWire, DecisionWire};
use crate::answer::{self, said};

/// Writes the answer.
pub(super) fn encode(fitted: &Fitted) -> Answer {
    let (event, parts) = (fitted.event(), fitted.parts());
    let (decision, reason) = verdict(event, parts);
    let answer = AnswerWire {
        decision,
        reason,
        args: changed_input(event, parts),
        output: parts.output.as_ref(),
        prompt: parts.prompt.as_deref(),
        additional_context: said(parts.context.as_ref()),
        system_message: said(parts.message.as_ref()),
    };
    if answer == AnswerWire::default() { Answer::default() } else { answer::json(&answer) }
}

/// Denies, whatever the event.
pub(super) fn deny(reason: &str) -> Answer {
    answer::json(&AnswerWire {
        decision: Some(DecisionWire::Deny),
        reason: Some(reason),
        ..AnswerWire::default()
    })
}

fn verdict<'a>(event: &Event, parts: &'a FittedParts) -> (Option<DecisionWire>, Option<&'a str>) {
    match (&parts.verdict, &event.kind) {
        // No question fits anywhere.
        (FittedVerdict::Silent | FittedVerdict::Ask { .. }, _) => (None, None),
        (FittedVerdict::Allow { reason }, _) => (Some(DecisionWire::Allow), reason.as_deref()),
        (FittedVerdict::Deny { reason }, EventKind::OrchestratorComplete) => {
            (Some(DecisionWire::Continue), Some(reason))
        }
        (FittedVerdict::Deny { reason }, _) => (Some(DecisionWire::Deny), Some(reason)),
    }
}

/// The whole changed input under the agent's own keys; one that is as it was is left out.
fn changed_input(event: &Event, parts: &FittedParts) -> Option<Map<String, Value>> {
    let (new, call) = (parts.input.as_ref()?, event.tool.as_ref()?);
    let changed = tools::native_input(call, new);
    (changed != tools::native_input(call, call.asked_input())).then_some(changed)
}
