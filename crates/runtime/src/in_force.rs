//! Between stops 1 and 2: the hooks that are in force where the event happened.

use std::sync::Arc;

use tenter_contract::{Event, HookSet, HookSpec, Level, Message, NamedDesk};
use tenter_kernel::{Registry, in_force};

use crate::Runtime;

/// The hooks of an event's place and agent.
#[derive(Clone, Debug, Default)]
pub struct InForce {
    /// Which hooks exist.
    pub registry: Registry,
    /// Where questions go that nobody else takes.
    pub desk: Option<NamedDesk>,
    /// What is wrong with the hook files: hooks that are off are never off in silence.
    pub problems: Vec<Message>,
    /// Files whose last good version is in force in place of the one on disk.
    pub stale_files: Vec<Message>,
    /// Guards that valid changes of files have removed.
    pub lost_guards: Vec<Message>,
}

impl InForce {
    fn of(mut set: HookSet, event: &Event) -> Self {
        let problems = std::mem::take(&mut set.problems);
        let stale_files = std::mem::take(&mut set.stale_files);
        let lost_guards = std::mem::take(&mut set.lost_guards);
        let (desk, limits) = (set.desk.take(), set.limits);
        Self {
            registry: Registry::of(in_force(set, event)).within(limits),
            desk,
            problems,
            stale_files,
            lost_guards,
        }
    }

    /// Those that are asked about events of this kind, in order.
    pub(crate) fn of_kind<'s>(&'s self, event: &Event) -> impl Iterator<Item = &'s HookSpec> + use<'s> {
        let kind = event.kind.clone();
        self.registry.list().map(|(_, hook)| &**hook).filter(move |hook| hook.event == kind)
    }
}

impl Runtime {
    /// The hooks for an event. If this build cannot read their files, or cannot run one of them, the process
    /// becomes the fuller build here, before anything has happened; it goes on only where there is none.
    pub(crate) fn hooks_for(&self, event: &mut Event, payload: &[u8]) -> InForce {
        let set = self.hooks.at(Some(event)).unwrap_or_else(|| self.unread(Some(event), payload));
        let hooks = InForce::of(set, event);
        self.look_around(hooks.of_kind(event), event);
        self.hand_over(&hooks, event, payload);
        hooks
    }

    /// The hooks for a payload of which nobody knows where it belongs.
    pub(crate) fn hooks_anywhere(&self, payload: &[u8]) -> Vec<Arc<HookSpec>> {
        self.hooks.at(None).unwrap_or_else(|| self.unread(None, payload)).hooks
    }

    /// The same for a program that reads and runs everything itself.
    pub(crate) fn hooks_of_host(&self, event: &mut Event) -> InForce {
        let hooks = InForce::of(self.hooks.last_known(Some(event)), event);
        self.look_around(hooks.of_kind(event), event);
        hooks
    }

    fn unread(&self, event: Option<&Event>, payload: &[u8]) -> HookSet {
        let Some(fuller) = &self.fuller else { return self.hooks.last_known(event) };
        fuller.take_over(payload);
        let text = format!(
            "error: your hook files were changed, and what they say now is not known: {}\nhint: install `tenter` and `tenter-hook` into one folder",
            fuller.why_not()
        );
        self.hooks.last_known(event).with_problem(Message { text, level: Level::Error })
    }
}
