//! The parts of a runtime, each with one owner.

use std::sync::Arc;
use std::time::Instant;

use tenter_contract::ports::Clock;

use crate::approvals::ApprovalService;
use crate::audit::AuditLog;
use crate::hooks::HookCatalog;
use crate::runner::HookRunner;
use crate::session::SessionService;

/// Everything it takes to handle an event. `host` and `coordinator` put it together.
pub struct Runtime {
    /// Knows which hooks are active where an event happened.
    pub catalog: HookCatalog,
    /// Runs them.
    pub runner: HookRunner,
    /// Remembers what happened in a session.
    pub sessions: SessionService,
    /// Has people decide.
    pub approvals: ApprovalService,
    /// Writes the audit trail.
    pub audit: AuditLog,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// The end of the agent's patience, less the time for the response; `None` if it is not known.
    pub deadline: Option<Instant>,
}
