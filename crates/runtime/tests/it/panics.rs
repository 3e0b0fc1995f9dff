//! A panic fails a hook or a request, never the agent.

use std::sync::Arc;

use tenter_contract::{Decision, HookReport, HookSpec, RecordBody};

use crate::kit::{TestAdapter, Trail, answer, guard, hook, inject, only_stdout, runtime};

fn panics_in_bad(hook: &HookSpec) -> HookReport {
    assert!(hook.id.name != "bad", "index out of bounds");
    inject("from the good one")
}

#[test]
fn executor_panic_fails_its_hook() {
    let trail = Arc::new(Trail::default());
    let runtime = runtime(vec![hook("bad"), hook("good")], &trail, |hook, _| panics_in_bad(hook));
    let expected = "context: from the good one\nmessage: tenter: warning: hook `bad` hit a bug in tenter: index out of bounds; went on without it\n";
    assert_eq!(answer(&runtime, &TestAdapter::default(), "ls"), only_stdout(expected));
    let failed =
        |record: &RecordBody| matches!(record, RecordBody::Failure { hook, .. } if hook.name == "bad");
    assert_eq!(trail.records().iter().filter(|record| failed(record)).count(), 1);
}

#[test]
fn parallel_panic_fails_its_hook() {
    let trail = Arc::new(Trail::default());
    let parallel =
        |spec: HookSpec| HookSpec { execution_mode: tenter_contract::ExecutionMode::Parallel, ..spec };
    let hooks = vec![parallel(guard("bad")), parallel(hook("good"))];
    let runtime = runtime(hooks, &trail, |hook, _| panics_in_bad(hook));
    let expected = "deny: Operation denied by bad: the hook hit a bug in tenter: index out of bounds, and its `on_failure` says deny\ncontext: from the good one\n";
    assert_eq!(answer(&runtime, &TestAdapter::default(), "ls"), only_stdout(expected));
}

#[test]
fn adapter_panic_refuses_with_a_guard() {
    for place in ["decode", "capabilities", "encode"] {
        let agent = TestAdapter { panics_in: Some(place), ..TestAdapter::default() };
        let problem = format!("a bug in tenter: the test adapter fell off at {place}");

        let trail = Arc::new(Trail::default());
        let open = runtime(vec![hook("reminder")], &trail, |_, _| inject("text"));
        assert_eq!(answer(&open, &agent, "ls"), only_stdout(""), "{place}");
        assert_eq!(last(&trail), (problem.clone(), Decision::Abstain), "{place}");

        let trail = Arc::new(Trail::default());
        let closed = runtime(vec![hook("reminder"), guard("scanner")], &trail, |_, _| inject("text"));
        let reason = format!("{problem}; hook `scanner` is a guard and could not judge it");
        let refusal = format!("Operation denied by tenter: {reason}");
        assert_eq!(answer(&closed, &agent, "ls"), (2, String::new(), refusal), "{place}");
        let by = tenter_contract::Source::Tenter;
        assert_eq!(last(&trail), (problem, Decision::Deny { by, reason }), "{place}");
    }
}

/// The problem and the decision of the last record.
fn last(trail: &Trail) -> (String, Decision) {
    match trail.records().pop() {
        Some(RecordBody::Undecodable { problem, decision, .. }) => (problem, decision),
        other => panic!("{other:?}"),
    }
}

#[test]
fn unstoppable_event_is_not_refused() {
    let trail = Arc::new(Trail::default());
    let observer = HookSpec { event: tenter_contract::EventKind::SessionEnd, ..guard("observer") };
    let runtime = runtime(vec![observer], &trail, |_, _| inject("text"));
    let agent = TestAdapter { panics_in: Some("decode"), ..TestAdapter::default() };
    assert_eq!(answer(&runtime, &agent, "ls"), only_stdout(""));
}
