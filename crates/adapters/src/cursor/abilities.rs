//! What Cursor can carry at each event, as its hook engine and its documents say.

use tenter_contract::{
    Abilities, AskUser, Carry, ContextChannel, Event, EventKind, RewriteInput, StopLoop, ToolKind,
};

use super::EVENT_KEY;
use crate::documented::{NOTHING_EVER, native_event};

/// Above that, all of it is dropped.
const CONTEXT_LIMIT: usize = 10_000;

/// What Cursor can carry at an event. It has one channel for context, so a role is carried nowhere. What it does
/// with a permission before a tool in general is not clear, so none is given there.
pub(super) fn abilities(event: &Event) -> Abilities {
    match (&event.kind, native_event(event, EVENT_KEY)) {
        (EventKind::ToolPre, "beforeShellExecution" | "beforeMCPExecution") => {
            Abilities { block: Carry::Yes, ask: AskUser::Plainly, allow: Carry::Yes, ..Abilities::NOTHING }
        }
        (EventKind::ToolPre, "beforeReadFile") => Abilities { block: Carry::Yes, ..Abilities::NOTHING },
        // A question is ignored here.
        (EventKind::ToolPre, _) => {
            Abilities { block: Carry::Yes, rewrite_input: rewrite_input(event), ..CONTEXT }
        }
        (EventKind::ToolPost, "afterShellExecution" | "afterMCPExecution" | "afterFileEdit") => {
            Abilities::NOTHING
        }
        (EventKind::SessionStart | EventKind::ToolPost | EventKind::ToolError, _) => CONTEXT,
        (EventKind::PromptSubmit, _) => Abilities { block: Carry::Yes, ..CONTEXT },
        // What a deny says is sent as the next prompt; our entry does not change its limit.
        (EventKind::OrchestratorComplete | EventKind::SubagentComplete, _) => {
            Abilities { block: Carry::Yes, stop_loop: StopLoop::EndsAfter(5), ..Abilities::NOTHING }
        }
        (EventKind::ContextPreCompact, _) => Abilities { message: Carry::Yes, ..Abilities::NOTHING },
        (EventKind::SessionEnd, _) => NOTHING_EVER,
        _ => Abilities::NOTHING,
    }
}

/// Each tool takes few fields, and of a file that is written not the content.
fn rewrite_input(event: &Event) -> RewriteInput {
    match event.tool.as_ref().map(|tool| tool.kind) {
        None | Some(ToolKind::Shell) => RewriteInput::Only(&["command", "cwd"]),
        Some(ToolKind::Read | ToolKind::Write | ToolKind::Edit) => RewriteInput::Only(&["file_path"]),
        Some(_) => RewriteInput::Never,
    }
}

const CONTEXT: Abilities = Abilities {
    context: ContextChannel::UnlessDenied,
    context_limit: Some(CONTEXT_LIMIT),
    ..Abilities::NOTHING
};
