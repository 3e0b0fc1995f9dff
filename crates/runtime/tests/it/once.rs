//! `once: session` is claimed before a hook runs, and given back if it fails.

use std::io::{Error, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use tenter_contract::ports::{Carried, ClaimOutcome, Delivery, Mark, SessionShelf, ShelfError, Wanted};
use tenter_contract::{HookSpec, Once, Session, SessionId, Timestamp};
use tenter_runtime::Runtime;

use crate::kit::{Parrot, Trail, answer, crash, hook, inject, runtime, said};

fn once(name: &str) -> HookSpec {
    HookSpec { once: Once::Session, ..hook(name) }
}

#[test]
fn a_claim_is_given_back_by_a_failed_run_and_kept_by_a_good_one() {
    let trail = Arc::new(Trail::default());
    let runs = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&runs);
    let runtime =
        runtime(vec![once("setup")], &trail, move |_, _| match counter.fetch_add(1, Ordering::SeqCst) {
            0 => crash(),
            1 => panic!("out of luck"),
            _ => inject("ready"),
        });
    let answers: Vec<String> = (0..5).map(|_| answer(&runtime, &Parrot::default(), "ls").1).collect();
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

/// A shelf on a disk that is gone.
pub(crate) struct NoShelf;

impl NoShelf {
    fn gone<T>() -> Result<T, ShelfError> {
        Err(ShelfError { path: "sessions".to_owned(), cause: Error::from(ErrorKind::NotFound) })
    }
}

impl SessionShelf for NoShelf {
    fn recall(&self, _: &SessionId) -> Result<Session, ShelfError> {
        Self::gone()
    }

    fn remember_project_root(&self, _: &SessionId, _: &str) -> Result<(), ShelfError> {
        Self::gone()
    }

    fn claim(&self, _: &SessionId, _: &str) -> Result<ClaimOutcome, ShelfError> {
        Self::gone()
    }

    fn release(&self, _: &SessionId, _: &str) -> Result<(), ShelfError> {
        Self::gone()
    }

    fn tally(&self, _: &SessionId, _: &str, _: Mark) -> Result<u64, ShelfError> {
        Self::gone()
    }

    fn keep_context(&self, _: &SessionId, _: &str) -> Result<String, ShelfError> {
        Self::gone()
    }

    fn carry(&self, _: &SessionId, _: &[Carried]) -> Result<(), ShelfError> {
        Self::gone()
    }

    fn take_carried(&self, _: &SessionId, _: Wanted, _: Timestamp) -> Result<Vec<Carried>, ShelfError> {
        Self::gone()
    }

    fn deliver(&self, _: &SessionId, _: &str, _: Instant) -> Result<Delivery, ShelfError> {
        Self::gone()
    }
}

#[test]
fn without_a_shelf_a_hook_runs_twice_rather_than_never_and_the_user_is_told_each_time() {
    let trail = Arc::new(Trail::default());
    let with_shelf = runtime(vec![once("setup")], &trail, |_, _| inject("ready"));
    let runtime = Runtime { sessions: Box::new(NoShelf), ..with_shelf };
    let unusable = "the session state `sessions` cannot be used: entity not found";
    let expected = format!(
        "context: ready\nmessage: setup: warning: it may run again in this session (once: session): {unusable}\ntenter: error: {unusable}\n"
    );
    for _ in 0..2 {
        assert_eq!(answer(&runtime, &Parrot::default(), "ls"), said(&expected));
    }
}
