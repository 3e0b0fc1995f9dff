//! Context without a channel waits for the next event of its session, or the user is notified.

use std::sync::Arc;

use tenter_contract::{Capabilities, ContextChannel, RecordBody, Support};

use crate::kit::{TestAdapter, Trail, answer, hook, inject, only_stdout, runtime};
use crate::once::NoSessionStore;

const DEAF: Capabilities = Capabilities { context: ContextChannel::None, ..Capabilities::EVERYTHING };

fn without_context() -> TestAdapter {
    TestAdapter { capabilities: Some(DEAF), ..TestAdapter::default() }
}

fn injections(trail: &Trail) -> usize {
    trail.records().iter().filter(|record| matches!(record, RecordBody::Injection { .. })).count()
}

#[test]
fn deferred_text_arrives_once() {
    let trail = Arc::new(Trail::default());
    let runtime = runtime(vec![hook("hint")], &trail, |_, event| {
        let tool = event.tool.as_ref().unwrap();
        inject(tool.input["command"].as_str().unwrap())
    });
    for command in ["one", "two", "one"] {
        assert_eq!(answer(&runtime, &without_context(), command), only_stdout(""));
    }
    assert_eq!(injections(&trail), 0);
    let expected = "context: Hook feedback:\n\nFrom hint (3 bytes):\none\n\nFrom hint (3 bytes):\ntwo\n\nFrom hint (5 bytes):\nthree\n";
    assert_eq!(answer(&runtime, &TestAdapter::default(), "three"), only_stdout(expected));
    assert_eq!(injections(&trail), 3);
    assert_eq!(answer(&runtime, &TestAdapter::default(), "four"), only_stdout("context: four\n"));
}

#[test]
fn lost_deferred_text_notifies() {
    let trail = Arc::new(Trail::default());
    let with_session_store = runtime(vec![hook("hint")], &trail, |_, _| inject("text"));
    let runtime = {
        let mut runtime = with_session_store;
        runtime.sessions.store = Box::new(NoSessionStore);
        runtime
    };
    let expected = "message: tenter: error: the session state `sessions` cannot be used: entity not found\ntenter: warning: 4 bytes of context from hint cannot reach the agent at this event\n";
    assert_eq!(answer(&runtime, &without_context(), "ls"), only_stdout(expected));
    assert_eq!(injections(&trail), 0);
}

#[test]
fn last_event_defers_nothing() {
    let trail = Arc::new(Trail::default());
    let runtime = runtime(vec![hook("hint")], &trail, |_, _| inject("text"));
    let last = TestAdapter {
        capabilities: Some(Capabilities { later: Support::No, ..DEAF }),
        ..TestAdapter::default()
    };
    let expected =
        "message: tenter: warning: 4 bytes of context from hint cannot reach the agent at this event\n";
    assert_eq!(answer(&runtime, &last, "ls"), only_stdout(expected));
    assert_eq!(answer(&runtime, &TestAdapter::default(), "ls"), only_stdout("context: text\n"));
}
