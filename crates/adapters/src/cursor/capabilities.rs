//! What Cursor supports at each event, by its hook engine and its documents.

use tenter_contract::{
    AskUser, Capabilities, ContextChannel, Event, EventKind, RewriteInput, StopLoop, Support, ToolKind,
};

use super::EVENT_KEY;
use crate::agent_spec::{MESSAGE, NOTHING_EVER, native_event};

/// Longer context is dropped as a whole.
const CONTEXT_LIMIT: usize = 10_000;

/// One channel for context, so no role is supported. The effect of a permission before a tool in general is not clear, so
/// none is sent there.
pub(super) fn capabilities(event: &Event) -> Capabilities {
    match (&event.kind, native_event(event, EVENT_KEY)) {
        (EventKind::ToolPre, "beforeShellExecution" | "beforeMCPExecution") => Capabilities {
            block: Support::Yes,
            ask: AskUser::Plainly,
            allow: Support::Yes,
            ..Capabilities::NOTHING
        },
        (EventKind::ToolPre, "beforeReadFile") => {
            Capabilities { block: Support::Yes, ..Capabilities::NOTHING }
        }
        // A question is ignored here.
        (EventKind::ToolPre, _) => {
            Capabilities { block: Support::Yes, rewrite_input: rewrite_input(event), ..CONTEXT }
        }
        (EventKind::ToolPost, "afterShellExecution" | "afterMCPExecution" | "afterFileEdit") => {
            Capabilities::NOTHING
        }
        (EventKind::SessionStart | EventKind::ToolPost | EventKind::ToolError, _) => CONTEXT,
        (EventKind::PromptSubmit, _) => Capabilities { block: Support::Yes, ..CONTEXT },
        // The reason of a deny is sent as the next prompt; our entry does not change its limit.
        (EventKind::OrchestratorComplete | EventKind::SubagentComplete, _) => {
            Capabilities { block: Support::Yes, stop_loop: StopLoop::EndsAfter(5), ..Capabilities::NOTHING }
        }
        (EventKind::ContextPreCompact, _) => MESSAGE,
        (EventKind::SessionEnd, _) => NOTHING_EVER,
        _ => Capabilities::NOTHING,
    }
}

/// Each tool accepts few fields, and not the content of a file.
fn rewrite_input(event: &Event) -> RewriteInput {
    match event.tool.as_ref().map(|tool| tool.kind) {
        None | Some(ToolKind::Shell) => RewriteInput::Only(&["command", "cwd"]),
        Some(ToolKind::Read | ToolKind::Write | ToolKind::Edit) => RewriteInput::Only(&["file_path"]),
        Some(_) => RewriteInput::Never,
    }
}

const CONTEXT: Capabilities = Capabilities {
    context: ContextChannel::UnlessDenied,
    context_limit: Some(CONTEXT_LIMIT),
    ..Capabilities::NOTHING
};
