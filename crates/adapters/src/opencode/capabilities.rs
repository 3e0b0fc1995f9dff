//! What the plugin supports at each event.

use serde_json::Value;
use tenter_contract::{
    Capabilities, ContextChannel, Event, EventKind, RewriteInput, RewriteOutput, StopLoop, Support,
};

use super::tools::PATCH_KEY;
use crate::agent_spec::MESSAGE;

/// A message everywhere: in a run of one prompt on standard error, else on the agent's screen. No question: the agent has
/// no prompt for it. One channel for context at each event, so no role is supported.
pub(super) fn capabilities(event: &Event) -> Capabilities {
    match &event.kind {
        // It runs before the agent asks its user, so there is nothing yet to allow. Text would have no place until the
        // tool has run, and none at all if it fails.
        EventKind::ToolPre => Capabilities {
            block: Support::Yes,
            rewrite_input: match event.tool.as_ref().and_then(|tool| tool.patch_key.as_deref()) {
                Some(_) => RewriteInput::SamePatch(PATCH_KEY),
                None => RewriteInput::Freely,
            },
            ..MESSAGE
        },
        // The user is asked at the same time, so that a deny might come too late. An allow that does is not needed.
        EventKind::PermissionRequest => Capabilities { allow: Support::Yes, ..MESSAGE },
        // The prompt is not kept, so context with the reason would be lost.
        EventKind::PromptSubmit => Capabilities {
            block: Support::Yes,
            rewrite_prompt: Support::Yes,
            context: ContextChannel::UnlessDenied,
            ..MESSAGE
        },
        // The reason takes the place of the result.
        EventKind::ToolPost => Capabilities {
            block: Support::Yes,
            withhold: Support::Yes,
            rewrite_output: RewriteOutput::Freely,
            context: ContextChannel::Always,
            ..MESSAGE
        },
        // After a compaction there is no message that could take it.
        EventKind::SessionStart if event.source.as_deref() == Some("compact") => MESSAGE,
        EventKind::SessionStart | EventKind::SubagentStart | EventKind::ContextPreCompact => {
            Capabilities { context: ContextChannel::Always, ..MESSAGE }
        }
        // An agent that runs one prompt ends after it in any case.
        EventKind::OrchestratorComplete if event.attended == Some(false) => MESSAGE,
        EventKind::OrchestratorComplete => Capabilities {
            block: Support::Yes,
            stop_loop: StopLoop::NeverEnds { again: event.raw.get("again") == Some(&Value::Bool(true)) },
            ..MESSAGE
        },
        EventKind::SessionEnd => Capabilities { later: Support::No, ..MESSAGE },
        // It sends these and does not wait.
        EventKind::ToolError
        | EventKind::SubagentComplete
        | EventKind::ContextPostCompact
        | EventKind::ErrorOrchestrator => MESSAGE,
        _ => Capabilities::NOTHING,
    }
}
