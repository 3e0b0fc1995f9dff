//! Facts about the place of an event that conditions of hooks need. They become part of the event, so that the kernel
//! does no I/O. Without such a condition nothing is read.

use std::sync::Arc;

use tenter_contract::{Event, Facts, HookSpec, PathQuery, Pattern, WantedFacts};
use tenter_kernel::matching::may_concern;

use super::HookCatalog;

impl HookCatalog {
    /// Adds the facts that these hooks ask for.
    pub fn gather_facts<'h>(&self, hooks: impl Iterator<Item = &'h HookSpec>, event: &mut Event) {
        let facts = self.facts_of(hooks, event);
        event.facts = facts;
    }

    /// The facts that these hooks ask for.
    pub(crate) fn facts_of<'h>(&self, hooks: impl Iterator<Item = &'h HookSpec>, event: &Event) -> Facts {
        let mut wanted = WantedFacts::default();
        let mut patterns: Vec<&Pattern> = Vec::new();
        let has_input = event.tool.as_ref().is_some_and(|tool| !tool.input.is_empty());
        let (mut by_path, mut by_folder) = (false, false);
        for hook in hooks {
            hook.when.want(&mut wanted);
            by_folder |= !hook.when.cwd.is_empty() && may_concern(hook, event);
            if has_input && asks_about_paths(hook) && may_concern(hook, event) {
                by_path = true;
                patterns.extend(&hook.when.path);
            }
        }
        wanted.paths = by_path.then(|| PathQuery::new(event, patterns.into_iter()));
        wanted.folders = by_folder.then(|| PathQuery::for_folders(event));
        if wanted.is_empty() { Facts::default() } else { self.facts.find(&wanted, place(event)) }
    }

    /// The event with the names of its paths: for grants, which compare them.
    #[inline(never)]
    pub(crate) fn with_paths(&self, event: &Arc<Event>) -> Arc<Event> {
        if !event.facts.paths.is_empty() || event.tool.is_none() {
            return Arc::clone(event);
        }
        let paths = Some(PathQuery::new(event, std::iter::empty()));
        let found = self.facts.find(&WantedFacts { paths, ..WantedFacts::default() }, place(event));
        let mut event = Arc::clone(event);
        Arc::make_mut(&mut event).facts.paths = found.paths;
        event
    }
}

fn place(event: &Event) -> Option<&str> {
    event.project_root.as_deref().or(event.cwd.as_deref())
}

/// Whether a hook has a condition about paths, or keeps answers that may depend on what lies at one.
fn asks_about_paths(hook: &HookSpec) -> bool {
    !hook.when.path.is_empty() || hook.cache.is_some() || hook.handler.takes_one_path()
}
