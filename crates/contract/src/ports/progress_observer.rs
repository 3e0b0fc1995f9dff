//! Stop 3: somebody who watches while hooks run.

use crate::{Event, HookId};

/// Is told how far the hooks of an event have come. Several events may be under way at once.
///
/// Duties: be quick, and never write where an agent reads or draws.
pub trait ProgressObserver: Send + Sync {
    /// The hooks of an event are about to be asked: so many, as far as that is known beforehand. A hook that
    /// denies may spare others, and one that rewrites may bring others in.
    fn begins(&self, event: &Event, hooks: usize);

    /// One of them is asked now; others may be at the same time.
    fn started(&self, event: &Event, hook: &HookId);

    /// One of them has finished.
    fn finished(&self, event: &Event, hook: &HookId);

    /// No more of them will be asked.
    fn ends(&self, event: &Event);
}
