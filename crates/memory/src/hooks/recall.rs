//! `memory.recall`: injects what is relevant to a prompt and new to the context.

use super::call::HookCall;
use crate::context::Depth;
use crate::error::MemoryError;

pub(super) fn run(call: &mut HookCall<'_>) -> Result<(), MemoryError> {
    let noted = call.note_session();
    let prompt = call.event.prompt.as_deref().unwrap_or_default();
    if !call.event.is_users_prompt() {
        return noted;
    }
    let depth = call.word("context_depth").and_then(Depth::parse).unwrap_or(Depth::Rich);
    let budget = call.count("token_budget", Depth::Rich.tokens());
    call.recall(prompt, depth, budget)?;
    noted
}
