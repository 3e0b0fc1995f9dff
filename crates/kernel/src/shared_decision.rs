//! One decision for all requests about one call.

use std::sync::Arc;

use tenter_contract::ports::SharedDecision;
use tenter_contract::{Degradation, Effect, Event, Outcome, OutputPatch, Patch, Rewrite, Source};

/// The decision for other requests about this call, with the rewrites that were not refused. It has no context and
/// no messages, because the agent has got them once.
pub fn shared_decision(outcome: &Outcome) -> SharedDecision {
    let refused = |target: &str| {
        let names_it = |degraded: &Degradation| matches!(degraded, Degradation::CannotRewrite { target: refused, .. } if *refused == target);
        outcome.degraded.iter().any(names_it)
    };
    let rewrites = outcome.effects.iter().filter_map(|(by, effect)| match effect {
        Effect::Rewrite(rewrite) if !refused(rewrite.target()) => {
            Some((by.clone(), whole(rewrite, &outcome.event)?))
        }
        Effect::Rewrite(_)
        | Effect::Inject(_)
        | Effect::Notify(_)
        | Effect::SuppressOutput
        | Effect::StopAgent { .. } => None,
    });
    SharedDecision {
        first: outcome.event.at,
        decision: outcome.decision.clone(),
        rewrites: rewrites.collect::<Vec<(Source, Rewrite)>>(),
    }
}

/// The outcome of a repeated request.
pub fn apply_shared_decision(mut event: Arc<Event>, shared_decision: SharedDecision) -> Outcome {
    let SharedDecision { first, decision, rewrites } = shared_decision;
    for (_, rewrite) in &rewrites {
        Arc::make_mut(&mut event).rewrite(rewrite);
    }
    let effects = rewrites.into_iter().map(|(by, rewrite)| (by, Effect::Rewrite(rewrite))).collect();
    Outcome { decision, effects, delivered_first: Some(first), ..Outcome::nothing(event) }
}

/// The final value of a rewrite, which does not depend on the original.
fn whole(rewrite: &Rewrite, event: &Event) -> Option<Rewrite> {
    let tool = event.tool.as_ref();
    Some(match rewrite {
        Rewrite::ToolInput(_) => Rewrite::ToolInput(Patch::Replace(tool?.input.clone())),
        Rewrite::ToolOutput(_) => Rewrite::ToolOutput(OutputPatch::Replace(tool?.output.clone()?)),
        Rewrite::Prompt(_) => Rewrite::Prompt(event.prompt.clone()?),
        Rewrite::Data(_) => Rewrite::Data(Patch::Replace(event.data.clone())),
    })
}
