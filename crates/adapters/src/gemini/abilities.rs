//! What Gemini CLI can carry at each event: a table, as measured on version 0.61.0.

use serde_json::Value;
use tenter_contract::{Abilities, Carry, ContextChannel, Event, EventKind, RewriteInput, StopLoop};

/// What Gemini CLI can carry at an event.
///
/// Nowhere a question: it ends a run that nobody watches, without a word. Nowhere a permission: its own check
/// still applies. It has one channel for context, so a role is carried nowhere either. 60,000 characters beside
/// a prompt arrive uncut, so no limit is known.
pub(super) fn abilities(event: &Event) -> Abilities {
    match &event.kind {
        // Context is ignored here.
        EventKind::ToolPre => {
            let rewrite_input = RewriteInput::MergedOver;
            Abilities { block: Carry::Yes, stop: Carry::Yes, rewrite_input, ..MESSAGE }
        }
        // The reason takes the place of the result.
        EventKind::ToolPost => Abilities {
            block: Carry::Yes,
            withhold: Carry::Yes,
            stop: Carry::Yes,
            context: ContextChannel::UnlessDenied,
            ..MESSAGE
        },
        EventKind::PromptSubmit => {
            Abilities { block: Carry::Yes, context: ContextChannel::UnlessDenied, ..MESSAGE }
        }
        EventKind::SessionStart => Abilities { context: ContextChannel::Beside, ..MESSAGE },
        // At the end of a turn the reason is the next prompt; before a model call it ends the turn.
        EventKind::OrchestratorComplete => {
            let first = event.raw.get("stop_hook_active") == Some(&Value::Bool(false));
            Abilities { block: Carry::Yes, stop_loop: StopLoop::NeverEnds { again: !first }, ..MESSAGE }
        }
        EventKind::ProviderRequest => Abilities { block: Carry::Yes, ..MESSAGE },
        EventKind::UserNotification => MESSAGE,
        EventKind::SessionEnd => Abilities { later: Carry::No, ..MESSAGE },
        // `PreCompress` comes before every model call, compaction or not; `AfterModel` with every piece of a
        // response. What else they might carry was not measured, so they can only be observed; the rest of our
        // events it does not have.
        EventKind::ContextPreCompact
        | EventKind::ProviderResponse
        | EventKind::DecisionToolResolution
        | EventKind::ToolError
        | EventKind::PermissionRequest
        | EventKind::ProviderError
        | EventKind::ContextPostCompact
        | EventKind::SubagentStart
        | EventKind::SubagentComplete
        | EventKind::ErrorOrchestrator
        | EventKind::ApprovalRequired
        | EventKind::ApprovalGranted
        | EventKind::ApprovalDenied
        | EventKind::ApprovalTimeout
        | EventKind::HookContextInjection
        | EventKind::HookFailed
        | EventKind::Other(_) => Abilities::NOTHING,
    }
}

/// Text for the user.
const MESSAGE: Abilities = Abilities { message: Carry::Yes, ..Abilities::NOTHING };
