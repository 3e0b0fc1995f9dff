//! What Codex CLI supports at each event.

use serde_json::Value;
use tenter_contract::{
    AskUser, Capabilities, ContextChannel, Event, EventKind, RewriteInput, StopLoop, Support, ToolCall,
};

use super::tools::PATCH_KEY;
use crate::agent_spec::MESSAGE;

/// A question only where Codex is about to ask anyway: elsewhere `ask` makes the hook fail, and the tool runs. A
/// permission only there too: before a tool, `allow` is the form of a changed input. One channel for context, so no role
/// is supported.
pub(super) fn capabilities(event: &Event) -> Capabilities {
    match &event.kind {
        EventKind::ToolPre => {
            Capabilities { block: Support::Yes, rewrite_input: rewrite_input(event.tool.as_ref()), ..TEXTS }
        }
        // A question needs no answer.
        EventKind::PermissionRequest => {
            Capabilities { block: Support::Yes, ask: AskUser::Plainly, allow: Support::Yes, ..MESSAGE }
        }
        EventKind::PromptSubmit => {
            Capabilities { block: Support::Yes, context: ContextChannel::UnlessDenied, ..TEXTS }
        }
        // The reason takes the place of the result.
        EventKind::ToolPost => Capabilities { block: Support::Yes, withhold: Support::Yes, ..TEXTS },
        EventKind::OrchestratorComplete | EventKind::SubagentComplete => {
            let first = event.raw.get("stop_hook_active") == Some(&Value::Bool(false));
            Capabilities { block: Support::Yes, stop_loop: StopLoop::NeverEnds { again: !first }, ..MESSAGE }
        }
        EventKind::ContextPreCompact => Capabilities { block: Support::Yes, ..MESSAGE },
        EventKind::SessionStart | EventKind::SubagentStart => TEXTS,
        EventKind::ContextPostCompact => MESSAGE,
        // No answer is accepted at the end.
        EventKind::SessionEnd => Capabilities { later: Support::No, ..Capabilities::NOTHING },
        // Answers around a model call are not documented.
        _ => Capabilities::NOTHING,
    }
}

/// A tool that does not accept a changed input is not run at all.
fn rewrite_input(tool: Option<&ToolCall>) -> RewriteInput {
    let patches = tool.is_some_and(|tool| tool.patch_key.is_some());
    if patches { RewriteInput::SamePatch(PATCH_KEY) } else { RewriteInput::Freely }
}

/// Text for the user and for the model. Of more than 10,000 bytes in sum Codex keeps the head and the tail, unless the
/// entry sets no limit, as ours does.
const TEXTS: Capabilities =
    Capabilities { context: ContextChannel::Always, context_limit: Some(10_000), ..MESSAGE };
