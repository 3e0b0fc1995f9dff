//! What Copilot CLI supports at each event.

use tenter_contract::{
    AskUser, Capabilities, ContextChannel, Event, EventKind, RewriteInput, RewriteOutput, StopLoop, Support,
};

use super::tools::PATCH_KEY;
use crate::agent_spec::NOTHING_EVER;

/// No message for the user: `systemMessage` is not shown. One channel for context, so no role is supported.
pub(super) fn capabilities(event: &Event) -> Capabilities {
    match &event.kind {
        EventKind::ToolPre => Capabilities {
            block: Support::Yes,
            ask: AskUser::Plainly,
            allow: Support::Yes,
            rewrite_input: match event.tool.as_ref().and_then(|tool| tool.patch_key.as_deref()) {
                Some(_) => RewriteInput::SamePatch(PATCH_KEY),
                None => RewriteInput::Freely,
            },
            context: ContextChannel::Always,
            ..Capabilities::NOTHING
        },
        // No field for a question; it is about to ask anyway, but the prompt of the hook would be lost.
        EventKind::PermissionRequest => {
            Capabilities { block: Support::Yes, allow: Support::Yes, ..Capabilities::NOTHING }
        }
        EventKind::PromptSubmit => Capabilities {
            block: Support::Yes,
            context: ContextChannel::UnlessDenied,
            ..Capabilities::NOTHING
        },
        // The reason replaces the result, and context with it is lost. More than 10,000 characters of
        // context lose their end.
        EventKind::ToolPost => Capabilities {
            block: Support::Yes,
            withhold: Support::Yes,
            rewrite_output: RewriteOutput::Freely,
            context: ContextChannel::UnlessDenied,
            context_limit: Some(10_000),
            ..Capabilities::NOTHING
        },
        EventKind::ToolError => Capabilities {
            context: ContextChannel::Always,
            context_limit: Some(10_000),
            ..Capabilities::NOTHING
        },
        EventKind::OrchestratorComplete => {
            Capabilities { block: Support::Yes, stop_loop: StopLoop::EndsAfter(8), ..Capabilities::NOTHING }
        }
        EventKind::SubagentComplete => Capabilities { block: Support::Yes, ..Capabilities::NOTHING },
        EventKind::SessionStart | EventKind::SubagentStart => {
            Capabilities { context: ContextChannel::Always, ..Capabilities::NOTHING }
        }
        EventKind::SessionEnd => NOTHING_EVER,
        _ => Capabilities::NOTHING,
    }
}
