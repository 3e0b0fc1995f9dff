//! A desk where nobody sits: the hook file says what every question comes to.

use tenter_contract::ports::{ApprovalDesk, Takes, Waiting};
use tenter_contract::{Choice, HumanAnswer, Inquiry, NamedDesk};

/// Denies or, for tests, grants everything, if the hook file says so.
#[derive(Clone, Copy, Debug)]
pub struct PolicyDesk;

impl ApprovalDesk for PolicyDesk {
    fn name(&self) -> &'static str {
        "policy"
    }

    fn takes(&self, _: &Inquiry, named: Option<&NamedDesk>) -> Takes {
        match named {
            Some(NamedDesk::Deny | NamedDesk::Allow) => Takes::Yes,
            Some(NamedDesk::Watch | NamedDesk::File { .. }) | None => Takes::NotMine,
        }
    }

    /// A deny is nobody's answer, and does not read as if it were.
    fn ask(&self, _: &Inquiry, named: Option<&NamedDesk>, _: &dyn Waiting) -> HumanAnswer {
        match named {
            Some(NamedDesk::Allow) => Choice::named("Allow").answer(),
            _ => HumanAnswer::NoDesk {
                why: "the hook file says that questions are denied (`approvals: { desk: deny }`)".to_owned(),
            },
        }
    }
}
