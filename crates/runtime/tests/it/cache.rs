//! `cache`: an equal event has the cached reply, and no other event has it.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tenter_contract::{
    Cache, HookOutput, HookReply, HookReport, HookSpec, RecordBody, Template, Timestamp, Verdict,
};
use tenter_runtime::Runtime;
use tenter_runtime::kit::{MemoryReplies, StoppedClock};

use crate::kit::{TestAdapter, Trail, answer, crash, hook, runtime};

fn cached(key: &[&str]) -> HookSpec {
    let key = key.iter().map(|part| Template::parse(part).unwrap()).collect();
    HookSpec { cache: Some(Cache { ttl: Duration::from_mins(1), key, files: Vec::new() }), ..hook("policy") }
}

/// A runtime whose hook denies everything with a numbered reason, and its counter.
fn counting(hook: HookSpec, trail: &Arc<Trail>) -> (Runtime, Arc<AtomicUsize>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&runs);
    let runtime = runtime(vec![hook], trail, move |_, _| {
        let reason = format!("run {}", counter.fetch_add(1, Ordering::SeqCst) + 1);
        HookReport::new(HookOutput::Reply(HookReply {
            verdict: Verdict::Deny { reason },
            effects: Vec::new(),
        }))
    });
    (runtime, runs)
}

#[test]
fn cache_hit_is_recorded() {
    let trail = Arc::new(Trail::default());
    let (runtime, runs) = counting(cached(&[]), &trail);
    let parrots =
        [Some("1"), Some("2"), None].map(|call_id| TestAdapter { call_id, ..TestAdapter::default() });
    let answers: Vec<String> = parrots.iter().map(|adapter| answer(&runtime, adapter, "ls").1).collect();
    assert_eq!(answers, vec!["deny: Operation denied by policy: run 1\n"; 3]);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    let hits: Vec<bool> = trail
        .records()
        .iter()
        .filter_map(|record| match record {
            RecordBody::Event(event) => Some(event.outcome.runs[0].transcript.cached),
            _ => None,
        })
        .collect();
    assert_eq!(hits, [false, true, true]);
}

#[test]
fn cache_misses_other_inputs() {
    let trail = Arc::new(Trail::default());
    let replies = Arc::new(MemoryReplies::default());
    let ask = |hook: HookSpec, command: &str, unix_ms: u64| {
        let (runtime, runs) = counting(hook, &trail);
        let clock = Arc::new(StoppedClock(Timestamp::from_unix_ms(unix_ms)));
        let runtime = {
            let mut runtime = runtime;
            runtime.runner.replies = Box::new(Arc::clone(&replies));
            runtime.clock = clock;
            runtime
        };
        answer(&runtime, &TestAdapter::default(), command);
        runs.load(Ordering::SeqCst)
    };
    assert_eq!(ask(cached(&[]), "ls", 0), 1);
    assert_eq!(ask(cached(&[]), "ls", 59_999), 0);
    assert_eq!(ask(cached(&[]), "ls -l", 0), 1);
    assert_eq!(ask(HookSpec { max_output: 7, ..cached(&[]) }, "ls", 0), 1);
    assert_eq!(ask(cached(&[]), "ls", 60_000), 1);
}

#[test]
fn cache_key_narrows_the_event() {
    let trail = Arc::new(Trail::default());
    let (runtime, runs) = counting(cached(&["{tool.name}"]), &trail);
    for command in ["ls", "pwd"] {
        answer(&runtime, &TestAdapter::default(), command);
    }
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    let (runtime, runs) = counting(cached(&["{tool.path}"]), &trail);
    for command in ["ls", "pwd"] {
        answer(&runtime, &TestAdapter::default(), command);
    }
    assert_eq!(runs.load(Ordering::SeqCst), 2, "a missing file prevents caching");
}

#[test]
fn failure_is_not_cached() {
    let trail = Arc::new(Trail::default());
    let runs = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&runs);
    let runtime = runtime(vec![cached(&[])], &trail, move |_, _| {
        counter.fetch_add(1, Ordering::SeqCst);
        crash()
    });
    for _ in 0..3 {
        answer(&runtime, &TestAdapter::default(), "ls");
    }
    assert_eq!(runs.load(Ordering::SeqCst), 3);
}
