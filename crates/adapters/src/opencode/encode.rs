//! Our outcome becomes an answer that the plugin carries out.

use tenter_contract::{AgentOutcome, AgentVerdict, Answer, EventKind};

use super::tools;
use crate::agent_spec::AgentSpec;
use crate::answer::{JsonObject, changed_input, non_blank};

pub(super) fn encode(_: &AgentSpec, adapted: &AgentOutcome) -> Answer {
    let (event, parts) = (adapted.event(), adapted.parts());
    let (decision, reason) = match &parts.verdict {
        // No question is supported.
        AgentVerdict::Silent | AgentVerdict::Ask { .. } => (None, None),
        // Answers the agent's question to its user.
        AgentVerdict::Allow { reason } => (Some("allow"), reason.as_deref()),
        AgentVerdict::Deny { reason } if event.kind == EventKind::OrchestratorComplete => {
            (Some("continue"), Some(reason.as_str()))
        }
        AgentVerdict::Deny { reason } => (Some("deny"), Some(reason.as_str())),
    };
    let mut answer = JsonObject::new();
    answer.put("decision", decision);
    answer.put("reason", reason);
    answer.put("args", changed_input(event, parts, tools::native_input));
    answer.put("output", parts.output.as_ref());
    answer.put("prompt", parts.prompt.as_ref());
    answer.put("additionalContext", non_blank(parts.context.as_ref()));
    answer.put("systemMessage", non_blank(parts.message.as_ref()));
    answer.into_answer()
}

/// Denies, whatever the event. The plugin counts another exit code as a failure, which only denies with `--strict`.
pub(super) fn refusal(reason: &str) -> Answer {
    let mut answer = JsonObject::new();
    answer.put("decision", Some("deny"));
    answer.put("reason", Some(reason));
    answer.into_answer()
}
