//! Context above the agent's limit: the beginning of each text, and the file with all of it.

use std::sync::Arc;

use tenter_contract::{
    Capabilities, ContextChannel, Degradation, Effect, HookOutput, HookReply, HookReport, HookSet, HookSpec,
    Injection, InjectionStatus, Limits, OverLimit, RecordBody, SessionId, Verdict,
};
use tenter_runtime::Runtime;
use tenter_runtime::kit::MemorySessions;

use crate::kit::{TestAdapter, Trail, answer, hook, inject, only_stdout, runtime};
use crate::once::NoSessionStore;

fn narrow() -> TestAdapter {
    let capabilities = Capabilities { context_limit: Some(210), ..Capabilities::EVERYTHING };
    TestAdapter { capabilities: Some(capabilities), ..TestAdapter::default() }
}

/// The output of a program without limits.
fn printed(text: &str) -> HookReport {
    let effects = vec![Effect::Inject(Injection::printed(text))];
    HookReport::new(HookOutput::Reply(HookReply { verdict: Verdict::Abstain, effects }))
}

fn chatty(trail: &Arc<Trail>) -> Runtime {
    runtime(vec![hook("short"), hook("long"), hook("longer")], trail, |hook: &HookSpec, _| {
        match hook.id.name.as_str() {
            "short" => inject("hello"),
            "long" => inject(&"a".repeat(100)),
            _ => inject(&"b".repeat(200)),
        }
    })
}

fn degraded(trail: &Trail) -> Vec<Degradation> {
    let RecordBody::Event(event) = trail.records().remove(0) else { panic!("no event") };
    event.outcome.degraded
}

#[test]
fn spilled_context_names_its_file() {
    let trail = Arc::new(Trail::default());
    let (_, stdout, _) = answer(&chatty(&trail), &narrow(), "ls");
    let expected = "context: Hook feedback:\n\nFrom short (5 bytes):\nhello\n\nFrom long (14 of 100 bytes):\naaaaaaaaaaaaaa\n\nFrom longer (14 of 200 bytes):\nbbbbbbbbbbbbbb\n\n… [33 of 305 bytes; the whole text is in memory/context-1.txt]\n";
    assert_eq!(stdout, expected);
    assert_eq!(
        degraded(&trail),
        [Degradation::Spilled { bytes: 305, path: "memory/context-1.txt".to_owned() }]
    );
}

#[test]
fn failed_spill_notifies() {
    let trail = Arc::new(Trail::default());
    let runtime = {
        let mut runtime = chatty(&trail);
        runtime.sessions.store = Box::new(NoSessionStore);
        runtime
    };
    let (_, stdout, _) = answer(&runtime, &narrow(), "ls");
    assert!(stdout.contains("of 305 bytes]\nmessage: tenter: error: the session state"), "{stdout}");
    assert!(stdout.contains("are more than this agent takes at once; it got the beginnings\n"), "{stdout}");
}

/// One text, above both limits: it is cut once, and all of it is in the file.
#[test]
fn spilled_text_is_cut_once() {
    for over_limit in OverLimit::ALL {
        let trail = Arc::new(Trail::default());
        let text = "x".repeat(900);
        let base = runtime(vec![hook("long")], &trail, move |_, _| printed(&text));
        let limits = Limits { injection_bytes: 240, over_limit, ..Limits::default() };
        let set = HookSet { limits, ..base.catalog.source.at(None).unwrap() };
        let sessions = MemorySessions::default();
        let kept = sessions.clone();
        let runtime = {
            let mut runtime = base;
            runtime.catalog.source = Box::new(set);
            runtime.sessions.store = Box::new(sessions);
            runtime
        };
        let (_, stdout, _) = answer(&runtime, &narrow(), "ls");
        let note = "\n\n… [145 of 900 bytes; the whole text is in memory/context-1.txt]";
        assert_eq!(stdout, format!("context: {}{note}\n", "x".repeat(145)), "{over_limit:?}");
        assert_eq!(kept.contexts(&SessionId::parse("s1").unwrap()), ["x".repeat(900)]);
        assert_eq!(
            degraded(&trail),
            [Degradation::Spilled { bytes: 900, path: "memory/context-1.txt".to_owned() }]
        );
        let RecordBody::Injection { entry, .. } = trail.records().remove(1) else { panic!("no text") };
        assert_eq!(
            (entry.status, entry.bytes, entry.injection.whole_bytes()),
            (InjectionStatus::Spilled, 145, 900)
        );
    }
}

/// Deferred text is cut on delivery, by the limit of that event.
#[test]
fn deferred_text_spills_on_delivery() {
    let trail = Arc::new(Trail::default());
    let base = runtime(vec![hook("long")], &trail, |_, event| {
        let first = event.tool.as_ref().unwrap().input["command"] == "one";
        if first { printed(&"x".repeat(900)) } else { inject("y") }
    });
    let limits = Limits { injection_bytes: 240, ..Limits::default() };
    let set = HookSet { limits, ..base.catalog.source.at(None).unwrap() };
    let sessions = MemorySessions::default();
    let kept = sessions.clone();
    let runtime = {
        let mut runtime = base;
        runtime.catalog.source = Box::new(set);
        runtime.sessions.store = Box::new(sessions);
        runtime
    };
    let without_context = Capabilities { context: ContextChannel::None, ..Capabilities::EVERYTHING };
    answer(&runtime, &TestAdapter { capabilities: Some(without_context), ..TestAdapter::default() }, "one");
    let (_, stdout, _) = answer(&runtime, &narrow(), "two");
    assert!(stdout.contains(" of 900 bytes):\nxxx"), "{stdout}");
    assert!(stdout.contains(" of 901 bytes; the whole text is in memory/context-1.txt]"), "{stdout}");
    let [file] = &kept.contexts(&SessionId::parse("s1").unwrap())[..] else { panic!("one file") };
    assert!(file.contains(&format!("From long (900 bytes):\n{}\n\nFrom long", "x".repeat(900))), "{file}");
}

#[test]
fn short_text_is_unchanged() {
    let trail = Arc::new(Trail::default());
    let text = "ä".repeat(210);
    let expected = format!("context: {text}\n");
    let runtime = runtime(vec![hook("one")], &trail, move |_, _| inject(&text));
    assert_eq!(answer(&runtime, &narrow(), "ls"), only_stdout(&expected));
    assert_eq!(degraded(&trail), []);
}
