//! What VS Code supports at each event, by its documents.

use tenter_contract::{AskUser, Capabilities, Event, EventKind, RewriteInput, StopLoop, Support, ToolKind};

use crate::agent_spec::{ContextField, MESSAGE, NOTHING_EVER};

/// One channel for context, so no role is supported.
pub(super) fn capabilities(event: &Event) -> Capabilities {
    let again = event.raw.get("stop_hook_active").and_then(serde_json::Value::as_bool).unwrap_or(false);
    match event.kind {
        EventKind::ToolPre => Capabilities {
            block: Support::Yes,
            stop: Support::Yes,
            ask: AskUser::Plainly,
            allow: Support::Yes,
            rewrite_input: rewrite_input(event),
            ..CONTEXT
        },
        // Whether the model still sees a denied result is not documented.
        EventKind::ToolPost => Capabilities { block: Support::Yes, stop: Support::Yes, ..CONTEXT },
        EventKind::SessionStart | EventKind::SubagentStart => CONTEXT,
        EventKind::PromptSubmit => Capabilities { block: Support::Yes, ..MESSAGE },
        EventKind::OrchestratorComplete | EventKind::SubagentComplete => {
            Capabilities { block: Support::Yes, stop_loop: StopLoop::NeverEnds { again }, ..MESSAGE }
        }
        EventKind::ContextPreCompact => MESSAGE,
        EventKind::SessionEnd => NOTHING_EVER,
        _ => Capabilities::NOTHING,
    }
}

/// An input that the tool does not accept is ignored, and the tool runs with the old one. A command accepts any text.
fn rewrite_input(event: &Event) -> RewriteInput {
    match event.tool.as_ref().map(|tool| tool.kind) {
        None | Some(ToolKind::Shell) => RewriteInput::Only(&["command"]),
        Some(_) => RewriteInput::Never,
    }
}

const CONTEXT: Capabilities = Capabilities { context: ContextField::Inside.channel(), ..MESSAGE };
