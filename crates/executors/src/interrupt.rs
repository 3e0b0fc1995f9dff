//! Lets the user end hooks before their time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use tenter_contract::{Event, HookFailure, HookOutput, HookReport, HookSpec};

/// How often the flag is checked.
pub(crate) const CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// A flag that ends hooks while it is true, if there is one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interrupt(Option<Arc<AtomicBool>>);

impl Interrupt {
    pub(crate) fn new(stop: Arc<AtomicBool>) -> Self {
        Self(Some(stop))
    }

    pub(crate) fn flag(&self) -> Option<&AtomicBool> {
        self.0.as_deref()
    }

    /// Runs a hook that waits for a server. That wait cannot be ended, so it gets its own thread, which ends with the
    /// hook's time at the latest.
    pub(crate) fn run_interruptible(
        &self,
        hook: &HookSpec,
        event: &Event,
        run: impl FnOnce(&HookSpec, &Event) -> HookReport + Send + 'static,
    ) -> HookReport {
        let Some(stop) = self.flag() else { return run(hook, event) };
        let (hook, event) = (hook.clone(), event.clone());
        let (sender, receiver) = sync_channel(1);
        thread::spawn(move || drop(sender.send(run(&hook, &event))));
        loop {
            match receiver.recv_timeout(CHECK_INTERVAL) {
                Ok(report) => return report,
                Err(RecvTimeoutError::Timeout) if is_interrupted(Some(stop)) => {
                    return HookReport::new(HookOutput::Failure(HookFailure::stopped()));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let detail = "it panicked; this is a bug in tenter".to_owned();
                    return HookReport::new(HookOutput::Failure(HookFailure::Panicked { detail }));
                }
            }
        }
    }
}

/// Whether the user has interrupted the hook.
pub(crate) fn is_interrupted(stop: Option<&AtomicBool>) -> bool {
    stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
}
