//! Asks people for decisions: saved answers, approvers, the agent's own prompt.

mod api_approver;
mod ask;
mod memory_register;
mod observers;

use tenter_contract::ports::{ApprovalRegister, Approver};

pub use api_approver::{ApiApprover, NotAnswered};
pub use memory_register::MemoryRegister;

/// Asks people for decisions.
pub struct ApprovalService {
    /// The approvers.
    pub approvers: Approvers,
    /// Open requests and saved answers.
    pub register: Box<dyn ApprovalRegister>,
    /// Whether the agent still waits for the response. A request is withdrawn if it does not.
    pub still_wanted: fn() -> bool,
}

/// The approvers that are asked if no saved answer decides.
#[derive(Default)]
pub struct Approvers {
    /// Approvers before the agent's own prompt.
    pub before_host: Vec<Box<dyn Approver>>,
    /// Approvers after it.
    pub after_host: Vec<Box<dyn Approver>>,
}
