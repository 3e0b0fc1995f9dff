//! Between stops 1 and 2: what the conditions of hooks ask of the place becomes part of the event, so that the
//! kernel can judge them without looking at anything itself. Where no hook asks, nobody looks.

use tenter_contract::{Event, HookSpec, WantedFacts};

use crate::Runtime;

impl Runtime {
    /// Adds the facts that these hooks ask for.
    pub fn look_around<'h>(&self, hooks: impl Iterator<Item = &'h HookSpec>, event: &mut Event) {
        let mut wanted = WantedFacts::default();
        for hook in hooks {
            hook.when.want(&mut wanted);
        }
        if !wanted.is_empty() {
            let place = event.project_root.as_deref().or(event.cwd.as_deref());
            event.facts = self.facts.find(&wanted, place);
        }
    }
}
