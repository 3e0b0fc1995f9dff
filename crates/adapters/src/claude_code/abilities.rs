//! What Claude Code can carry at each event: a table, as measured on version 2.1.197.

use tenter_contract::{
    Abilities, AskUser, Carry, ContextChannel, Event, EventKind, RewriteInput, RewriteOutput, StopLoop,
    ToolKind,
};

use super::tools;

/// What Claude Code can carry at an event. It has one channel for context, so a role is carried nowhere.
pub(super) fn abilities(event: &Event) -> Abilities {
    let shell = event.tool.as_ref().is_some_and(|tool| tool.kind == ToolKind::Shell);
    // Headless, it denies what it should ask.
    let ask = if event.attended == Some(false) { AskUser::Never } else { AskUser::Plainly };
    match &event.kind {
        // Claude Code continues after a deny even if `continue: false` is set. The deny is needed: without it the tool runs.
        EventKind::ToolPre => Abilities {
            block: Carry::Yes,
            ask,
            allow: Carry::Yes,
            rewrite_input: RewriteInput::Freely,
            ..TEXTS
        },
        // A question is carried by saying nothing: Claude Code is about to ask its user anyway.
        EventKind::PermissionRequest => Abilities {
            block: Carry::Yes,
            stop: Carry::Yes,
            ask,
            allow: Carry::Yes,
            rewrite_input: RewriteInput::OnlyWithAllow,
            ..MESSAGE
        },
        EventKind::PromptSubmit => {
            Abilities { block: Carry::Yes, context: ContextChannel::UnlessDenied, ..TEXTS }
        }
        // With a deny goes a result of the same shape in which nothing stands, where that shape is known;
        // elsewhere the model sees the result beside the reason. Of a shell's result `encode` makes the complete shape; other results must come in theirs.
        EventKind::ToolPost => Abilities {
            block: Carry::Yes,
            withhold: match tools::withheld(event.tool.as_ref(), event.raw.get("tool_response")) {
                Some(_) => Carry::Yes,
                None => Carry::No,
            },
            stop: Carry::Yes,
            rewrite_output: if shell { RewriteOutput::Freely } else { RewriteOutput::SameShape },
            ..TEXTS
        },
        EventKind::OrchestratorComplete => {
            Abilities { block: Carry::Yes, stop_loop: StopLoop::EndsAfter(8), ..TEXTS }
        }
        EventKind::SubagentComplete => Abilities { block: Carry::Yes, ..TEXTS },
        // Whatever is printed here that is not exactly a block becomes part of the summary's instructions.
        EventKind::ContextPreCompact => {
            Abilities { block: Carry::Yes, context: ContextChannel::WholeAnswer, ..Abilities::NOTHING }
        }
        EventKind::SessionStart | EventKind::SubagentStart | EventKind::ToolError => TEXTS,
        EventKind::UserNotification | EventKind::ContextPostCompact | EventKind::ErrorOrchestrator => MESSAGE,
        EventKind::SessionEnd => Abilities { later: Carry::No, ..MESSAGE },
        // Some of its other events take over what hooks print (`WorktreeCreate`), so nothing is said there;
        // the rest of ours it does not have.
        EventKind::Other(_)
        | EventKind::DecisionToolResolution
        | EventKind::ProviderRequest
        | EventKind::ProviderResponse
        | EventKind::ProviderError
        | EventKind::ApprovalRequired
        | EventKind::ApprovalGranted
        | EventKind::ApprovalDenied
        | EventKind::ApprovalTimeout
        | EventKind::HookContextInjection
        | EventKind::HookFailed => Abilities::NOTHING,
    }
}

/// Text for the user.
const MESSAGE: Abilities = Abilities { message: Carry::Yes, ..Abilities::NOTHING };

/// Text for the user and for the model. Of more than 10,000 characters the model would see the first 2 KB.
const TEXTS: Abilities =
    Abilities { context: ContextChannel::Beside, context_limit: Some(10_000), ..MESSAGE };
