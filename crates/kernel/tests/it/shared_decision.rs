//! What all deliveries of one call are answered with.

use std::sync::Arc;

use serde_json::json;
use tenter_contract::ports::SharedDecision;
use tenter_contract::{
    Decision, Degradation, Effect, Event, EventKind, HookId, Injection, Layer, Level, Message, Outcome,
    OutputPatch, Patch, Rewrite, Source,
};
use tenter_kernel::{apply_shared_decision, shared_decision};

use crate::kit::bash;

fn by() -> Source {
    Source::Hook(HookId::new(Layer::User, "h"))
}

fn input(command: &str) -> Rewrite {
    Rewrite::ToolInput(Patch::Merge(json!({"command": command}).as_object().cloned().unwrap()))
}

#[test]
fn shared_decision_has_only_final_input() {
    let mut event = bash("make");
    let rewrites = [input("make -n"), input("make -nk")];
    for rewrite in &rewrites {
        event.rewrite(rewrite);
    }
    let mut outcome = Outcome::nothing(Arc::new(event));
    outcome.effects = rewrites.map(|rewrite| (by(), Effect::Rewrite(rewrite))).into();
    outcome.effects.push((by(), Effect::Inject(Injection::text("a word"))));
    outcome.effects.push((by(), Effect::Notify(Message { text: "to you".to_owned(), level: Level::Info })));
    let again = apply_shared_decision(Arc::new(bash("make")), shared_decision(&outcome));
    assert_eq!(again.event.tool, outcome.event.tool);
    assert!(again.effects.iter().all(|(_, effect)| matches!(effect, Effect::Rewrite(_))));
    assert_eq!(again.delivered_first, Some(outcome.event.at));
}

#[test]
fn refused_rewrite_stays_refused() {
    let after = || Event { kind: EventKind::ToolPost, ..bash("make") };
    let redacted = Rewrite::ToolOutput(OutputPatch::Replace(json!("redacted")));
    let mut event = after();
    event.rewrite(&redacted);
    let mut outcome = Outcome::nothing(Arc::new(event));
    outcome.effects.push((by(), Effect::Rewrite(redacted)));
    let whole = shared_decision(&outcome);
    assert_eq!(apply_shared_decision(Arc::new(after()), whole).event.tool, outcome.event.tool);
    outcome.degraded.push(Degradation::CannotRewrite {
        target: "tool_output",
        by: vec![by()],
        denied: false,
    });
    let nothing =
        SharedDecision { first: outcome.event.at, decision: Decision::Abstain, rewrites: Vec::new() };
    assert_eq!(shared_decision(&outcome), nothing);
}
