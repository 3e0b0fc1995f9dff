//! Adds injected texts to the conversation, as one message per role and place.

use tenter_contract::{
    ContextMessage as Batch, Degradation, Effect, Event, Injection, Level, Outcome, Role, Source,
};
use tenter_kernel::messages;

use crate::context::{ContextMessage, ContextStore, Part, Provenance, StoreError};
use crate::panic_safe::caught;

/// Puts the context of an outcome into the store, and returns the new messages. Context that the store does not take
/// becomes a degradation, so that the record is correct.
pub(crate) fn place(outcome: &mut Outcome, store: &dyn ContextStore) -> Vec<ContextMessage> {
    let mut placed = Vec::new();
    for batch in messages(outcome) {
        let message = message(&batch, outcome, store);
        let kept = caught(|| store.add(message.clone()));
        match kept.unwrap_or_else(|panic| Err(StoreError::new(format!("it panicked: {panic}")))) {
            Ok(()) => {
                if message.role != batch.role {
                    name_role(outcome, &batch);
                }
                placed.push(message);
            }
            Err(why) => lose(outcome, &batch, &why),
        }
    }
    placed
}

fn message(batch: &Batch, outcome: &Outcome, store: &dyn ContextStore) -> ContextMessage {
    let timestamp = outcome.event.at;
    let part = |(by, bytes): &(Source, usize)| Part { hook_name: by.to_string(), bytes: *bytes, timestamp };
    let parts: Vec<Part> = batch.parts.iter().map(part).collect();
    let mut names: Vec<&str> = parts.iter().map(|part| part.hook_name.as_str()).collect();
    names.dedup();
    ContextMessage {
        role: if store.takes(batch.role) { batch.role } else { Role::System },
        content: batch.content.clone(),
        at: timestamp,
        strategy: batch.strategy,
        ephemeral: batch.ephemeral,
        hook: Some(Provenance {
            hook_name: names.join(", "),
            event: outcome.event.kind.clone(),
            timestamp,
            requested_role: batch.role,
            call_id: call_of(&outcome.event),
            parts,
        }),
    }
}

/// The call id of an event. An event without a tool, such as `subagent:complete`, may have it in its data.
fn call_of(event: &Event) -> Option<String> {
    let of_tool = event.tool.as_ref().and_then(|tool| tool.call_id.clone());
    of_tool.or_else(|| event.data.get("tool_call_id")?.as_str().map(str::to_owned))
}

/// Names a role that the store does not have as a degradation.
fn name_role(outcome: &mut Outcome, batch: &Batch) {
    let wanted = format!("role {}", batch.role.as_str());
    let degraded =
        |(by, _): &(Source, usize)| Degradation::OneChannel { by: by.clone(), wanted: wanted.clone() };
    outcome.degraded.extend(batch.parts.iter().map(degraded));
}

/// Removes context that was not kept, and marks the messages of its hooks.
fn lose(outcome: &mut Outcome, batch: &Batch, why: &StoreError) {
    let degraded = |(by, bytes): &(Source, usize)| Degradation::NotKept {
        by: by.clone(),
        bytes: *bytes,
        why: why.to_string(),
    };
    outcome.degraded.extend(batch.parts.iter().map(degraded));
    outcome.effects.retain(|(_, effect)| !matches!(effect, Effect::Inject(one) if is_in(one, batch)));
    for (by, effect) in &mut outcome.effects {
        if let Effect::Notify(message) = effect
            && batch.parts.iter().any(|(loser, _)| loser == by)
            && !message.text.ends_with(FAILED)
        {
            message.text.push_str(FAILED);
            message.level = Level::Error;
        }
    }
}

const FAILED: &str = " (injection failed)";

fn is_in(injection: &Injection, batch: &Batch) -> bool {
    (injection.role, injection.strategy, injection.ephemeral) == (batch.role, batch.strategy, batch.ephemeral)
}
