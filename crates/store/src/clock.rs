//! The clock on the wall, and the age of files.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tenter_contract::Timestamp;

/// The time since the Unix epoch.
pub(crate) fn since_epoch() -> Duration {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

pub(crate) fn now() -> Timestamp {
    Timestamp::from_unix_ms(u64::try_from(since_epoch().as_millis()).unwrap_or(u64::MAX))
}

/// Whether a file was last changed at least this long ago; false if that is unknown.
pub(crate) fn is_older(path: &Path, age: Duration) -> bool {
    let changed = path.metadata().and_then(|found| found.modified());
    changed.is_ok_and(|at| at.elapsed().is_ok_and(|elapsed| elapsed >= age))
}
