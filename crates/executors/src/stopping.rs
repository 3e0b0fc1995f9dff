//! The wish of somebody in front of the agent that hooks end before their time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use tenter_contract::{Event, HookFailure, HookReport, HookSpec, Said};

/// How often we look.
pub(crate) const LOOK: Duration = Duration::from_millis(50);

/// Whether anybody can have such a wish, and has it now.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stopping(Option<Arc<AtomicBool>>);

impl Stopping {
    /// They end as long as this is true.
    pub(crate) fn by(stop: Arc<AtomicBool>) -> Self {
        Self(Some(stop))
    }

    /// What says so, if anybody can.
    pub(crate) fn flag(&self) -> Option<&AtomicBool> {
        self.0.as_deref()
    }

    /// Runs a hook that waits for a server. Nobody can end that, so it is left: it has a thread of its own, which ends
    /// with the hook's time at the latest.
    pub(crate) fn leaves(
        &self,
        hook: &HookSpec,
        event: &Event,
        run: impl FnOnce(&HookSpec, &Event) -> HookReport + Send + 'static,
    ) -> HookReport {
        let Some(stop) = self.flag() else { return run(hook, event) };
        let (hook, event) = (hook.clone(), event.clone());
        let (give, take) = sync_channel(1);
        thread::spawn(move || drop(give.send(run(&hook, &event))));
        loop {
            match take.recv_timeout(LOOK) {
                Ok(report) => return report,
                Err(RecvTimeoutError::Timeout) if is_asked(Some(stop)) => {
                    return HookReport::of(Said::Failure(HookFailure::stopped()));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let detail = "it broke; this is a mistake of tenter".to_owned();
                    return HookReport::of(Said::Failure(HookFailure::Panicked { detail }));
                }
            }
        }
    }
}

/// Whether somebody wants a hook to end.
pub(crate) fn is_asked(stop: Option<&AtomicBool>) -> bool {
    stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
}
