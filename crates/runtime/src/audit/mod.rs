//! The audit trail.

mod record;

use tenter_contract::ports::AuditTrail;

pub(crate) use record::failure_record;

/// Writes the audit trail.
pub struct AuditLog {
    /// Where records go.
    pub trail: Box<dyn AuditTrail>,
}
