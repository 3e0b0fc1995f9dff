//! A call that arrives more than once is judged once.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tenter_contract::SessionClaim;
use tenter_contract::SessionCounter;
use tenter_contract::ports::CallIdentity;
use tenter_contract::ports::{
    Acceptance, Approver, ClaimOutcome, CountOp, DedupLock, Deferred, DuplicateCheck, SessionStore,
    SharedDecision, StateError, Waiting, Wanted,
};
use tenter_contract::{
    ApprovalAnswer, ApprovalPrompt, ApprovalRequest, ApproverName, AskUser, Capabilities, ContextChannel,
    Effect, HookOutput, HookReply, HookReport, HookSpec, Injection, Level, Message, Policy, RecordBody,
    Session, SessionId, Timestamp, Verdict,
};
use tenter_runtime::{Approvers, Runtime};

use crate::kit::{TestAdapter, Trail, answer, guard, hook, inject, only_stdout, runtime};
use crate::once::NoSessionStore;

fn adapter() -> TestAdapter {
    TestAdapter { call_id: Some("call 1"), ..TestAdapter::default() }
}

fn wordy(verdict: Verdict) -> HookReport {
    let message = Message { text: "to you".to_owned(), level: Level::Info };
    let effects = vec![Effect::Inject(Injection::text("a word")), Effect::Notify(message)];
    HookReport::new(HookOutput::Reply(HookReply { verdict, effects }))
}

fn deny() -> HookReport {
    wordy(Verdict::Deny { reason: "no".to_owned() })
}

/// A runtime with one hook, and the number of its runs.
fn counted(
    hook: HookSpec,
    trail: &Arc<Trail>,
    run: impl Fn() -> HookReport + Send + Sync + 'static,
) -> (Runtime, Arc<AtomicUsize>) {
    let runs = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&runs);
    let runtime = runtime(vec![hook], trail, move |_, _| {
        counter.fetch_add(1, Ordering::SeqCst);
        run()
    });
    (runtime, runs)
}

fn firsts(trail: &Trail) -> Vec<Option<Timestamp>> {
    let first = |record: &RecordBody| match record {
        RecordBody::Event(event) => Some(event.outcome.delivered_first),
        _ => None,
    };
    trail.records().iter().filter_map(first).collect()
}

#[test]
fn repeated_request_gets_only_the_decision() {
    let trail = Arc::new(Trail::default());
    let (runtime, runs) = counted(hook("h"), &trail, deny);
    let first = "deny: Operation denied by h: no\ncontext: a word\nmessage: h: to you\n";
    assert_eq!(answer(&runtime, &adapter(), "ls"), only_stdout(first));
    assert_eq!(answer(&runtime, &adapter(), "ls"), only_stdout("deny: Operation denied by h: no\n"));
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    assert_eq!(firsts(&trail), [None, Some(Timestamp::default())]);
}

#[test]
fn other_calls_run_their_hooks() {
    let trail = Arc::new(Trail::default());
    let (runtime, runs) = counted(hook("h"), &trail, deny);
    for (adapter, command) in [
        (adapter(), "ls"),
        (adapter(), "ls -l"),
        (TestAdapter { call_id: Some("call 2"), ..TestAdapter::default() }, "ls"),
        (TestAdapter::default(), "ls"),
        (TestAdapter::default(), "ls"),
    ] {
        answer(&runtime, &adapter, command);
    }
    assert_eq!(runs.load(Ordering::SeqCst), 5);
}

#[test]
fn concurrent_requests_share_one_decision() {
    let trail = Arc::new(Trail::default());
    let (runtime, runs) = counted(hook("h"), &trail, deny);
    let answers = std::thread::scope(|scope| {
        let routes: Vec<_> = (0..8).map(|_| scope.spawn(|| answer(&runtime, &adapter(), "ls").1)).collect();
        routes.into_iter().map(|route| route.join().unwrap()).collect::<Vec<String>>()
    });
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    assert!(
        answers.iter().all(|answer| answer.starts_with("deny: Operation denied by h: no\n")),
        "{answers:?}"
    );
    assert_eq!(answers.iter().filter(|answer| answer.contains("a word")).count(), 1);
}

#[test]
fn repeated_request_takes_no_deferred_text() {
    let trail = Arc::new(Trail::default());
    let runtime = runtime(vec![hook("hint")], &trail, |_, _| inject("text"));
    let without_context = Capabilities { context: ContextChannel::None, ..Capabilities::EVERYTHING };
    assert_eq!(
        answer(&runtime, &TestAdapter { capabilities: Some(without_context), ..adapter() }, "ls"),
        only_stdout("")
    );
    assert_eq!(answer(&runtime, &adapter(), "ls"), only_stdout(""));
    let other = TestAdapter { call_id: Some("call 2"), ..TestAdapter::default() };
    assert_eq!(answer(&runtime, &other, "ls"), only_stdout("context: text\n"));
}

#[test]
fn broken_store_runs_hooks_and_notifies() {
    let trail = Arc::new(Trail::default());
    let (with_session_store, runs) = counted(hook("h"), &trail, deny);
    let runtime = {
        let mut runtime = with_session_store;
        runtime.sessions.store = Box::new(NoSessionStore);
        runtime
    };
    for _ in 0..2 {
        let (_, stdout, _) = answer(&runtime, &adapter(), "ls");
        assert!(stdout.starts_with("deny: Operation denied by h: no\n"), "{stdout}");
        assert!(stdout.contains("the session state `sessions` cannot be used"), "{stdout}");
    }
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

/// A session store with a fixed answer about duplicates.
struct Counter(fn() -> DuplicateCheck);

struct FullDisk;

impl DedupLock for FullDisk {
    fn publish(self: Box<Self>, _: &SharedDecision) -> Result<(), StateError> {
        let cause = std::io::Error::from(std::io::ErrorKind::StorageFull);
        Err(StateError { path: "calls".to_owned(), cause })
    }
}

impl SessionStore for Counter {
    fn recall(&self, _: &SessionId) -> Result<Session, StateError> {
        Ok(Session::default())
    }

    fn remember_project_root(&self, _: &SessionId, _: &str) -> Result<(), StateError> {
        Ok(())
    }

    fn claim(&self, _: Option<&SessionId>, _: &SessionClaim) -> Result<ClaimOutcome, StateError> {
        Ok(ClaimOutcome::Granted)
    }

    fn release(&self, _: Option<&SessionId>, _: &SessionClaim) -> Result<(), StateError> {
        Ok(())
    }

    fn count(&self, _: Option<&SessionId>, _: &SessionCounter, _: CountOp) -> Result<u64, StateError> {
        Ok(1)
    }

    fn keep_context(&self, _: Option<&SessionId>, _: &str) -> Result<String, StateError> {
        Ok(String::new())
    }

    fn defer(&self, _: &SessionId, _: &[Deferred]) -> Result<(), StateError> {
        Ok(())
    }

    fn take_deferred(&self, _: &SessionId, _: Wanted, _: Timestamp) -> Result<Vec<Deferred>, StateError> {
        Ok(Vec::new())
    }

    fn check_duplicate(
        &self,
        _: &SessionId,
        _: &CallIdentity,
        until: Instant,
    ) -> Result<DuplicateCheck, StateError> {
        assert!(
            until > Instant::now() + Duration::from_mins(5),
            "without a time of the agent there is enough"
        );
        Ok((self.0)())
    }
}

#[test]
fn lost_shared_decision_notifies() {
    let trail = Arc::new(Trail::default());
    let (with_session_store, _) = counted(hook("h"), &trail, deny);
    let runtime = {
        let mut runtime = with_session_store;
        runtime.sessions.store = Box::new(Counter(|| DuplicateCheck::First(Box::new(FullDisk))));
        runtime
    };
    let (_, stdout, _) = answer(&runtime, &adapter(), "ls");
    assert!(stdout.starts_with("deny: Operation denied by h: no\n"), "{stdout}");
    assert!(stdout.contains("the session state `calls` cannot be used"), "{stdout}");
}

#[test]
fn unsettled_call_still_runs_guards() {
    let trail = Arc::new(Trail::default());
    let (with_session_store, runs) = counted(guard("h"), &trail, deny);
    let runtime = {
        let mut runtime = with_session_store;
        runtime.sessions.store = Box::new(Counter(|| DuplicateCheck::Unsettled));
        runtime
    };
    assert!(answer(&runtime, &adapter(), "ls").1.starts_with("deny: "));
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

/// An approver that panics at its first request.
struct FallsOver(AtomicUsize);

impl Approver for FallsOver {
    fn name(&self) -> &'static str {
        "falls over"
    }

    fn takes(&self, _: &ApprovalRequest, _: Option<&ApproverName>) -> Acceptance {
        Acceptance::Yes
    }

    fn ask(&self, _: &ApprovalRequest, _: Option<&ApproverName>, _: &dyn Waiting) -> ApprovalAnswer {
        assert!(self.0.fetch_add(1, Ordering::SeqCst) > 0, "the approver fell over");
        ApprovalAnswer::Denied { option: "Deny".to_owned() }
    }
}

/// A panic in the first request must neither block the second nor leave it without a verdict.
#[test]
fn panic_frees_the_dedup_lock() {
    let trail = Arc::new(Trail::default());
    let ask = || {
        let query = ApprovalPrompt {
            prompt: "?".to_owned(),
            options: Vec::new(),
            timeout: None,
            default: Policy::Deny,
        };
        wordy(Verdict::Ask(query))
    };
    let (with_no_approver, runs) = counted(guard("h"), &trail, ask);
    let approver: Box<dyn Approver> = Box::new(FallsOver(AtomicUsize::new(0)));
    let approvers = Approvers { before_host: vec![approver], ..Approvers::default() };
    let runtime = {
        let mut runtime = with_no_approver;
        runtime.approvals.approvers = approvers;
        runtime
    };
    let mute = Capabilities { ask: AskUser::Never, ..Capabilities::EVERYTHING };
    let adapter = TestAdapter { capabilities: Some(mute), ..adapter() };
    assert_eq!(answer(&runtime, &adapter, "ls").0, 2);
    assert!(answer(&runtime, &adapter, "ls").1.starts_with("deny: User denied: ?\n"));
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}
