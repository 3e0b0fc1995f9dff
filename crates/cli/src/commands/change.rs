//! A person changed which hooks are in force: that goes into the trail like everything else.

use tenter_contract::ports::AuditTrail;
use tenter_contract::{HookChange, RecordBody, Timestamp};
use tenter_store::TrailFile;
use tenter_store::audit::redact;

use super::state;
use crate::error::CliError;
use crate::printer;

/// Records a change. If the trail cannot be written, the change stands, and that is told.
pub(super) fn record(change: HookChange) -> Result<(), CliError> {
    let trail = TrailFile::new(&state()?).hiding(redact::secret_values(std::env::vars_os()));
    let appended = trail.append(&[RecordBody::Change { at: now(), change }]);
    for notice in trail.take_notices() {
        printer::write_error(&format!("warning: {notice}\n"));
    }
    appended.map(|_| ()).map_err(CliError::Trail)
}

/// The time.
pub(super) fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_unix_ms(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
