//! Our outcome becomes Qwen Code's answer.

use tenter_contract::{AgentOutcome, AgentVerdict, Answer, EventKind};

use super::tools::TOOLS;
use crate::agent_spec::{AgentSpec, ClaudeAnswer};
use crate::answer::{JsonObject, non_blank};

pub(super) fn encode(agent: &AgentSpec, adapted: &AgentOutcome) -> Answer {
    let (event, parts) = (adapted.event(), adapted.parts());
    let mut answer = ClaudeAnswer::new(agent.native_event_name(&event.kind), parts);
    let mut decision = JsonObject::new();
    match (&parts.verdict, &event.kind) {
        (AgentVerdict::Allow { reason }, EventKind::PermissionRequest) => {
            answer.reason = reason.as_deref().map(Into::into);
            let input = parts.input.as_ref().zip(event.tool.as_ref());
            decision.put("behavior", Some("allow"));
            decision.put("updatedInput", input.map(|(new, call)| TOOLS.native_input(call, new)));
        }
        (AgentVerdict::Deny { reason }, EventKind::PermissionRequest) => {
            decision.put("behavior", Some("deny"));
            decision.put("message", Some(reason));
        }
        // Of several `permissionDecision`s Qwen Code takes the last, so that a project hook that allows everything could
        // lift the deny; one `continue: false` counts in any case, refuses this call alone, and is the only deny after it.
        (AgentVerdict::Deny { reason }, EventKind::ToolPre | EventKind::ToolPost) => {
            answer.stop = Some(reason);
        }
        (AgentVerdict::Deny { reason }, _) => answer.decide("block", Some(reason)),
        (AgentVerdict::Silent | AgentVerdict::Ask { .. } | AgentVerdict::Allow { .. }, _) => {}
    }
    answer.specific.put_object("decision", decision);
    answer.specific.put("additionalContext", non_blank(parts.context.as_ref()));
    answer.write()
}
