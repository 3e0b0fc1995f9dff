//! What Codex CLI can carry at each event: a table, as measured on version 0.166.0.

use serde_json::Value;
use tenter_contract::{
    Abilities, AskUser, Carry, ContextChannel, Event, EventKind, RewriteInput, StopLoop, ToolCall,
};

use super::tools::PATCH_KEY;

/// What Codex CLI can carry at an event.
///
/// A question only where it is about to ask anyway: elsewhere `ask` makes the hook fail, and the tool runs. A
/// permission only there too: before a tool, `allow` is taken with a changed input and means nothing else. It has
/// one channel for context, so a role is carried nowhere.
pub(super) fn abilities(event: &Event) -> Abilities {
    match &event.kind {
        EventKind::ToolPre => {
            Abilities { block: Carry::Yes, rewrite_input: rewrite_input(event.tool.as_ref()), ..TEXTS }
        }
        // A question is carried by saying nothing.
        EventKind::PermissionRequest => {
            Abilities { block: Carry::Yes, ask: AskUser::Plainly, allow: Carry::Yes, ..MESSAGE }
        }
        EventKind::PromptSubmit => {
            Abilities { block: Carry::Yes, context: ContextChannel::UnlessDenied, ..TEXTS }
        }
        // The reason takes the place of the result.
        EventKind::ToolPost => Abilities { block: Carry::Yes, withhold: Carry::Yes, ..TEXTS },
        EventKind::OrchestratorComplete | EventKind::SubagentComplete => {
            let first = event.raw.get("stop_hook_active") == Some(&Value::Bool(false));
            Abilities { block: Carry::Yes, stop_loop: StopLoop::NeverEnds { again: !first }, ..MESSAGE }
        }
        EventKind::ContextPreCompact => Abilities { block: Carry::Yes, ..MESSAGE },
        EventKind::SessionStart | EventKind::SubagentStart => TEXTS,
        EventKind::ContextPostCompact => MESSAGE,
        // Nothing may be said at the end.
        EventKind::SessionEnd => Abilities { later: Carry::No, ..Abilities::NOTHING },
        // Around a model call nothing is published of what may be said; the rest of our events it does not have.
        EventKind::ProviderRequest
        | EventKind::ProviderResponse
        | EventKind::DecisionToolResolution
        | EventKind::ToolError
        | EventKind::ProviderError
        | EventKind::UserNotification
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

/// A tool that takes no other input, or not this one, is not run at all.
fn rewrite_input(tool: Option<&ToolCall>) -> RewriteInput {
    let patches = tool.is_some_and(|tool| tool.patch_key.is_some());
    if patches { RewriteInput::SamePatch(PATCH_KEY) } else { RewriteInput::Freely }
}

/// Text for the user.
const MESSAGE: Abilities = Abilities { message: Carry::Yes, ..Abilities::NOTHING };

/// Text for the user and for the model. Of more than 10,000 bytes, all of them, the model would see the head and the
/// tail, if our entries did not ask Codex to leave that to us; whoever has an entry without that field loses only
/// where a letter is more than a byte.
const TEXTS: Abilities =
    Abilities { context: ContextChannel::Beside, context_limit: Some(10_000), ..MESSAGE };
