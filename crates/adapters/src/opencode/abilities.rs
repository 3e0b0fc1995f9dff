//! What the plugin can carry out at each event: a table, as measured on version 1.18.33.

use tenter_contract::{
    Abilities, Carry, ContextChannel, Event, EventKind, RewriteInput, RewriteOutput, StopLoop,
};

use super::decode::again;
use super::tools::PATCH_KEY;

/// What the plugin can carry out at an event.
///
/// A message everywhere: where one prompt is run, on standard error, else on the agent's screen. Nowhere a question:
/// the agent has nothing to ask one with. Context has one channel at each event, so a role is carried nowhere.
pub(super) fn abilities(event: &Event) -> Abilities {
    match &event.kind {
        // It runs before the agent asks its user, so there is nothing yet to allow. Text would have no place until the
        // tool has run, and none at all if it fails.
        EventKind::ToolPre => Abilities {
            block: Carry::Yes,
            rewrite_input: match event.tool.as_ref().and_then(|tool| tool.patch_key.as_deref()) {
                Some(_) => RewriteInput::SamePatch(PATCH_KEY),
                None => RewriteInput::Freely,
            },
            ..TOLD
        },
        // The user is asked at the same time, so that a deny might come too late. An allow that does is not needed.
        EventKind::PermissionRequest => Abilities { allow: Carry::Yes, ..TOLD },
        // The prompt is not kept, so what stands beside the reason would be lost with it.
        EventKind::PromptSubmit => Abilities {
            block: Carry::Yes,
            rewrite_prompt: Carry::Yes,
            context: ContextChannel::UnlessDenied,
            ..TOLD
        },
        // The reason takes the place of the result.
        EventKind::ToolPost => Abilities {
            block: Carry::Yes,
            withhold: Carry::Yes,
            rewrite_output: RewriteOutput::Freely,
            context: ContextChannel::Beside,
            ..TOLD
        },
        // What it gets after a compaction stands in no message: there is none then.
        EventKind::SessionStart if event.source.as_deref() == Some("compact") => TOLD,
        EventKind::SessionStart | EventKind::SubagentStart | EventKind::ContextPreCompact => {
            Abilities { context: ContextChannel::Beside, ..TOLD }
        }
        // An agent that was started with one prompt ends after it, whatever it is told.
        EventKind::OrchestratorComplete if event.attended == Some(false) => TOLD,
        EventKind::OrchestratorComplete => {
            Abilities { block: Carry::Yes, stop_loop: StopLoop::NeverEnds { again: again(event) }, ..TOLD }
        }
        EventKind::SessionEnd => Abilities { later: Carry::No, ..TOLD },
        // It tells of these, and does not wait.
        EventKind::ToolError
        | EventKind::SubagentComplete
        | EventKind::ContextPostCompact
        | EventKind::ErrorOrchestrator => TOLD,
        // It has no such event.
        EventKind::UserNotification
        | EventKind::DecisionToolResolution
        | EventKind::ProviderRequest
        | EventKind::ProviderResponse
        | EventKind::ProviderError
        | EventKind::ApprovalRequired
        | EventKind::ApprovalGranted
        | EventKind::ApprovalDenied
        | EventKind::ApprovalTimeout
        | EventKind::HookContextInjection
        | EventKind::HookFailed
        | EventKind::Other(_) => Abilities::NOTHING,
    }
}

/// Nothing but a message.
const TOLD: Abilities = Abilities { message: Carry::Yes, ..Abilities::NOTHING };
