//! An agent without a limit of its own may stop after too many denied stops.

use std::sync::Arc;

use tenter_contract::{Capabilities, HookReport, StopLoop};
use tenter_runtime::Runtime;

use crate::kit::{TestAdapter, Trail, answer, hook, inject, runtime};
use crate::notices::deny;
use crate::once::NoSessionStore;

fn endless(again: bool) -> TestAdapter {
    let capabilities = Capabilities { stop_loop: StopLoop::NeverEnds { again }, ..Capabilities::EVERYTHING };
    TestAdapter { capabilities: Some(capabilities), ..TestAdapter::default() }
}

fn goes_on(runtime: &Runtime, again: bool, command: &str) -> bool {
    answer(runtime, &endless(again), command).1.starts_with("deny: ")
}

fn strict(trail: &Arc<Trail>) -> Runtime {
    runtime(vec![hook("strict")], trail, |_, event| -> HookReport {
        let command = &event.tool.as_ref().unwrap().input["command"];
        if command == "deny" { deny() } else { inject("fine") }
    })
}

#[test]
fn ninth_denied_stop_is_allowed() {
    let trail = Arc::new(Trail::default());
    let runtime = strict(&trail);
    for turn in 0..2 {
        for time in 0..12 {
            assert_eq!(goes_on(&runtime, time > 0, "deny"), time < 8, "turn {turn}, time {time}");
        }
    }
}

#[test]
fn allowed_stop_is_not_counted() {
    let trail = Arc::new(Trail::default());
    let runtime = strict(&trail);
    assert!(goes_on(&runtime, false, "deny"));
    for _ in 0..20 {
        assert!(!goes_on(&runtime, true, "stop"));
    }
    assert!(goes_on(&runtime, true, "deny"));
}

#[test]
fn broken_counter_denies_one_stop() {
    let trail = Arc::new(Trail::default());
    let runtime = {
        let mut runtime = strict(&trail);
        runtime.sessions.store = Box::new(NoSessionStore);
        runtime
    };
    assert!(goes_on(&runtime, false, "deny"));
    let (_, stdout, _) = answer(&runtime, &endless(true), "deny");
    assert!(
        stdout.starts_with("message: tenter: error: the session state `sessions` cannot be used"),
        "{stdout}"
    );
    assert!(stdout.ends_with("too often in a row, so the agent may stop: no\n"), "{stdout}");
}
