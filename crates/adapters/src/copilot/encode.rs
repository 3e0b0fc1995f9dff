//! Our fitted outcome becomes Copilot CLI's answer: minimal and exact, and nothing at all where there is nothing to
//! say. The exit code is 0: before a tool, any other denies.

use serde_json::Value;
use tenter_contract::{Answer, Event, EventKind, Fitted, FittedParts, FittedVerdict};

use super::tools;
use super::wire::{AnswerWire, BlockWire, PermissionWire, RefusalWire};
use crate::answer::{self, never_blank, said};

/// Writes the answer.
pub(super) fn encode(fitted: &Fitted) -> Answer {
    let (event, parts) = (fitted.event(), fitted.parts());
    let mut answer = AnswerWire { additional_context: said(parts.context.as_ref()), ..AnswerWire::default() };
    match &event.kind {
        EventKind::ToolPre => {
            (answer.permission_decision, answer.permission_decision_reason) = permission(parts);
            answer.modified_args = changed_input(event, parts);
        }
        EventKind::PermissionRequest => {
            (answer.behavior, answer.message) = permission(parts);
        }
        EventKind::ToolPost => {
            block(&mut answer, parts);
            let old = event.raw.get("toolResult").or_else(|| event.raw.get("tool_result"));
            answer.modified_result = parts.output.as_ref().map(|new| tools::complete_output(old, new));
        }
        EventKind::PromptSubmit | EventKind::OrchestratorComplete | EventKind::SubagentComplete => {
            block(&mut answer, parts);
        }
        // Context at most: the abilities let no verdict through.
        EventKind::SessionStart
        | EventKind::SessionEnd
        | EventKind::DecisionToolResolution
        | EventKind::ToolError
        | EventKind::ProviderRequest
        | EventKind::ProviderResponse
        | EventKind::ProviderError
        | EventKind::ContextPreCompact
        | EventKind::ContextPostCompact
        | EventKind::SubagentStart
        | EventKind::UserNotification
        | EventKind::ErrorOrchestrator
        | EventKind::ApprovalRequired
        | EventKind::ApprovalGranted
        | EventKind::ApprovalDenied
        | EventKind::ApprovalTimeout
        | EventKind::HookContextInjection
        | EventKind::HookFailed
        | EventKind::Other(_) => {}
    }
    if answer == AnswerWire::default() { Answer::default() } else { answer::json(&answer) }
}

/// Stops whatever could not be understood, at any event. An exit code would not: a prompt gets past it, and before a
/// tool the words beside it are lost.
pub(super) fn refusal(reason: &str) -> Answer {
    answer::json(&RefusalWire::new(never_blank(reason)))
}

fn permission(parts: &FittedParts) -> (Option<PermissionWire>, Option<&str>) {
    match &parts.verdict {
        FittedVerdict::Silent => (None, None),
        FittedVerdict::Allow { reason } => (Some(PermissionWire::Allow), reason.as_deref()),
        FittedVerdict::Ask { prompt } => (Some(PermissionWire::Ask), Some(prompt.as_str())),
        FittedVerdict::Deny { reason } => (Some(PermissionWire::Deny), Some(reason.as_str())),
    }
}

/// The changed input under Copilot's own keys; one that is as it was is left out.
fn changed_input(event: &Event, parts: &FittedParts) -> Option<Value> {
    let (new, call) = (parts.input.as_ref()?, event.tool.as_ref()?);
    let changed = tools::native_input(call, new);
    (changed != tools::native_input(call, call.asked_input())).then_some(changed)
}

/// A deny where the answer has one place for it; the other verdicts are silence there.
fn block<'a>(answer: &mut AnswerWire<'a>, parts: &'a FittedParts) {
    match &parts.verdict {
        FittedVerdict::Deny { reason } => {
            answer.decision = Some(BlockWire::Block);
            answer.reason = Some(reason);
        }
        FittedVerdict::Silent | FittedVerdict::Allow { .. } | FittedVerdict::Ask { .. } => {}
    }
}
