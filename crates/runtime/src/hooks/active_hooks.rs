//! The hooks that are active where an event happened.

use std::path::Path;
use std::sync::Arc;

use tenter_contract::ports::{FactFinder, FullBinary, HookSource};
use tenter_contract::{ApproverName, Event, HookSet, HookSpec, Level, Message};
use tenter_kernel::{Registry, active_hooks};

/// Knows which hooks are active.
pub struct HookCatalog {
    /// Where the hooks come from.
    pub source: Box<dyn HookSource>,
    /// Facts about the place of an event that conditions of hooks need.
    pub facts: Arc<dyn FactFinder>,
    /// The program that reads and runs what this build cannot, if this is the small one.
    pub full_binary: Option<Box<dyn FullBinary>>,
    /// Whether a folder is the user's home, or around it.
    pub is_home: fn(&Path) -> bool,
    /// The folder in which the agent started this process, for payloads that name none.
    pub working_folder: fn() -> Option<String>,
}

/// The hooks for one event.
#[derive(Clone, Debug, Default)]
pub struct ActiveHooks {
    /// The hooks.
    pub registry: Registry,
    /// The approver for questions that no other approver takes.
    pub approver: Option<ApproverName>,
    /// Problems in the hook files. A hook that is off is reported.
    pub problems: Vec<Message>,
    /// Files whose last good version is active in place of the one on disk.
    pub stale_files: Vec<Message>,
    /// Guards that valid changes of files have removed.
    pub lost_guards: Vec<Message>,
}

impl ActiveHooks {
    fn new(mut set: HookSet, event: &Event) -> Self {
        let problems = std::mem::take(&mut set.problems);
        let stale_files = std::mem::take(&mut set.stale_files);
        let lost_guards = std::mem::take(&mut set.lost_guards);
        let (approver, limits) = (set.approver.take(), set.limits);
        let registry = Registry::new(active_hooks(set, event)).within(limits);
        Self { registry, approver, problems, stale_files, lost_guards }
    }

    /// The hooks at events of this kind, in order.
    pub(crate) fn for_event<'s>(&'s self, event: &Event) -> impl Iterator<Item = &'s HookSpec> + use<'s> {
        let kind = event.kind.clone();
        self.registry.list().map(|(_, hook)| &**hook).filter(move |hook| hook.event == kind)
    }
}

impl HookCatalog {
    /// The hooks for an event. If this build cannot read their files, the process becomes the full binary, if there is
    /// one.
    pub(crate) fn hooks_for(&self, event: &mut Event, payload: &[u8]) -> ActiveHooks {
        let set = self.source.at(Some(event)).unwrap_or_else(|| self.last_known_hooks(Some(event), payload));
        self.with_facts(set, event)
    }

    /// The same for a program that needs no full binary.
    pub(crate) fn hooks_for_host(&self, event: &mut Event) -> ActiveHooks {
        self.with_facts(self.source.last_known(Some(event)), event)
    }

    /// The hooks for a payload that cannot be decoded.
    pub(crate) fn hooks_anywhere(&self, payload: &[u8]) -> Vec<Arc<HookSpec>> {
        self.source.at(None).unwrap_or_else(|| self.last_known_hooks(None, payload)).hooks
    }

    fn with_facts(&self, set: HookSet, event: &mut Event) -> ActiveHooks {
        let hooks = ActiveHooks::new(set, event);
        self.gather_facts(hooks.for_event(event), event);
        hooks
    }

    fn last_known_hooks(&self, event: Option<&Event>, payload: &[u8]) -> HookSet {
        let Some(full_binary) = &self.full_binary else { return self.source.last_known(event) };
        full_binary.exec(payload);
        let text = format!(
            "error: your hook files have changed, and this build cannot read them: {}\nhint: install `tenter` and `tenter-hook` into one folder",
            full_binary.unavailable_reason()
        );
        self.source.last_known(event).with_problem(Message { text, level: Level::Error })
    }
}
