//! Emits `user:notification` when the user's attention is wanted, so that hooks can notify the user elsewhere.

use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError, Weak};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tenter_contract::EventKind;
use tenter_coordinator::SessionCoordinator;

/// A question is open. The type is Claude Code's, so that its hooks work here.
pub(crate) const QUESTION: &str = "permission_prompt";
/// The agent is done and the user has not typed since.
pub(crate) const IDLE: &str = "idle_prompt";

/// Emits notifications in a session, once there is one.
#[derive(Clone, Default)]
pub(crate) struct Notifier(Arc<OnceLock<Weak<SessionCoordinator>>>);

impl Notifier {
    pub(crate) fn belongs_to(&self, session: &Arc<SessionCoordinator>) {
        // A session is opened once.
        let _ = self.0.set(Arc::downgrade(session));
    }

    /// Emits a notification on a thread of its own.
    pub(crate) fn during<T>(&self, kind: &str, message: &str, work: impl FnOnce() -> T) -> T {
        let Some(session) = self.0.get().and_then(Weak::upgrade) else { return work() };
        thread::scope(|scope| {
            scope.spawn(|| notify(&session, kind, message));
            work()
        })
    }
}

pub(crate) fn notify(session: &SessionCoordinator, kind: &str, message: &str) {
    let mut event = session.event(EventKind::UserNotification);
    event.source = Some(kind.to_owned());
    event.message = Some(message.to_owned());
    let path = |path: std::path::PathBuf| path.to_string_lossy().into_owned();
    event.cwd = std::env::current_dir().ok().map(path);
    event.project_root = tenter_host::trust::project::here().map(path);
    let _ = session.emit(event);
}

/// Emits a notification after idle time, until it is dropped.
pub(crate) struct IdleWatch {
    over: Arc<(Mutex<bool>, Condvar)>,
    thread: Option<JoinHandle<()>>,
}

impl IdleWatch {
    /// Starts the wait; a wait of zero never ends.
    pub(crate) fn begin(wait: Duration, session: Arc<SessionCoordinator>) -> Self {
        let over = Arc::new((Mutex::new(false), Condvar::new()));
        let its = Arc::clone(&over);
        let watch = move || {
            let (over, changed) = &*its;
            let over = over.lock().unwrap_or_else(PoisonError::into_inner);
            let waited = changed.wait_timeout_while(over, wait, |over| !*over);
            let (over, _) = waited.unwrap_or_else(PoisonError::into_inner);
            let is_over = *over;
            drop(over);
            if !is_over {
                notify(&session, IDLE, "The agent is done and waits for you.");
            }
        };
        let thread = (!wait.is_zero()).then(|| thread::spawn(watch));
        Self { over, thread }
    }
}

impl Drop for IdleWatch {
    fn drop(&mut self) {
        *self.over.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.over.1.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
