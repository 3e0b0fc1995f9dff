//! What Copilot CLI can carry at each event: a table, as measured on version 1.0.102.

use tenter_contract::{
    Abilities, AskUser, Carry, ContextChannel, Event, EventKind, RewriteInput, RewriteOutput, StopLoop,
};

use super::tools::PATCH_KEY;

/// What Copilot CLI can carry at an event.
///
/// Nowhere a message for the user: `systemMessage` is not shown. It has one channel for context, so a role is carried
/// nowhere either.
pub(super) fn abilities(event: &Event) -> Abilities {
    match &event.kind {
        EventKind::ToolPre => Abilities {
            block: Carry::Yes,
            ask: AskUser::Plainly,
            allow: Carry::Yes,
            rewrite_input: match event.tool.as_ref().and_then(|tool| tool.patch_key.as_deref()) {
                Some(_) => RewriteInput::SamePatch(PATCH_KEY),
                None => RewriteInput::Freely,
            },
            context: ContextChannel::Beside,
            ..Abilities::NOTHING
        },
        // It has no word for a question; it is about to ask anyway, but the prompt of the hook would be lost.
        EventKind::PermissionRequest => {
            Abilities { block: Carry::Yes, allow: Carry::Yes, ..Abilities::NOTHING }
        }
        EventKind::PromptSubmit => {
            Abilities { block: Carry::Yes, context: ContextChannel::UnlessDenied, ..Abilities::NOTHING }
        }
        // The reason takes the place of the result, and context beside it is lost. More than 10,000 characters of
        // context lose their end.
        EventKind::ToolPost => Abilities {
            block: Carry::Yes,
            withhold: Carry::Yes,
            rewrite_output: RewriteOutput::Freely,
            context: ContextChannel::UnlessDenied,
            context_limit: Some(10_000),
            ..Abilities::NOTHING
        },
        EventKind::ToolError => {
            Abilities { context: ContextChannel::Beside, context_limit: Some(10_000), ..Abilities::NOTHING }
        }
        EventKind::OrchestratorComplete => {
            Abilities { block: Carry::Yes, stop_loop: StopLoop::EndsAfter(8), ..Abilities::NOTHING }
        }
        EventKind::SubagentComplete => Abilities { block: Carry::Yes, ..Abilities::NOTHING },
        EventKind::SessionStart | EventKind::SubagentStart => {
            Abilities { context: ContextChannel::Beside, ..Abilities::NOTHING }
        }
        EventKind::SessionEnd => Abilities { later: Carry::No, ..Abilities::NOTHING },
        // Nothing that is said there is taken, or it has no such event.
        EventKind::ContextPreCompact
        | EventKind::UserNotification
        | EventKind::ErrorOrchestrator
        | EventKind::DecisionToolResolution
        | EventKind::ProviderRequest
        | EventKind::ProviderResponse
        | EventKind::ProviderError
        | EventKind::ContextPostCompact
        | EventKind::ApprovalRequired
        | EventKind::ApprovalGranted
        | EventKind::ApprovalDenied
        | EventKind::ApprovalTimeout
        | EventKind::HookContextInjection
        | EventKind::HookFailed
        | EventKind::Other(_) => Abilities::NOTHING,
    }
}
