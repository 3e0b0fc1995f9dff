//! `memory.recall`: what is relevant to a prompt, and new to the context it goes into.

use super::call::HookCall;
use crate::context::{ContextRequest, Depth, Occasion};
use crate::error::MemoryError;

pub(super) fn run(call: &mut HookCall<'_>) -> Result<(), MemoryError> {
    let noted = call.note_session();
    let prompt = call.event.prompt.as_deref().unwrap_or_default();
    if !call.event.is_users_prompt() {
        return noted;
    }
    let depth = call.word("context_depth").and_then(Depth::parse).unwrap_or(Depth::Rich);
    let budget = call.count("token_budget", Depth::Rich.tokens());
    let context = call.context();
    let request = ContextRequest {
        max_tokens: call.within(budget),
        known: call.known(context.as_ref()),
        occasion: Occasion::Unasked,
        ..ContextRequest::new(prompt, depth, call.scope())
    };
    let recalled = call.services.memory.assemble_context(&request)?;
    call.give(context.as_ref(), recalled);
    noted
}
