//! The wish that it be over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that all its clones share. Whoever waits for a model looks at it at least every tenth of a second.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Nobody wants anything to stop yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Asks everybody who waits to stop.
    pub fn ask_to(&self) {
        self.0.store(true, Ordering::SeqCst);
    }

    /// Whether somebody has asked.
    pub fn is_asked(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}
