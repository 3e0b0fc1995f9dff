//! Around stop 3: whoever watches is told when hooks begin and when no more will be asked.

use tenter_contract::Event;
use tenter_kernel::matching::concerns;

use crate::{InForce, Runtime};

/// An event whose hooks are watched. Dropped, it is over.
pub(crate) struct Watched<'a>(Option<(&'a Runtime, Box<Event>)>);

impl Runtime {
    /// To be held while the hooks of an event are asked. Where nobody watches, it costs nothing.
    pub(crate) fn watched(&self, event: &Event, hooks: &InForce) -> Watched<'_> {
        let Some(onlooker) = &self.onlooker else { return Watched(None) };
        onlooker.begins(event, hooks.of_kind(event).filter(|hook| concerns(hook, event)).count());
        Watched(Some((self, Box::new(event.clone()))))
    }
}

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        if let Watched(Some((Runtime { onlooker: Some(onlooker), .. }, event))) = self {
            onlooker.ends(event);
        }
    }
}
