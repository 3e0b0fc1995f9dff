//! The approver that answers every question as the hook file says.

use tenter_contract::ports::{Acceptance, Approver, Waiting};
use tenter_contract::{ApprovalAnswer, ApprovalRequest, ApproverName, Choice};

/// Denies or, for tests, grants everything, if the hook file says so.
#[derive(Clone, Copy, Debug)]
pub struct PolicyApprover;

impl Approver for PolicyApprover {
    fn name(&self) -> &'static str {
        "policy"
    }

    fn takes(&self, _: &ApprovalRequest, named: Option<&ApproverName>) -> Acceptance {
        match named {
            Some(ApproverName::Deny | ApproverName::Allow) => Acceptance::Yes,
            Some(ApproverName::Watch | ApproverName::File { .. }) | None => Acceptance::NotMine,
        }
    }

    /// A deny is reported as a missing approver, because no user denied it.
    fn ask(&self, _: &ApprovalRequest, named: Option<&ApproverName>, _: &dyn Waiting) -> ApprovalAnswer {
        match named {
            Some(ApproverName::Allow) => Choice::named("Allow").answer(),
            _ => ApprovalAnswer::NoApprover {
                why: "the hook file says that questions are denied (`approvals: { approver: deny }`)"
                    .to_owned(),
            },
        }
    }
}
