//! The time.

use crate::Timestamp;

/// Tells the time. A port, so that scenarios run with a clock that stands still.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}
