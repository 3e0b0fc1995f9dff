//! The append-only audit trail.

use std::fmt;

use crate::RecordBody;
use crate::notice::Diagnostics;

/// Keeps records.
///
/// Duties: many processes append at once and no record is lost; each line carries the hash of the one
/// before; nothing that was written is ever changed.
pub trait AuditTrail: Send + Sync {
    /// Appends records, next to each other and in this order. Returns the number of the first, or 0 if there are none
    /// or if they were spilled for the next writer. A trail that was repaired or quarantined adds a notice.
    fn append(&self, records: &[RecordBody], diagnostics: &mut Diagnostics) -> Result<u64, TrailError>;
}

impl<T: AuditTrail + ?Sized> AuditTrail for std::sync::Arc<T> {
    fn append(&self, records: &[RecordBody], diagnostics: &mut Diagnostics) -> Result<u64, TrailError> {
        (**self).append(records, diagnostics)
    }
}

/// Why a record could not be kept. The hooks still run and the user is notified.
#[derive(Debug)]
#[expect(missing_docs, reason = "the message of each variant shows its fields")]
pub enum TrailError {
    /// The folder or a file cannot be used.
    Unusable { path: String, cause: std::io::Error },
    /// Other writers held the trail for too long.
    Busy { path: String },
    /// The trail does not look as its head file says; `tenter audit verify` names the first bad record.
    Damaged { path: String, detail: String },
}

impl fmt::Display for TrailError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unusable { path, cause } => write!(f, "the audit trail `{path}` cannot be used: {cause}"),
            Self::Busy { path } => write!(f, "the audit trail `{path}` was locked by others for too long"),
            Self::Damaged { path, detail } => {
                write!(f, "the audit trail `{path}` is damaged ({detail}); run `tenter audit verify`")
            }
        }
    }
}

impl std::error::Error for TrailError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Unusable { cause, .. } => Some(cause),
            Self::Busy { .. } | Self::Damaged { .. } => None,
        }
    }
}
