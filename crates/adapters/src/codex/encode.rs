//! Our outcome becomes Codex CLI's answer. Codex throws away an answer with one field too many, a deny included, without a
//! message. So there is no `suppressOutput`, which some events refuse and none needs.

use tenter_contract::{AgentOutcome, Answer, EventKind};

use super::tools;
use crate::agent_spec::{AgentSpec, ClaudeAnswer};
use crate::answer::{changed_input, deny_reason, non_blank, reason_or_default};

pub(super) fn encode(agent: &AgentSpec, adapted: &AgentOutcome) -> Answer {
    let (event, parts) = (adapted.event(), adapted.parts());
    let mut answer = ClaudeAnswer::new(agent.native_event_name(&event.kind), parts);
    // Codex ignores a deny without a reason.
    let reason = deny_reason(parts).map(reason_or_default);
    match &event.kind {
        EventKind::ToolPre => {
            // An input without changes is left out, so that no call is allowed needlessly.
            let input = changed_input(event, parts, tools::native_input);
            // `allow` is accepted with a changed input only: it is the form of a rewrite, not a permission.
            let decision = reason.map(|_| "deny").or(input.as_ref().map(|_| "allow"));
            answer.specific.put("permissionDecision", decision);
            answer.specific.put("permissionDecisionReason", reason);
            answer.specific.put("updatedInput", input);
        }
        EventKind::PermissionRequest => answer.put_permission_decision(parts),
        EventKind::ContextPreCompact => answer.stop = reason,
        // At other events the capabilities let no verdict through.
        _ => answer.decide("block", reason),
    }
    answer.specific.put("additionalContext", non_blank(parts.context.as_ref()));
    answer.write()
}
