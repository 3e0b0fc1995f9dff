//! Reports the progress of hooks to a person at a terminal.

use tenter_contract::Event;
use tenter_kernel::matching::concerns;

use super::HookRunner;
use crate::ActiveHooks;

/// Reports the end of an event's hooks when it is dropped.
pub(crate) struct Progress<'a>(Option<(&'a HookRunner, Box<Event>)>);

impl HookRunner {
    /// Reports that the hooks of an event begin. Without an observer it costs nothing.
    pub(crate) fn report_progress(&self, event: &Event, hooks: &ActiveHooks) -> Progress<'_> {
        let Some(progress) = &self.progress else { return Progress(None) };
        progress.begins(event, hooks.for_event(event).filter(|hook| concerns(hook, event)).count());
        Progress(Some((self, Box::new(event.clone()))))
    }
}

impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if let Progress(Some((HookRunner { progress: Some(progress), .. }, event))) = self {
            progress.ends(event);
        }
    }
}
