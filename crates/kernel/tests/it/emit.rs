//! Hooks that are functions of the program that embeds tenter.

use crate::kit::bash;
use tenter_contract::{Decision, Effect, Event, EventKind, HookOutput, HookReply, Injection, Verdict};
use tenter_kernel::Emitter;

fn says(verdict: Verdict) -> impl Fn(&Event) -> HookReply + Send + Sync {
    move |_| HookReply { verdict: verdict.clone(), effects: Vec::new() }
}

#[test]
fn functions_are_asked_in_order_and_a_deny_ends_it() {
    let mut emitter = Emitter::default();
    emitter.register(EventKind::ToolPre, "late", 10, says(Verdict::Allow { reason: None }));
    emitter.register(EventKind::ToolPre, "no", 0, says(Verdict::Deny { reason: "no".to_owned() }));
    emitter.register(EventKind::ToolPre, "first", -1, |_| HookReply {
        verdict: Verdict::Abstain,
        effects: vec![Effect::Inject(Injection::text("kept"))],
    });
    let outcome = emitter.emit(bash("ls"));
    assert!(matches!(outcome.decision, Decision::Deny { .. }));
    let asked: Vec<String> = outcome.runs.iter().map(|run| run.hook.to_string()).collect();
    assert_eq!(asked, ["first", "no"]);
    assert_eq!(outcome.effects.len(), 1);
}

#[test]
fn collecting_asks_everyone_whatever_the_others_say() {
    let mut emitter = Emitter::default();
    emitter.register(EventKind::ToolPre, "no", 0, says(Verdict::Deny { reason: "no".to_owned() }));
    emitter.register(EventKind::ToolPre, "yes", 1, says(Verdict::Allow { reason: None }));
    emitter.register(EventKind::ToolPost, "elsewhere", 1, says(Verdict::Abstain));
    let names: Vec<String> =
        emitter.emit_and_collect(&bash("ls")).iter().map(|(hook, _)| hook.to_string()).collect();
    assert_eq!(names, ["no", "yes"]);
}

#[test]
fn a_panic_is_that_hooks_failure() {
    let mut emitter = Emitter::default();
    emitter.register(EventKind::ToolPre, "broken", 0, |_| panic!("boom"));
    let outcome = emitter.emit(bash("ls"));
    assert_eq!(outcome.decision, Decision::Abstain);
    let HookOutput::Failure(failure) = &outcome.runs[0].output else { panic!("{:?}", outcome.runs[0].output) };
    assert_eq!(failure.to_string(), "hit a bug in tenter: boom");
}

#[test]
fn an_unregistered_function_is_asked_no_more() {
    let mut emitter = Emitter::default();
    let handle =
        emitter.register(EventKind::ToolPre, "no", 0, says(Verdict::Deny { reason: "no".to_owned() }));
    assert!(emitter.unregister(handle).is_some());
    assert_eq!(emitter.emit(bash("ls")).decision, Decision::Abstain);
}
