//! Our fitted outcome becomes Codex CLI's answer: minimal and exact, and nothing at all where there is nothing to
//! say. Codex throws away an answer with one field too many, and what it wanted to prevent goes on.

use serde_json::{Map, Value};
use tenter_contract::{Answer, Event, EventKind, Fitted, FittedParts, FittedVerdict};

use super::tools;
use super::wire::{AnswerWire, BlockWire, DecisionWire, EVENTS, PermissionWire, SpecificWire};
use crate::answer::{self, followed_by, never_blank, said};

/// Writes the answer.
pub(super) fn encode(fitted: &Fitted) -> Answer {
    let (event, parts) = (fitted.event(), fitted.parts());
    let mut answer = AnswerWire {
        system_message: said(parts.message.as_ref()).map(str::to_owned),
        hook_specific_output: SpecificWire {
            hook_event_name: EVENTS.iter().find(|(_, kind)| *kind == event.kind).map_or("", |(own, _)| own),
            additional_context: said(parts.context.as_ref()),
            ..SpecificWire::default()
        },
        ..AnswerWire::default()
    };
    match &event.kind {
        EventKind::ToolPre => permission(&mut answer, event, parts),
        EventKind::PermissionRequest => decision(&mut answer, parts),
        EventKind::ContextPreCompact => stop(&mut answer, parts),
        EventKind::PromptSubmit
        | EventKind::ToolPost
        | EventKind::OrchestratorComplete
        | EventKind::SubagentComplete => block(&mut answer, parts),
        // Text at most: the abilities let no verdict through.
        EventKind::SessionStart
        | EventKind::SessionEnd
        | EventKind::DecisionToolResolution
        | EventKind::ToolError
        | EventKind::ProviderRequest
        | EventKind::ProviderResponse
        | EventKind::ProviderError
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
    if answer.is_empty() { Answer::default() } else { answer::json(&answer) }
}

/// The reason of a deny. Codex takes no deny without one.
fn reason(parts: &FittedParts) -> Option<&str> {
    match &parts.verdict {
        FittedVerdict::Deny { reason } => Some(never_blank(reason)),
        FittedVerdict::Silent | FittedVerdict::Allow { .. } | FittedVerdict::Ask { .. } => None,
    }
}

/// Before a tool runs. An input that is as it was is left out, so that nothing is allowed that need not be.
fn permission<'a>(answer: &mut AnswerWire<'a>, event: &Event, parts: &'a FittedParts) {
    let specific = &mut answer.hook_specific_output;
    specific.permission_decision_reason = reason(parts);
    specific.updated_input = changed_input(event, parts);
    specific.permission_decision = match (reason(parts), &specific.updated_input) {
        (Some(_), _) => Some(PermissionWire::Deny),
        (None, Some(_)) => Some(PermissionWire::Allow),
        (None, None) => None,
    };
}

fn changed_input(event: &Event, parts: &FittedParts) -> Option<Map<String, Value>> {
    let (new, call) = (parts.input.as_ref()?, event.tool.as_ref()?);
    let changed = tools::native_input(call, new);
    (changed != tools::native_input(call, call.asked_input())).then_some(changed)
}

/// Before the user is asked. Only a deny has a place for words here; others are told to the user, who is about to
/// read the question or wonders why there was none.
fn decision<'a>(answer: &mut AnswerWire<'a>, parts: &'a FittedParts) {
    let (decision, words) = match &parts.verdict {
        FittedVerdict::Silent => (None, None),
        FittedVerdict::Allow { reason } => (Some(DecisionWire::Allow), reason.as_deref()),
        FittedVerdict::Ask { prompt } => (None, Some(prompt.as_str())),
        FittedVerdict::Deny { reason } => (Some(DecisionWire::Deny { message: never_blank(reason) }), None),
    };
    answer.hook_specific_output.decision = decision;
    if let Some(words) = words {
        answer.system_message = Some(followed_by(words, answer.system_message.take()));
    }
}

/// A deny where the answer has one place for it at the top; the other verdicts are silence there.
fn block<'a>(answer: &mut AnswerWire<'a>, parts: &'a FittedParts) {
    answer.reason = reason(parts);
    answer.decision = answer.reason.map(|_| BlockWire::Block);
}

/// A deny of a compaction.
fn stop<'a>(answer: &mut AnswerWire<'a>, parts: &'a FittedParts) {
    answer.stop_reason = reason(parts);
    answer.goes_on = answer.stop_reason.map(|_| false);
}
