//! What Cline supports at each event.

use tenter_contract::{Capabilities, ContextChannel, Event, EventKind, RewriteInput, Support};

use super::tools::PATCH_KEY;
use crate::agent_spec::{NOTHING_EVER, native_event};

/// It waits for an answer around tools only: at the other events it starts the hook and continues, so that context of a
/// session's start or of a prompt waits for the first tool call. No question, permission or message for the user. A deny
/// ends the whole run, or that of the sub-agent; the rest of the answer is dropped. One channel for context, so no role
/// is supported.
pub(super) fn capabilities(event: &Event) -> Capabilities {
    match &event.kind {
        EventKind::ToolPre => {
            let rewrite_input = rewrite_input(event);
            Capabilities { block: Support::Yes, stop: Support::Yes, rewrite_input, ..AROUND_TOOLS }
        }
        // The run ends before the model gets the result, and the history does not keep it.
        EventKind::ToolPost => {
            Capabilities { block: Support::Yes, stop: Support::Yes, withhold: Support::Yes, ..AROUND_TOOLS }
        }
        EventKind::ToolError => AROUND_TOOLS,
        EventKind::PromptSubmit if is_of_extension(event) => {
            Capabilities { block: Support::Yes, ..Capabilities::NOTHING }
        }
        EventKind::SessionEnd => NOTHING_EVER,
        _ => Capabilities::NOTHING,
    }
}

/// More than 50,000 characters of context lose their end.
const AROUND_TOOLS: Capabilities = Capabilities {
    context: ContextChannel::UnlessDenied,
    context_limit: Some(50_000),
    ..Capabilities::NOTHING
};

/// The extension accepts no changed input.
fn rewrite_input(event: &Event) -> RewriteInput {
    let patch = event.tool.as_ref().and_then(|tool| tool.patch_key.as_deref());
    match (is_of_extension(event), patch) {
        (true, _) => RewriteInput::Never,
        (false, Some(_)) => RewriteInput::SamePatch(PATCH_KEY),
        (false, None) => RewriteInput::Freely,
    }
}

/// The extension names an event like the file of the hook.
fn is_of_extension(event: &Event) -> bool {
    native_event(event, "hookName").starts_with(|letter: char| letter.is_ascii_uppercase())
}
