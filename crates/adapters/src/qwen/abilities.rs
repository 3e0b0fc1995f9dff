//! What Qwen Code can carry at each event: a table, as measured on version 0.15.10.

use tenter_contract::{Abilities, Carry, ContextChannel, Event, EventKind, RewriteInput, StopLoop};

/// It reads one MiB of an answer and takes one that was cut for a text without meaning. A character of the
/// context needs at most six bytes there.
const CONTEXT_LIMIT: usize = 150_000;

/// What Qwen Code can carry at an event.
///
/// Nowhere a question: it takes one for a deny. Text for the user is shown at the end of a turn alone. It has one
/// channel for context, so a role is carried nowhere.
pub(super) fn abilities(event: &Event) -> Abilities {
    match &event.kind {
        // A rewritten input and context are ignored here, and a permission comes too late: the user was asked
        // before.
        EventKind::ToolPre => Abilities { block: Carry::Yes, ..Abilities::NOTHING },
        // Only where somebody sits at a terminal. What was allowed or rewritten here still comes to `PreToolUse`.
        EventKind::PermissionRequest => Abilities {
            block: Carry::Yes,
            allow: Carry::Yes,
            rewrite_input: RewriteInput::OnlyWithAllow,
            ..Abilities::NOTHING
        },
        // The reason takes the place of the result.
        EventKind::ToolPost => Abilities { block: Carry::Yes, withhold: Carry::Yes, ..UNLESS_DENIED },
        EventKind::PromptSubmit => Abilities { block: Carry::Yes, ..UNLESS_DENIED },
        EventKind::ToolError => Abilities { context: ContextChannel::Beside, ..UNLESS_DENIED },
        EventKind::OrchestratorComplete => Abilities {
            block: Carry::Yes,
            stop_loop: StopLoop::EndsAfter(100),
            message: Carry::Yes,
            ..Abilities::NOTHING
        },
        EventKind::SubagentComplete => {
            Abilities { block: Carry::Yes, stop_loop: StopLoop::EndsAfter(5), ..Abilities::NOTHING }
        }
        EventKind::SessionEnd => Abilities { later: Carry::No, ..Abilities::NOTHING },
        // Answers to these are thrown away, so they can only be observed; the rest of our events it does not
        // have.
        EventKind::SessionStart
        | EventKind::SubagentStart
        | EventKind::ContextPreCompact
        | EventKind::ContextPostCompact
        | EventKind::UserNotification
        | EventKind::ErrorOrchestrator
        | EventKind::ProviderRequest
        | EventKind::ProviderResponse
        | EventKind::ProviderError
        | EventKind::DecisionToolResolution
        | EventKind::ApprovalRequired
        | EventKind::ApprovalGranted
        | EventKind::ApprovalDenied
        | EventKind::ApprovalTimeout
        | EventKind::HookContextInjection
        | EventKind::HookFailed
        | EventKind::Other(_) => Abilities::NOTHING,
    }
}

/// Text for the model.
const UNLESS_DENIED: Abilities = Abilities {
    context: ContextChannel::UnlessDenied,
    context_limit: Some(CONTEXT_LIMIT),
    ..Abilities::NOTHING
};
