//! Our fitted outcome becomes Cline's answer: minimal and exact, and nothing at all where there is nothing to say.
//! The exit code is never read, so everything is in the words.

use serde_json::Value;
use tenter_contract::{Answer, Event, Fitted, FittedParts, FittedVerdict};

use super::tools;
use super::wire::AnswerWire;
use crate::answer::{self, never_blank, said};

/// Writes the answer. Its form is the same at every event; what means something where is in the abilities.
pub(super) fn encode(fitted: &Fitted) -> Answer {
    let (event, parts) = (fitted.event(), fitted.parts());
    let reason = match &parts.verdict {
        FittedVerdict::Deny { reason } => Some(reason.as_str()),
        FittedVerdict::Silent | FittedVerdict::Allow { .. } | FittedVerdict::Ask { .. } => None,
    };
    let answer = AnswerWire {
        override_input: changed_input(event, parts),
        context_modification: said(parts.context.as_ref()),
        ..stop(reason)
    };
    if answer == AnswerWire::default() { Answer::default() } else { answer::json(&answer) }
}

/// Stops whatever could not be understood.
pub(super) fn refusal(reason: &str) -> Answer {
    answer::json(&stop(Some(reason)))
}

fn stop(reason: Option<&str>) -> AnswerWire<'_> {
    AnswerWire { cancel: reason.is_some(), error_message: reason.map(never_blank), ..AnswerWire::default() }
}

/// The whole changed input in Cline's own form; one that is as it was is left out.
fn changed_input(event: &Event, parts: &FittedParts) -> Option<Value> {
    let (new, call) = (parts.input.as_ref()?, event.tool.as_ref()?);
    (new != call.asked_input()).then(|| tools::native_input(call, new))
}
