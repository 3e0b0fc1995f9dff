//! Desks for a program of one's own.

use tenter_contract::ports::{ApprovalDesk, Takes, Waiting};
use tenter_contract::{HumanAnswer, Inquiry, NamedDesk};

/// A desk that is a function: it is given the question with everything it takes to answer it, and says what a
/// person has chosen (`inquiry.question.choice("Allow")`, and then `Choice::answer`).
///
/// It is waited for until it returns, and what it says when the question's time is over does not count. A program
/// whose answers come from elsewhere, from another thread or over a network, takes an `ApiDesk`, which does not wait
/// any longer than that.
pub struct FunctionDesk<F>(pub F);

impl<F: Fn(&Inquiry) -> HumanAnswer + Send + Sync> ApprovalDesk for FunctionDesk<F> {
    fn name(&self) -> &'static str {
        "function"
    }

    fn takes(&self, _: &Inquiry, _: Option<&NamedDesk>) -> Takes {
        Takes::Yes
    }

    fn ask(&self, inquiry: &Inquiry, _: Option<&NamedDesk>, _: &dyn Waiting) -> HumanAnswer {
        (self.0)(inquiry)
    }
}

/// Where nobody sits.
pub(crate) struct Nobody;

impl ApprovalDesk for Nobody {
    fn name(&self) -> &'static str {
        "none"
    }

    fn takes(&self, _: &Inquiry, _: Option<&NamedDesk>) -> Takes {
        Takes::No { why: "this program has no desk".to_owned() }
    }

    fn ask(&self, _: &Inquiry, _: Option<&NamedDesk>, _: &dyn Waiting) -> HumanAnswer {
        HumanAnswer::NoDesk { why: "this program has no desk".to_owned() }
    }
}
