//! What Qwen Code supports at each event.

use tenter_contract::{Capabilities, ContextChannel, Event, EventKind, RewriteInput, StopLoop, Support};

use crate::agent_spec::NOTHING_EVER;

/// It reads one MiB of an answer and ignores a longer one. A character of the context needs at most six bytes there.
const CONTEXT_LIMIT: usize = 150_000;

/// No question: it counts as a deny. Text for the user is shown at the end of a turn only. One channel for context, so no
/// role is supported.
pub(super) fn capabilities(event: &Event) -> Capabilities {
    match &event.kind {
        // A rewritten input and context are ignored here, and a permission comes too late: the user was asked
        // before.
        EventKind::ToolPre => Capabilities { block: Support::Yes, ..Capabilities::NOTHING },
        // Only in a terminal. A call that was allowed or rewritten here still comes to `PreToolUse`.
        EventKind::PermissionRequest => Capabilities {
            block: Support::Yes,
            allow: Support::Yes,
            rewrite_input: RewriteInput::OnlyWithAllow,
            ..Capabilities::NOTHING
        },
        // The reason takes the place of the result.
        EventKind::ToolPost => Capabilities { block: Support::Yes, withhold: Support::Yes, ..UNLESS_DENIED },
        EventKind::PromptSubmit => Capabilities { block: Support::Yes, ..UNLESS_DENIED },
        EventKind::ToolError => Capabilities { context: ContextChannel::Always, ..UNLESS_DENIED },
        EventKind::OrchestratorComplete => Capabilities {
            block: Support::Yes,
            stop_loop: StopLoop::EndsAfter(100),
            message: Support::Yes,
            ..Capabilities::NOTHING
        },
        EventKind::SubagentComplete => {
            Capabilities { block: Support::Yes, stop_loop: StopLoop::EndsAfter(5), ..Capabilities::NOTHING }
        }
        EventKind::SessionEnd => NOTHING_EVER,
        // Other answers are thrown away.
        _ => Capabilities::NOTHING,
    }
}

const UNLESS_DENIED: Capabilities = Capabilities {
    context: ContextChannel::UnlessDenied,
    context_limit: Some(CONTEXT_LIMIT),
    ..Capabilities::NOTHING
};
