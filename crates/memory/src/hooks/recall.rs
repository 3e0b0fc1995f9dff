//! `memory.recall`: what is relevant to a prompt, and new to the context it goes into.

use std::collections::HashSet;

use tenter_contract::ContextId;
use tenter_contract::ports::{CONTEXTS, Mark};

use super::call::Call;
use crate::context::{ContextRequest, Depth, Occasion};
use crate::error::MemoryError;

pub(super) fn run(call: &mut Call<'_>) -> Result<(), MemoryError> {
    let noted = call.go_on();
    let prompt = call.event.prompt.as_deref().unwrap_or_default();
    if prompt.trim().is_empty() {
        return noted;
    }
    let depth = call.word("context_depth").and_then(Depth::parse).unwrap_or(Depth::Rich);
    let budget = call.count("token_budget", Depth::Rich.tokens());
    let context = context(call);
    let request = ContextRequest {
        max_tokens: call.within(budget),
        known: known(call, context.as_ref()),
        occasion: Occasion::Unasked,
        ..ContextRequest::new(prompt, depth, call.scope())
    };
    let assembled = call.kept.memory.assemble_context(&request)?;
    // Noted before it is given: once too few is better than twice.
    if let Some(context) = &context {
        let ids = assembled.cited.iter().map(|cited| cited.id.as_str());
        if let Err(cause) = call.kept.given.add(&call.event.session, context, ids) {
            call.note(format!("what was recalled could not be noted, so it may be recalled again: {cause}"));
        }
    }
    call.inject_recalled(assembled.markdown);
    noted
}

/// The context that the text goes into; none if nobody knows, and then nothing in it is known either.
fn context(call: &mut Call<'_>) -> Option<ContextId> {
    if !call.has_session() {
        return None;
    }
    let generation = call.kept.sessions.tally(&call.event.session, CONTEXTS, Mark::Look);
    let generation = call.noted(generation)?;
    let agent_id = call.event.agent_id.clone().filter(|_| call.event.agent_type.is_some());
    Some(ContextId { generation, agent_id })
}

fn known(call: &mut Call<'_>, context: Option<&ContextId>) -> HashSet<String> {
    let Some(context) = context else { return HashSet::new() };
    match call.kept.given.known(&call.event.session, context) {
        Ok(known) => known,
        Err(cause) => {
            call.note(format!("what was recalled before is not known: {cause}"));
            HashSet::new()
        }
    }
}
