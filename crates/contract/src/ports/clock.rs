//! The time.

use crate::Timestamp;

/// Returns the time. A port, so that scenarios can use a fixed clock.
pub trait Clock: Send + Sync {
    /// Now.
    fn now(&self) -> Timestamp;
}
