//! Our outcome becomes Gemini CLI's answer. The exit code is 0: from 2 on, any text would be a deny. There is no
//! `suppressOutput`: it only hides the `systemMessage` of the same answer.

use serde_json::{Map, Value};
use tenter_contract::{AgentOutcome, AgentOutcomeParts, Answer, Event};

use super::tools::TOOLS;
use crate::agent_spec::{AgentSpec, ClaudeAnswer};
use crate::answer::{deny_reason, non_blank};
use crate::payload;

/// Writes the answer. Its form is the same at every event. `allow` lifts nothing, and `ask` ends an unattended run.
pub(super) fn encode(agent: &AgentSpec, adapted: &AgentOutcome) -> Answer {
    let (event, parts) = (adapted.event(), adapted.parts());
    let mut answer = ClaudeAnswer::new(agent.native_event_name(&event.kind), parts);
    answer.stop = parts.stop.as_deref();
    answer.decide("deny", deny_reason(parts));
    answer.specific.put("tool_input", changed_input(event, parts));
    answer.specific.put("additionalContext", non_blank(parts.context.as_ref()));
    answer.write()
}

/// The whole changed input under Gemini CLI's keys, which merges it over the original. An input without changes is left
/// out, because the model is informed of it.
fn changed_input(event: &Event, parts: &AgentOutcomeParts) -> Option<Map<String, Value>> {
    let (new, call) = (parts.input.as_ref()?, event.tool.as_ref()?);
    let new = TOOLS.native_input(call, new);
    (new != payload::input_object(event.raw.get("tool_input"))).then_some(new)
}
