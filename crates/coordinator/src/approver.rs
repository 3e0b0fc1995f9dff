//! Approvers for a program of one's own.

use tenter_contract::ports::{Acceptance, Approver, Waiting};
use tenter_contract::{ApprovalAnswer, ApprovalRequest, ApproverName};

/// An approver that is a function: it is given the question with everything it takes to answer it, and says what a
/// person has chosen (`request.question.choice("Allow")`, and then `Choice::answer`).
///
/// It is waited for until it returns, and what it says when the question's time is over does not count. A program
/// whose answers come from elsewhere, from another thread or over a network, takes an `ApiApprover`, which does not wait
/// any longer than that.
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

/// Where nobody sits.
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
