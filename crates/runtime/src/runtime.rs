//! The parts of a runtime, each with one owner.

use std::sync::Arc;
use std::time::Instant;

use tenter_contract::ports::Clock;

use crate::approvals::ApprovalService;
use crate::audit::AuditLog;
use crate::hooks::HookCatalog;
use crate::runner::HookRunner;
use crate::session::SessionService;

/// Handles events. `host` and `coordinator` put its parts together.
pub struct Runtime {
    /// Knows which hooks are active where an event happened.
    pub catalog: HookCatalog,
    /// Runs hooks.
    pub runner: HookRunner,
    /// Keeps the state of sessions.
    pub sessions: SessionService,
    /// Asks people for decisions.
    pub approvals: ApprovalService,
    /// Writes the audit trail.
    pub audit: AuditLog,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// When the agent stops waiting, less the time for the response; `None` if that is not known.
    pub deadline: Option<Instant>,
}
