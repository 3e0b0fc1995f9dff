//! The system's clock.

use std::time::{SystemTime, UNIX_EPOCH};

use tenter_contract::Timestamp;
use tenter_contract::ports::Clock;

/// The system's clock.
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp::from_unix_ms(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}
