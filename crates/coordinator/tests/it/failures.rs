//! After any failure, the session goes on and the user is notified.

use std::time::Duration;

use tenter_contract::Diagnostics;
use tenter_contract::ports::TrailError;
use tenter_contract::{EventKind, HookOutput, OnFailure, Policy};
use tenter_coordinator::{
    AuditTrail, ContextMessage, ContextStore, HookReply, HookSpec, Level, RecordBody, Rejected, Shown,
    StoreError, UserDisplay, in_process,
};

use crate::kit::{test_session, test_session_with};

/// A store that keeps nothing.
struct Broken {
    panics: bool,
}

impl ContextStore for Broken {
    fn add(&self, _: ContextMessage) -> Result<(), StoreError> {
        assert!(!self.panics, "the store fell over");
        Err(StoreError::new("the database is locked"))
    }

    fn messages(&self) -> Vec<ContextMessage> {
        Vec::new()
    }
}

#[test]
fn failing_store_marks_messages() {
    for (panics, why) in [(false, "the database is locked"), (true, "it panicked: the store fell over")] {
        let test = test_session_with(|builder| builder.context(Broken { panics }));
        let reply = HookReply::default().inject("Line 42").notify(Level::Warning, "Found linting issues");
        test.register_reply(EventKind::ToolPost, "linter", reply);
        test.register_reply(EventKind::ToolPost, "other", HookReply::default().notify(Level::Info, "fine"));
        let emitted = test.session.emit(test.write(EventKind::ToolPost, "a")).unwrap();
        assert!(
            matches!(&emitted.rejected[..], [Rejected::NotKept { bytes: 7, why: reason, .. }] if reason == why)
        );
        assert_eq!(emitted.rejected[0].to_string(), format!("Context injection of 7 bytes failed: {why}"));
        assert!(emitted.placed.is_empty());
        assert_eq!(
            test.shown(),
            [
                "[hook:linter] error: Found linting issues (injection failed)".to_owned(),
                "[hook:other] info: fine".to_owned(),
                format!(
                    "[tenter] warning: 7 bytes of context from linter could not be put into the context: {why}"
                ),
            ]
        );
        let injections = test.trail.records();
        assert!(!injections.iter().any(|record| matches!(record, RecordBody::Injection { .. })));
    }
}

#[test]
fn failing_store_keeps_the_deny() {
    let test = test_session_with(|builder| builder.context(Broken { panics: false }));
    test.register_reply(EventKind::ToolPre, "guard", HookReply::deny("no").inject("because"));
    let denied = test.session.emit(test.write(EventKind::ToolPre, "a")).unwrap_err();
    assert_eq!(denied.to_string(), "Operation denied by guard: no");
    assert_eq!(denied.emitted.rejected.len(), 1);
}

#[test]
fn panicking_hook_notifies() {
    let test = test_session();
    test.session.register(EventKind::ToolPost, "broken", 0, |_| panic!("boom")).unwrap();
    test.register_reply(EventKind::ToolPost, "next", HookReply::default().inject("still injected"));
    let emitted = test.session.emit(test.write(EventKind::ToolPost, "a")).unwrap();
    assert!(matches!(emitted.outcome.runs[0].output, HookOutput::Failure(_)));
    assert_eq!(test.conversation(), [("system", "still injected".to_owned())]);
    assert_eq!(
        test.shown(),
        ["[tenter] warning: hook `broken` failed: it panicked: boom; went on without it"]
    );
    assert!(test.trail.records().iter().any(|record| matches!(record, RecordBody::Failure { .. })));
}

#[test]
fn panicking_guard_denies() {
    let test = test_session();
    let hook =
        HookSpec { on_failure: OnFailure::always(Policy::Deny), ..in_process(EventKind::ToolPre, "guard") };
    test.session.register_hook(hook, |_| panic!("boom")).unwrap();
    let denied = test.session.emit(test.write(EventKind::ToolPre, "a")).unwrap_err();
    assert_eq!(
        denied.to_string(),
        "Operation denied by guard: the hook failed: it panicked: boom, and its `on_failure` says deny"
    );
}

#[test]
fn hanging_hook_times_out() {
    let test = test_session();
    let hook = HookSpec { timeout: Duration::from_millis(20), ..in_process(EventKind::ToolPost, "hangs") };
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = std::sync::Mutex::new(held);
    let hang = move |_: &tenter_contract::Event| {
        let _ = held.lock().unwrap().recv();
        HookReply::deny("too late")
    };
    test.session.register_timed(hook, hang).unwrap();
    let emitted = test.session.emit(test.write(EventKind::ToolPost, "a")).unwrap();
    let HookOutput::Failure(failure) = &emitted.outcome.runs[0].output else {
        panic!("{:?}", emitted.outcome.runs)
    };
    assert_eq!(failure.to_string(), "timed out after 0.0 s");
    drop(release);
}

#[test]
fn timed_hook_returns_in_time() {
    let test = test_session();
    let hook = in_process(EventKind::ToolPost, "quick");
    test.session.register_timed(hook, |_| HookReply::default().inject("in time")).unwrap();
    test.session.emit(test.write(EventKind::ToolPost, "a")).unwrap();
    assert_eq!(test.conversation(), [("system", "in time".to_owned())]);
}

/// A display that panics.
struct Dark;

impl UserDisplay for Dark {
    fn show(&self, _: &Shown) {
        panic!("no terminal");
    }
}

#[test]
fn panicking_display_breaks_nothing() {
    let test = test_session_with(|builder| builder.display(Dark));
    let reply = HookReply::default().inject("kept").notify(Level::Info, "unseen");
    test.register_reply(EventKind::ToolPost, "linter", reply);
    let emitted = test.session.emit(test.write(EventKind::ToolPost, "a")).unwrap();
    assert_eq!(emitted.shown.len(), 1);
    assert_eq!(test.conversation(), [("system", "kept".to_owned())]);
}

/// A trail on a full disk.
struct Full;

impl AuditTrail for Full {
    fn append(&self, _: &[RecordBody], _: &mut Diagnostics) -> Result<u64, TrailError> {
        Err(TrailError::Busy { path: "trail.jsonl".to_owned() })
    }
}

#[test]
fn lost_record_notifies() {
    let test = test_session_with(|builder| builder.trail(Full));
    test.register_reply(EventKind::ToolPost, "linter", HookReply::default().inject("kept"));
    let emitted = test.session.emit(test.write(EventKind::ToolPost, "a")).unwrap();
    assert_eq!(emitted.seq, None);
    assert_eq!(test.conversation(), [("system", "kept".to_owned())]);
    assert_eq!(
        test.shown(),
        [
            "[tenter] error: this event is not in the audit trail, and later ones may not be: the audit trail `trail.jsonl` was locked by others for too long"
        ]
    );
}

#[test]
fn full_trail_notifies_once() {
    let test = test_session_with(|builder| builder.trail(Full));
    test.session.register(EventKind::ToolPost, "flaky", 0, |_| panic!("oh no")).unwrap();
    for path in ["a", "b", "c"] {
        test.session.emit(test.write(EventKind::ToolPost, path)).unwrap();
    }
    let shown = test.shown();
    let count = |part: &str| shown.iter().filter(|line| line.contains(part)).count();
    assert_eq!((count("not in the audit trail"), count("flaky")), (1, 3), "{shown:#?}");
}

/// State on a full disk: every part fails.
struct Nowhere(std::sync::atomic::AtomicUsize);

impl AuditTrail for Nowhere {
    fn append(&self, _: &[RecordBody], _: &mut Diagnostics) -> Result<u64, TrailError> {
        let part = self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let cause = std::io::ErrorKind::StorageFull.into();
        Err(TrailError::Unusable { path: format!("state/{part}"), cause })
    }
}

#[test]
fn one_storage_error_is_shown_once() {
    let test = test_session_with(|builder| builder.trail(Nowhere(0.into())));
    for path in ["a", "b", "c"] {
        test.session.emit(test.write(EventKind::ToolPost, path)).unwrap();
    }
    assert_eq!(
        test.shown(),
        [
            "[tenter] error: this event is not in the audit trail, and later ones may not be: the audit trail `state/0` cannot be used: no storage space"
        ]
    );
}
