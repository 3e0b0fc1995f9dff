//! What Gemini CLI supports at each event.

use serde_json::Value;
use tenter_contract::{Capabilities, ContextChannel, Event, EventKind, RewriteInput, StopLoop, Support};

use crate::agent_spec::MESSAGE;

/// No question: it silently ends an unattended run. No permission: Gemini CLI's own check still applies. One channel for
/// context, so no role is supported. 60,000 characters with a prompt arrive uncut, so no limit is known.
pub(super) fn capabilities(event: &Event) -> Capabilities {
    match &event.kind {
        // Context is ignored here.
        EventKind::ToolPre => {
            let rewrite_input = RewriteInput::MergedOver;
            Capabilities { block: Support::Yes, stop: Support::Yes, rewrite_input, ..MESSAGE }
        }
        // The reason takes the place of the result.
        EventKind::ToolPost => Capabilities {
            block: Support::Yes,
            withhold: Support::Yes,
            stop: Support::Yes,
            context: ContextChannel::UnlessDenied,
            ..MESSAGE
        },
        EventKind::PromptSubmit => {
            Capabilities { block: Support::Yes, context: ContextChannel::UnlessDenied, ..MESSAGE }
        }
        EventKind::SessionStart => Capabilities { context: ContextChannel::Always, ..MESSAGE },
        // At the end of a turn the reason is the next prompt; before a model call it ends the turn.
        EventKind::OrchestratorComplete => {
            let first = event.raw.get("stop_hook_active") == Some(&Value::Bool(false));
            Capabilities { block: Support::Yes, stop_loop: StopLoop::NeverEnds { again: !first }, ..MESSAGE }
        }
        EventKind::ProviderRequest => Capabilities { block: Support::Yes, ..MESSAGE },
        EventKind::UserNotification => MESSAGE,
        EventKind::SessionEnd => Capabilities { later: Support::No, ..MESSAGE },
        // `PreCompress` comes before every model call, compaction or not; `AfterModel` with every piece of a response.
        // Answers there were not measured.
        _ => Capabilities::NOTHING,
    }
}
