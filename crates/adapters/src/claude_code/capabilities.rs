//! What Claude Code supports at each event.

use tenter_contract::{
    AskUser, Capabilities, ContextChannel, Event, EventKind, RewriteInput, RewriteOutput, StopLoop, Support,
    ToolKind,
};

use super::tools;
use crate::agent_spec::MESSAGE;

/// One channel for context, so no role is supported.
pub(super) fn capabilities(event: &Event) -> Capabilities {
    let shell = event.tool.as_ref().is_some_and(|tool| tool.kind == ToolKind::Shell);
    // Headless, it denies instead of asking.
    let ask = if event.attended == Some(false) { AskUser::Never } else { AskUser::Plainly };
    match &event.kind {
        // Claude Code continues after a deny even if `continue: false` is set. The deny is needed: without it the tool runs.
        EventKind::ToolPre => Capabilities {
            block: Support::Yes,
            ask,
            allow: Support::Yes,
            rewrite_input: RewriteInput::Freely,
            ..TEXTS
        },
        // A question needs no answer: Claude Code is about to ask its user anyway.
        EventKind::PermissionRequest => Capabilities {
            block: Support::Yes,
            stop: Support::Yes,
            ask,
            allow: Support::Yes,
            rewrite_input: RewriteInput::OnlyWithAllow,
            ..MESSAGE
        },
        EventKind::PromptSubmit => {
            Capabilities { block: Support::Yes, context: ContextChannel::UnlessDenied, ..TEXTS }
        }
        // A deny replaces a result of a known shape by an empty one of that shape; of any other result the model sees
        // both. `encode` completes the shape of a shell's result; other results must come complete.
        EventKind::ToolPost => Capabilities {
            block: Support::Yes,
            withhold: match tools::withheld(event.tool.as_ref(), event.raw.get("tool_response")) {
                Some(_) => Support::Yes,
                None => Support::No,
            },
            stop: Support::Yes,
            rewrite_output: if shell { RewriteOutput::Freely } else { RewriteOutput::SameShape },
            ..TEXTS
        },
        EventKind::OrchestratorComplete => {
            Capabilities { block: Support::Yes, stop_loop: StopLoop::EndsAfter(8), ..TEXTS }
        }
        EventKind::SubagentComplete => Capabilities { block: Support::Yes, ..TEXTS },
        // Whatever is printed here that is not exactly a block becomes part of the summary's instructions.
        EventKind::ContextPreCompact => Capabilities {
            block: Support::Yes,
            context: ContextChannel::WholeAnswer,
            ..Capabilities::NOTHING
        },
        EventKind::SessionStart | EventKind::SubagentStart | EventKind::ToolError => TEXTS,
        EventKind::UserNotification | EventKind::ContextPostCompact | EventKind::ErrorOrchestrator => MESSAGE,
        EventKind::SessionEnd => Capabilities { later: Support::No, ..MESSAGE },
        // Some of its other events take over the output of hooks (`WorktreeCreate`), so nothing is written there.
        _ => Capabilities::NOTHING,
    }
}

/// Text for the user and for the model. Of more than 10,000 characters the model would see the first 2 KB.
const TEXTS: Capabilities =
    Capabilities { context: ContextChannel::Always, context_limit: Some(10_000), ..MESSAGE };
