//! Our outcome becomes Cline's answer. The exit code is never read.

use serde_json::Value;
use tenter_contract::{AgentOutcome, AgentOutcomeParts, Answer, Event};

use super::tools;
use crate::agent_spec::AgentSpec;
use crate::answer::{JsonObject, deny_reason, non_blank, reason_or_default};

/// Writes the answer. Its form is the same at every event.
pub(super) fn encode(_: &AgentSpec, adapted: &AgentOutcome) -> Answer {
    let (event, parts) = (adapted.event(), adapted.parts());
    let mut answer = cancel(deny_reason(parts));
    answer.put("contextModification", non_blank(parts.context.as_ref()));
    answer.put("overrideInput", changed_input(event, parts));
    answer.into_answer()
}

/// Denies a payload that could not be understood.
pub(super) fn refusal(reason: &str) -> Answer {
    cancel(Some(reason)).into_answer()
}

/// Ends the run. There is no way to refuse one call.
fn cancel(reason: Option<&str>) -> JsonObject {
    let mut answer = JsonObject::new();
    answer.put("cancel", reason.map(|_| true));
    answer.put("errorMessage", reason.map(reason_or_default));
    answer
}

/// The whole changed input in Cline's form; none if it has no changes.
fn changed_input(event: &Event, parts: &AgentOutcomeParts) -> Option<Value> {
    let (new, call) = (parts.input.as_ref()?, event.tool.as_ref()?);
    (new != call.asked_input()).then(|| tools::native_input(call, new))
}
