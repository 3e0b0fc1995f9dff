//! Records changes to active hooks in the audit trail.

use tenter_contract::Diagnostics;
use tenter_contract::ports::AuditTrail;
use tenter_contract::{HookChange, RecordBody, Timestamp};
use tenter_store::TrailFile;
use tenter_store::audit::redact;

use crate::error::CliError;
use crate::places::state;
use crate::printer;

/// Records a change. The change itself is kept if the trail cannot be written; that is an error.
pub fn record(change: HookChange) -> Result<(), CliError> {
    let trail = TrailFile::new(&state()?).hiding(redact::secret_values(std::env::vars_os()));
    let mut diagnostics = Diagnostics::default();
    let appended = trail.append(&[RecordBody::Change { at: now(), change }], &mut diagnostics);
    for notice in diagnostics.take() {
        printer::warn(&notice.text);
    }
    appended.map(|_| ()).map_err(CliError::from)
}

/// The current time.
pub fn now() -> Timestamp {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    Timestamp::from_unix_ms(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
