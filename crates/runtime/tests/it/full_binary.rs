//! The full binary runs hooks that the small one cannot run; if it is missing, they fail with a notice.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tenter_contract::ports::{FullBinary, HookExecutor};
use tenter_contract::{Cache, Event, Handler, HookReport, HookSpec, Pattern};
use tenter_runtime::Runtime;
use tenter_runtime::kit::MemoryReplies;

use crate::kit::{TestAdapter, Trail, answer, guard, hook, inject, runtime};

/// A full binary whose `exec` always returns, because a test cannot be replaced.
#[derive(Clone, Default)]
struct Gone {
    asked: Arc<Mutex<Vec<String>>>,
    trail: Arc<Trail>,
}

impl FullBinary for Gone {
    fn exec(&self, payload: &[u8]) {
        assert_eq!(self.trail.records().len(), 0, "something was recorded before");
        self.asked.lock().unwrap().push(String::from_utf8(payload.to_vec()).unwrap());
    }

    fn unavailable_reason(&self) -> String {
        "it is not there".to_owned()
    }
}

/// Runs hooks of one kind.
struct Only(&'static str);

impl HookExecutor for Only {
    fn runs(&self, hook: &HookSpec) -> bool {
        hook.handler.kind() == self.0
    }

    fn run(&self, _: &HookSpec, _: &Event) -> HookReport {
        inject("it ran")
    }
}

/// A hook of a kind that the build runs.
fn small(name: &str) -> HookSpec {
    HookSpec { handler: Handler::Script(String::new()), ..hook(name) }
}

fn small_build(hooks: Vec<HookSpec>) -> (Runtime, Gone) {
    let gone = Gone::default();
    let executors: Vec<Box<dyn HookExecutor>> = vec![Box::new(Only("script"))];
    let full_binary: Option<Box<dyn FullBinary>> = Some(Box::new(gone.clone()));
    (
        {
            let mut runtime = runtime(hooks, &gone.trail, |_, _| unreachable!());
            runtime.runner.executors = executors;
            runtime.catalog.full_binary = full_binary;
            runtime
        },
        gone,
    )
}

#[test]
fn capable_build_stays() {
    let (runtime, gone) = small_build(vec![small("a"), small("b")]);
    answer(&runtime, &TestAdapter::default(), "ls");
    assert_eq!(gone.asked.lock().unwrap().len(), 0);
}

#[test]
fn full_binary_gets_the_payload() {
    let (runtime, gone) = small_build(vec![small("a"), hook("b")]);
    answer(&runtime, &TestAdapter::default(), "make  all\n");
    assert_eq!(*gone.asked.lock().unwrap(), ["make  all\n"]);
}

#[test]
fn possible_rewrite_needs_the_full_binary() {
    let mut later = hook("later");
    later.when.agent = vec![Pattern::parse("another").unwrap()];
    let (runtime, gone) = small_build(vec![small("rewriter"), later.clone()]);
    answer(&runtime, &TestAdapter::default(), "ls");
    assert_eq!(gone.asked.lock().unwrap().len(), 1);

    let (runtime, gone) = small_build(vec![later]);
    answer(&runtime, &TestAdapter::default(), "ls");
    assert_eq!(gone.asked.lock().unwrap().len(), 0, "no hook is concerned, so nothing rewrites");
}

#[test]
fn cached_replies_need_no_full_binary() {
    let cache = Some(Cache { ttl: Duration::from_mins(1), key: Vec::new(), files: Vec::new() });
    let cached = HookSpec { cache, ..hook("cached") };
    let replies = Arc::new(MemoryReplies::default());
    let full = runtime(vec![cached.clone()], &Arc::new(Trail::default()), |_, _| inject("known"));
    let full = {
        let mut runtime = full;
        runtime.runner.replies = Box::new(Arc::clone(&replies));
        runtime
    };
    answer(&full, &TestAdapter::default(), "ls");
    for (hooks, command, handed_over) in [
        (vec![cached.clone()], "ls", 0),
        (vec![cached.clone()], "pwd", 1),
        (vec![small("may-rewrite"), cached.clone()], "ls", 1),
        (vec![cached, hook("unknown")], "ls", 1),
    ] {
        let (runtime, gone) = small_build(hooks);
        let runtime = {
            let mut runtime = runtime;
            runtime.runner.replies = Box::new(Arc::clone(&replies));
            runtime
        };
        let (_, output, _) = answer(&runtime, &TestAdapter::default(), command);
        assert_eq!(gone.asked.lock().unwrap().len(), handed_over, "{command}");
        assert!(handed_over == 1 || output == "context: known\n", "{output}");
    }
}

#[test]
fn missing_full_binary_fails_hooks() {
    let (runtime, _) = small_build(vec![small("a"), guard("b")]);
    let (_, output, _) = answer(&runtime, &TestAdapter::default(), "ls");
    assert!(output.starts_with("deny: Operation denied by b: "), "{output}");
    assert!(output.contains("it is not there"), "{output}");
}

/// Runs every hook, but needs the full binary for one event.
struct Better(Only);

impl HookExecutor for Better {
    fn runs(&self, hook: &HookSpec) -> bool {
        self.0.runs(hook)
    }

    fn runs_at(&self, hook: &HookSpec, event: &Event) -> bool {
        let command = event.tool.as_ref().and_then(|tool| tool.command.as_deref());
        self.runs(hook) && command != Some("pytest")
    }

    fn run(&self, hook: &HookSpec, event: &Event) -> HookReport {
        self.0.run(hook, event)
    }
}

#[test]
fn full_binary_gets_unsupported_events() {
    let (runtime, gone) = small_build(vec![small("a")]);
    let runtime = {
        let mut runtime = runtime;
        runtime.runner.executors = vec![Box::new(Better(Only("script")))];
        runtime
    };
    answer(&runtime, &TestAdapter::default(), "ls");
    assert_eq!(gone.asked.lock().unwrap().len(), 0);
    let (runtime, gone) = small_build(vec![small("a")]);
    let runtime = {
        let mut runtime = runtime;
        runtime.runner.executors = vec![Box::new(Better(Only("script")))];
        runtime
    };
    let (_, output, _) = answer(&runtime, &TestAdapter::default(), "pytest");
    assert_eq!(gone.asked.lock().unwrap().len(), 1);
    assert!(output.contains("it ran"), "{output}");
}
