//! Has people decide: saved answers, approvers, the agent's own prompt.

mod api_approver;
mod ask;
mod memory_register;
mod observers;

use tenter_contract::ports::{ApprovalRegister, Approver};

pub use api_approver::{ApiApprover, NotAnswered};
pub use memory_register::MemoryRegister;

/// Has people decide.
pub struct ApprovalService {
    /// Who is asked.
    pub approvers: Approvers,
    /// Open requests and saved answers.
    pub register: Box<dyn ApprovalRegister>,
    /// Whether the agent still waits for the response. A request is withdrawn if it does not.
    pub still_wanted: fn() -> bool,
}

/// Who is asked if no saved answer decides.
#[derive(Default)]
pub struct Approvers {
    /// Those before the agent's own prompt.
    pub before_host: Vec<Box<dyn Approver>>,
    /// Those after it.
    pub after_host: Vec<Box<dyn Approver>>,
}
