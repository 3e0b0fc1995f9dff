//! Our fitted outcome becomes Claude Code's answer: minimal and exact, and nothing at all where there is
//! nothing to say.

use std::borrow::Cow;

use tenter_contract::{Answer, EventKind, Fitted, FittedParts, FittedVerdict};

use super::tools;
use super::wire::{AnswerWire, BlockWire, DecisionWire, PermissionWire, RefusalWire, SpecificWire};
use crate::answer::{self, followed_by, never_blank, said};

/// Stops whatever could not be understood, at any event. To Claude Code the exit code is enough; Copilot CLI runs the
/// hooks of a repository's `.claude/settings.json` too, and lets a prompt past any exit code, unless the answer beside it
/// says more. Measured on 2.1.197 and 1.0.102: both read an answer whatever the exit code, and pass over keys that they
/// do not know.
pub(super) fn refusal(reason: &str) -> Answer {
    let reason = never_blank(reason);
    Answer { stdout: answer::json(&RefusalWire::new(reason)).stdout, ..answer::exit_2(reason) }
}

/// Writes the answer.
pub(super) fn encode(fitted: &Fitted) -> Answer {
    let (event, parts) = (fitted.event(), fitted.parts());
    let mut answer = AnswerWire {
        system_message: said(parts.message.as_ref()).map(Cow::Borrowed),
        hook_specific_output: SpecificWire {
            hook_event_name: event.kind.claude_name(),
            // A blank one is left out: an empty context would keep a stopping agent going.
            additional_context: said(parts.context.as_ref()),
            ..SpecificWire::default()
        },
        ..AnswerWire::default()
    };
    match &event.kind {
        EventKind::ToolPre => permission(&mut answer, parts),
        EventKind::PermissionRequest => decision(&mut answer, parts),
        EventKind::PromptSubmit => {
            block(&mut answer, parts);
            move_message_into_reason(&mut answer);
        }
        EventKind::ContextPreCompact => return before_compaction(answer, parts),
        EventKind::ToolPost => {
            block(&mut answer, parts);
            answer.go_on = parts.stop.as_ref().map(|_| false);
            answer.stop_reason = parts.stop.as_deref();
            let (call, old) = (event.tool.as_ref(), event.raw.get("tool_response"));
            let new = parts.output.as_ref().map(|new| tools::complete_output(call, old, new));
            let denied = matches!(parts.verdict, FittedVerdict::Deny { .. });
            let withheld = denied.then(|| tools::withheld(call, old)).flatten();
            answer.hook_specific_output.updated_tool_output = withheld.or(new);
        }
        EventKind::OrchestratorComplete | EventKind::SubagentComplete => block(&mut answer, parts),
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
    if parts.suppress && !answer.is_empty() {
        answer.suppress_output = Some(true);
    }
    written(&answer)
}

/// A verdict before a tool runs.
fn permission<'a>(answer: &mut AnswerWire<'a>, parts: &'a FittedParts) {
    let (decision, reason) = match &parts.verdict {
        FittedVerdict::Silent => (None, None),
        FittedVerdict::Allow { reason } => (Some(PermissionWire::Allow), reason.as_deref()),
        FittedVerdict::Ask { prompt } => (Some(PermissionWire::Ask), Some(prompt.as_str())),
        FittedVerdict::Deny { reason } => (Some(PermissionWire::Deny), Some(reason.as_str())),
    };
    let specific = &mut answer.hook_specific_output;
    specific.permission_decision = decision;
    specific.permission_decision_reason = reason;
    specific.updated_input = parts.input.as_ref();
}

/// A verdict before the user is asked. Only a deny has a place for words here; others are told to the user,
/// who is about to read the question or wonders why there was none.
fn decision<'a>(answer: &mut AnswerWire<'a>, parts: &'a FittedParts) {
    let (decision, words) = match &parts.verdict {
        FittedVerdict::Silent => (None, None),
        FittedVerdict::Allow { reason } => {
            (Some(DecisionWire::Allow { updated_input: parts.input.as_ref() }), reason.as_deref())
        }
        FittedVerdict::Ask { prompt } => (None, Some(prompt.as_str())),
        FittedVerdict::Deny { reason } => {
            let interrupt = parts.stop.as_ref().map(|_| true);
            (Some(DecisionWire::Deny { message: reason, interrupt }), None)
        }
    };
    answer.hook_specific_output.decision = decision;
    if let Some(words) = words {
        answer.system_message = Some(Cow::Owned(followed_by(words, answer.system_message.take())));
    }
}

/// A deny where the answer has one place for it at the top; the other verdicts are silence there.
fn block<'a>(answer: &mut AnswerWire<'a>, parts: &'a FittedParts) {
    match &parts.verdict {
        FittedVerdict::Deny { reason } => {
            answer.decision = Some(BlockWire::Block);
            answer.reason = Some(Cow::Borrowed(reason));
        }
        FittedVerdict::Silent | FittedVerdict::Allow { .. } | FittedVerdict::Ask { .. } => {}
    }
}

/// Claude Code shows the reason of a blocked prompt and drops the message beside it.
fn move_message_into_reason(answer: &mut AnswerWire<'_>) {
    if let Some(reason) = answer.reason.take() {
        answer.reason = Some(Cow::Owned(followed_by(&reason, answer.system_message.take())));
    }
}

/// Either a plain text or exactly a block: with one more field (`suppressOutput`), the JSON itself would become
/// part of the summary's instructions.
fn before_compaction<'a>(mut answer: AnswerWire<'a>, parts: &'a FittedParts) -> Answer {
    if let Some(text) = answer.hook_specific_output.additional_context {
        return answer::text(instructions(text));
    }
    block(&mut answer, parts);
    written(&answer)
}

/// Context before a compaction is plain text. What begins like JSON gets a line before it, so that it cannot
/// be read as an answer; to JavaScript a byte order mark is a blank too.
fn instructions(context: &str) -> String {
    let blank = |c: char| c.is_whitespace() || c == '\u{feff}';
    if context.trim_start_matches(blank).starts_with('{') {
        format!("Hook feedback:\n{context}")
    } else {
        context.to_owned()
    }
}

fn written(answer: &AnswerWire<'_>) -> Answer {
    if answer.is_empty() { Answer::default() } else { answer::json(answer) }
}
