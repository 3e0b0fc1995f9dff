//! What VS Code can carry at each event, as its documents say.

use tenter_contract::{Abilities, AskUser, Carry, Event, EventKind, RewriteInput, StopLoop, ToolKind};

use crate::documented::{ContextAt, NOTHING_EVER};

/// What VS Code can carry at an event. It has one channel for context, so a role is carried nowhere.
pub(super) fn abilities(event: &Event) -> Abilities {
    let again = event.raw.get("stop_hook_active").and_then(serde_json::Value::as_bool).unwrap_or(false);
    match event.kind {
        EventKind::ToolPre => Abilities {
            block: Carry::Yes,
            stop: Carry::Yes,
            ask: AskUser::Plainly,
            allow: Carry::Yes,
            rewrite_input: rewrite_input(event),
            ..CONTEXT
        },
        // Whether the model still sees a result that is denied is not written anywhere.
        EventKind::ToolPost => Abilities { block: Carry::Yes, stop: Carry::Yes, ..CONTEXT },
        EventKind::SessionStart | EventKind::SubagentStart => CONTEXT,
        EventKind::PromptSubmit => Abilities { block: Carry::Yes, ..MESSAGE },
        EventKind::OrchestratorComplete | EventKind::SubagentComplete => {
            Abilities { block: Carry::Yes, stop_loop: StopLoop::NeverEnds { again }, ..MESSAGE }
        }
        EventKind::ContextPreCompact => MESSAGE,
        EventKind::SessionEnd => NOTHING_EVER,
        _ => Abilities::NOTHING,
    }
}

/// An input that does not fit the tool is ignored, and the tool runs with the old one. Of a command it is sure that
/// another text fits.
fn rewrite_input(event: &Event) -> RewriteInput {
    match event.tool.as_ref().map(|tool| tool.kind) {
        None | Some(ToolKind::Shell) => RewriteInput::Only(&["command"]),
        Some(_) => RewriteInput::Never,
    }
}

const MESSAGE: Abilities = Abilities { message: Carry::Yes, ..Abilities::NOTHING };

const CONTEXT: Abilities = Abilities { context: ContextAt::Inside.channel(), ..MESSAGE };
