//! Approvers for programs.

use tenter_contract::ports::{Acceptance, Approver, Waiting};
use tenter_contract::{ApprovalAnswer, ApprovalRequest, ApproverName};

/// An approver that is a function: it gets the request and returns the person's answer
/// (`request.question.choice("Allow")`, and then `Choice::answer`).
///
/// The session waits until it returns. An answer after the end of the question's time does not count. A program
/// whose answers come from elsewhere, from another thread or over a network, uses an `ApiApprover`, which waits no
/// longer than that.
pub struct FunctionApprover<F>(pub F);

impl<F: Fn(&ApprovalRequest) -> ApprovalAnswer + Send + Sync> Approver for FunctionApprover<F> {
    fn name(&self) -> &'static str {
        "function"
    }

    fn takes(&self, _: &ApprovalRequest, _: Option<&ApproverName>) -> Acceptance {
        Acceptance::Yes
    }

    fn ask(&self, request: &ApprovalRequest, _: Option<&ApproverName>, _: &dyn Waiting) -> ApprovalAnswer {
        (self.0)(request)
    }
}

/// The approver of a program that sets none.
pub(crate) struct NoApprover;

impl Approver for NoApprover {
    fn name(&self) -> &'static str {
        "none"
    }

    fn takes(&self, _: &ApprovalRequest, _: Option<&ApproverName>) -> Acceptance {
        Acceptance::No { why: "this program has no approver".to_owned() }
    }

    fn ask(&self, _: &ApprovalRequest, _: Option<&ApproverName>, _: &dyn Waiting) -> ApprovalAnswer {
        ApprovalAnswer::NoApprover { why: "this program has no approver".to_owned() }
    }
}
