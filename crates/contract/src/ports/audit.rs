//! Stop 7: the append-only trail.

use std::fmt;

use crate::RecordBody;

/// Keeps records.
///
/// Duties: many processes append at once and no record is lost; each line carries the hash of the one
/// before; nothing that was written is ever changed.
pub trait AuditTrail: Send + Sync {
    /// Appends records, next to each other and in this order; returns the number of the first, or 0 if
    /// there are none, or if they were kept aside for the next writer, which a notice says.
    fn append(&self, records: &[RecordBody]) -> Result<u64, TrailError>;

    /// What the user must be told although the records were kept: that a damaged trail was set aside, or
    /// that a crash was put right. Each notice is given once.
    fn take_notices(&self) -> Vec<String> {
        Vec::new()
    }
}

impl<T: AuditTrail + ?Sized> AuditTrail for std::sync::Arc<T> {
    fn append(&self, records: &[RecordBody]) -> Result<u64, TrailError> {
        (**self).append(records)
    }

    fn take_notices(&self) -> Vec<String> {
        (**self).take_notices()
    }
}

/// What stands between a part of our own state and what the system says about it, so that whoever shows several of
/// them sees that they are one trouble.
pub const UNUSABLE: &str = " cannot be used: ";

/// Why a record could not be kept. The hooks still run and the user is told.
#[derive(Debug)]
pub enum TrailError {
    /// The folder or a file cannot be used.
    Unusable {
        /// Which.
        path: String,
        /// What the system says.
        cause: std::io::Error,
    },
    /// Other writers held the trail for too long.
    Busy {
        /// Which.
        path: String,
    },
    /// The trail does not look as its head file says; `tenter audit verify` names the first bad record.
    Damaged {
        /// Which.
        path: String,
        /// What is wrong.
        detail: String,
    },
}

impl fmt::Display for TrailError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unusable { path, cause } => write!(f, "the audit trail `{path}`{UNUSABLE}{cause}"),
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
