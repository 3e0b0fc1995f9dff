//! Stop 6: what hooks inject goes into the conversation, what belongs together as one message.

use tenter_contract::{Effect, Injection, Level, Outcome, Role, Source, Strategy, Unfit};
use tenter_kernel::batch::batch;

use crate::careful::caught;
use crate::context::{ContextMessage, ContextStore, Part, Provenance, StoreError};

/// Puts the context of an outcome into the store, and returns what is there now. What the store does not take is
/// no effect of the outcome any more but named in it, so that the record says what really happened.
pub(crate) fn place(outcome: &mut Outcome, store: &dyn ContextStore) -> Vec<ContextMessage> {
    let mut placed = Vec::new();
    let mut lost: Vec<(usize, String)> = Vec::new();
    for places in batches(&outcome.effects) {
        let injections: Vec<(&Source, &Injection)> =
            places.iter().filter_map(|place| injection(&outcome.effects[*place])).collect();
        let Some(message) = message(&injections, outcome, store) else { continue };
        let kept = caught(|| store.add(message.clone()));
        let kept = kept.unwrap_or_else(|panic| Err(StoreError::new(format!("it panicked: {panic}"))));
        match kept {
            Ok(()) => placed.push(message),
            Err(why) => lost.extend(places.into_iter().map(|place| (place, why.to_string()))),
        }
    }
    name_roles(outcome, store);
    lose(outcome, &lost);
    placed
}

/// The injections that make one message: of one role, strategy and ephemerality.
fn batches(effects: &[(Source, Effect)]) -> Vec<Vec<usize>> {
    let mut batches: Vec<((Role, Strategy, bool), Vec<usize>)> = Vec::new();
    for (place, effect) in effects.iter().enumerate() {
        let Some((_, injection)) = injection(effect) else { continue };
        let kind = (injection.role, injection.strategy, injection.ephemeral);
        match batches.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, places)) => places.push(place),
            None => batches.push((kind, vec![place])),
        }
    }
    batches.into_iter().map(|(_, places)| places).collect()
}

fn injection((by, effect): &(Source, Effect)) -> Option<(&Source, &Injection)> {
    match effect {
        Effect::Inject(injection) => Some((by, injection)),
        Effect::Rewrite(_) | Effect::Tell(_) | Effect::SuppressOutput => None,
    }
}

fn message(
    injections: &[(&Source, &Injection)],
    outcome: &Outcome,
    store: &dyn ContextStore,
) -> Option<ContextMessage> {
    let (_, first) = injections.first()?;
    let timestamp = outcome.event.at;
    let mut names: Vec<String> = injections.iter().map(|(by, _)| by.to_string()).collect();
    let parts = injections.iter().zip(&names).map(|((_, injection), hook_name)| Part {
        hook_name: hook_name.clone(),
        bytes: injection.content.len(),
        timestamp,
    });
    let parts = parts.collect();
    names.dedup();
    Some(ContextMessage {
        role: if store.takes(first.role) { first.role } else { Role::System },
        content: batch(injections)?,
        at: timestamp,
        strategy: first.strategy,
        ephemeral: first.ephemeral,
        hook: Some(Provenance {
            hook_name: names.join(", "),
            event: outcome.event.kind.clone(),
            timestamp,
            requested_role: first.role,
            parts,
        }),
    })
}

/// A role that the store does not have is named, as it is for an agent with one channel.
fn name_roles(outcome: &mut Outcome, store: &dyn ContextStore) {
    let unfit = outcome.effects.iter().filter_map(injection).filter(|(_, one)| !store.takes(one.role)).map(
        |(by, injection)| Unfit::OneChannel {
            by: by.clone(),
            wanted: format!("role {}", injection.role.as_str()),
        },
    );
    let unfit: Vec<Unfit> = unfit.collect();
    outcome.unfit.extend(unfit);
}

/// Takes out what was not kept, and says so in the messages of the hooks concerned.
fn lose(outcome: &mut Outcome, lost: &[(usize, String)]) {
    let mut losers: Vec<Source> = Vec::new();
    for (place, why) in lost {
        if let Some((by, injection)) = injection(&outcome.effects[*place]) {
            let (by, bytes, why) = (by.clone(), injection.content.len(), why.clone());
            losers.push(by.clone());
            outcome.unfit.push(Unfit::NotKept { by, bytes, why });
        }
    }
    let mut place = 0;
    outcome.effects.retain(|_| {
        place += 1;
        !lost.iter().any(|(gone, _)| *gone == place - 1)
    });
    for (by, effect) in &mut outcome.effects {
        if let Effect::Tell(message) = effect
            && losers.contains(by)
        {
            message.text.push_str(" (injection failed)");
            message.level = Level::Error;
        }
    }
}
