//! The registered hooks, in their order.

use std::sync::Arc;

use tenter_contract::{HookSpec, Limits};

/// The registered hooks, in the order in which they run: ascending priority, then layer, then the order of
/// registration.
///
/// Not a global, because one process can have several runtimes.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    entries: Vec<Entry>,
    next: u64,
    limits: Limits,
}

#[derive(Clone, Debug)]
struct Entry {
    handle: Handle,
    hook: Arc<HookSpec>,
}

/// Identifies a registration, to undo exactly that one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle(u64);

impl Registry {
    /// A registry of these hooks, registered in this order.
    pub fn new(hooks: impl IntoIterator<Item = impl Into<Arc<HookSpec>>>) -> Self {
        let mut registry = Self::default();
        for hook in hooks {
            registry.entries.push(Entry { handle: Handle(registry.next), hook: hook.into() });
            registry.next += 1;
        }
        // Stable, so hooks of equal rank keep the order of their files.
        registry.entries.sort_by_key(rank);
        registry
    }

    /// Sets how much the hooks may inject.
    #[must_use]
    pub fn within(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// How much its hooks may inject.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Adds a hook.
    pub fn register(&mut self, hook: HookSpec) -> Handle {
        let entry = Entry { handle: Handle(self.next), hook: Arc::new(hook) };
        self.next += 1;
        let handle = entry.handle;
        let place = self.entries.partition_point(|other| rank(other) <= rank(&entry));
        self.entries.insert(place, entry);
        handle
    }

    /// Removes exactly that registration; another hook of the same name stays.
    pub fn unregister(&mut self, handle: Handle) -> Option<Arc<HookSpec>> {
        let place = self.entries.iter().position(|entry| entry.handle == handle)?;
        Some(self.entries.remove(place).hook)
    }

    /// All hooks in the order in which they run.
    pub fn list(&self) -> impl Iterator<Item = (Handle, &Arc<HookSpec>)> {
        self.entries.iter().map(|entry| (entry.handle, &entry.hook))
    }

    /// The hook behind a handle.
    pub fn get(&self, handle: Handle) -> Option<&Arc<HookSpec>> {
        self.entries.iter().find(|entry| entry.handle == handle).map(|entry| &entry.hook)
    }

    /// The number of hooks.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no hooks.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

fn rank(entry: &Entry) -> (i32, tenter_contract::Layer) {
    (entry.hook.priority, entry.hook.id.layer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tenter_contract::{EventKind, Handler, HookId, Layer};

    fn hook(layer: Layer, name: &str, priority: i32) -> HookSpec {
        let mut hook = HookSpec::new(HookId::new(layer, name), EventKind::ToolPre, Handler::InProcess);
        hook.priority = priority;
        hook
    }

    fn names(registry: &Registry) -> Vec<String> {
        registry.list().map(|(_, hook)| hook.id.address()).collect()
    }

    #[test]
    fn order_is_priority_layer_position() {
        let hooks = [
            hook(Layer::Project, "p", 0),
            hook(Layer::User, "late", 10),
            hook(Layer::User, "first-in-file", 0),
            hook(Layer::User, "second-in-file", 0),
            hook(Layer::Managed, "m", 0),
            hook(Layer::Local, "negative", -5),
        ];
        let expected = [
            "local/negative",
            "managed/m",
            "user/first-in-file",
            "user/second-in-file",
            "project/p",
            "user/late",
        ];
        assert_eq!(names(&Registry::new(hooks.clone())), expected);
        let mut one_by_one = Registry::default();
        for hook in hooks {
            one_by_one.register(hook);
        }
        assert_eq!(names(&one_by_one), expected);
    }

    #[test]
    fn handle_removes_its_own_registration() {
        let mut registry = Registry::default();
        let first = registry.register(hook(Layer::User, "same", 0));
        let second = registry.register(hook(Layer::User, "same", 1));
        assert!(registry.unregister(first).is_some());
        assert!(registry.unregister(first).is_none());
        assert_eq!(registry.list().map(|(handle, _)| handle).collect::<Vec<_>>(), [second]);
    }
}
