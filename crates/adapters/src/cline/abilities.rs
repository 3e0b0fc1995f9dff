//! What Cline can carry at each event: a table, as measured on version 3.0.65.

use serde_json::Value;
use tenter_contract::{Abilities, Carry, ContextChannel, Event, EventKind, RewriteInput};

use super::tools::PATCH_KEY;

/// What Cline can carry at an event.
///
/// It waits for an answer around tools and nowhere else: at the other events it starts the hook and goes on, so
/// that context of a session's beginning or of a prompt waits for the first tool call. Nowhere a question, a
/// permission or a message for the user. A deny ends the whole run, of a sub-agent the sub-agent's; what stands
/// beside it is dropped. It has one channel for context, so a role is carried nowhere either.
pub(super) fn abilities(event: &Event) -> Abilities {
    match &event.kind {
        EventKind::ToolPre => {
            let rewrite_input = rewrite_input(event);
            Abilities { block: Carry::Yes, stop: Carry::Yes, rewrite_input, ..AROUND_TOOLS }
        }
        // The run ends before the model gets the result, and the history does not keep it.
        EventKind::ToolPost => {
            Abilities { block: Carry::Yes, stop: Carry::Yes, withhold: Carry::Yes, ..AROUND_TOOLS }
        }
        EventKind::ToolError => AROUND_TOOLS,
        EventKind::PromptSubmit if is_of_extension(event) => {
            Abilities { block: Carry::Yes, ..Abilities::NOTHING }
        }
        EventKind::SessionEnd => Abilities { later: Carry::No, ..Abilities::NOTHING },
        EventKind::PromptSubmit
        | EventKind::SessionStart
        | EventKind::OrchestratorComplete
        | EventKind::SubagentStart
        | EventKind::SubagentComplete
        | EventKind::ErrorOrchestrator
        | EventKind::ContextPreCompact
        | EventKind::UserNotification
        | EventKind::PermissionRequest
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

/// More than 50,000 characters of context lose their end.
const AROUND_TOOLS: Abilities =
    Abilities { context: ContextChannel::UnlessDenied, context_limit: Some(50_000), ..Abilities::NOTHING };

/// The extension takes no other input.
fn rewrite_input(event: &Event) -> RewriteInput {
    let patch = event.tool.as_ref().and_then(|tool| tool.patch_key.as_deref());
    match (is_of_extension(event), patch) {
        (true, _) => RewriteInput::Never,
        (false, Some(_)) => RewriteInput::SamePatch(PATCH_KEY),
        (false, None) => RewriteInput::Freely,
    }
}

/// The extension names the event as the file of the hook is called.
fn is_of_extension(event: &Event) -> bool {
    let name = event.raw.get("hookName").and_then(Value::as_str).unwrap_or_default();
    name.starts_with(|letter: char| letter.is_ascii_uppercase())
}
