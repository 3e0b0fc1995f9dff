//! `once: session` is claimed before a hook runs, and released if it fails.

use std::io::{Error, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use tenter_contract::SessionClaim;
use tenter_contract::SessionCounter;
use tenter_contract::ports::CallIdentity;
use tenter_contract::ports::{
    ClaimOutcome, CountOp, Deferred, DuplicateCheck, SessionStore, StateError, Wanted,
};
use tenter_contract::{HookSpec, Once, Session, SessionId, Timestamp};

use crate::kit::{TestAdapter, Trail, answer, crash, hook, inject, only_stdout, runtime};

fn once(name: &str) -> HookSpec {
    HookSpec { once: Once::Session, ..hook(name) }
}

#[test]
fn failed_run_releases_its_claim() {
    let trail = Arc::new(Trail::default());
    let runs = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&runs);
    let runtime =
        runtime(vec![once("setup")], &trail, move |_, _| match counter.fetch_add(1, Ordering::SeqCst) {
            0 => crash(),
            1 => panic!("out of luck"),
            _ => inject("ready"),
        });
    let answers: Vec<String> = (0..5).map(|_| answer(&runtime, &TestAdapter::default(), "ls").1).collect();
    assert_eq!(
        answers,
        [
            "message: tenter: warning: hook `setup` failed with exit code 1; went on without it\n",
            "message: tenter: warning: hook `setup` hit a bug in tenter: out of luck; went on without it\n",
            "context: ready\n",
            "",
            "",
        ]
    );
    assert_eq!(runs.load(Ordering::SeqCst), 3);
}

/// A session store on a missing disk.
pub(crate) struct NoSessionStore;

impl NoSessionStore {
    fn gone<T>() -> Result<T, StateError> {
        Err(StateError { path: "sessions".to_owned(), cause: Error::from(ErrorKind::NotFound) })
    }
}

impl SessionStore for NoSessionStore {
    fn recall(&self, _: &SessionId) -> Result<Session, StateError> {
        Self::gone()
    }

    fn remember_project_root(&self, _: &SessionId, _: &str) -> Result<(), StateError> {
        Self::gone()
    }

    fn claim(&self, _: Option<&SessionId>, _: &SessionClaim) -> Result<ClaimOutcome, StateError> {
        Self::gone()
    }

    fn release(&self, _: Option<&SessionId>, _: &SessionClaim) -> Result<(), StateError> {
        Self::gone()
    }

    fn count(&self, _: Option<&SessionId>, _: &SessionCounter, _: CountOp) -> Result<u64, StateError> {
        Self::gone()
    }

    fn keep_context(&self, _: Option<&SessionId>, _: &str) -> Result<String, StateError> {
        Self::gone()
    }

    fn defer(&self, _: &SessionId, _: &[Deferred]) -> Result<(), StateError> {
        Self::gone()
    }

    fn take_deferred(&self, _: &SessionId, _: Wanted, _: Timestamp) -> Result<Vec<Deferred>, StateError> {
        Self::gone()
    }

    fn check_duplicate(
        &self,
        _: &SessionId,
        _: &CallIdentity,
        _: Instant,
    ) -> Result<DuplicateCheck, StateError> {
        Self::gone()
    }
}

#[test]
fn broken_store_runs_once_hooks_again() {
    let trail = Arc::new(Trail::default());
    let with_session_store = runtime(vec![once("setup")], &trail, |_, _| inject("ready"));
    let runtime = {
        let mut runtime = with_session_store;
        runtime.sessions.store = Box::new(NoSessionStore);
        runtime
    };
    let unusable = "the session state `sessions` cannot be used: entity not found";
    let expected = format!(
        "context: ready\nmessage: setup: warning: it may run again in this session (once: session): {unusable}\ntenter: error: {unusable}\n"
    );
    for _ in 0..2 {
        assert_eq!(answer(&runtime, &TestAdapter::default(), "ls"), only_stdout(&expected));
    }
}
