//! Parts that a program plugs in may panic; that is a failure of theirs and never the end of the session.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tenter_contract::ports::{ApprovalDesk, Takes, Waiting};
use tenter_contract::{HumanAnswer, Inquiry, NamedDesk};

/// A desk that never grants by accident: one that panics is no desk.
pub(crate) struct CarefulDesk(pub(crate) Box<dyn ApprovalDesk>);

impl ApprovalDesk for CarefulDesk {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn takes(&self, inquiry: &Inquiry, named: Option<&NamedDesk>) -> Takes {
        caught(|| self.0.takes(inquiry, named)).unwrap_or_else(|panic| Takes::No { why: broken(&panic) })
    }

    fn ask(&self, inquiry: &Inquiry, named: Option<&NamedDesk>, waiting: &dyn Waiting) -> HumanAnswer {
        caught(|| self.0.ask(inquiry, named, waiting))
            .unwrap_or_else(|panic| HumanAnswer::NoDesk { why: broken(&panic) })
    }
}

fn broken(panic: &str) -> String {
    format!("the desk panicked: {panic}")
}

/// What it returns, or the words of its panic.
pub(crate) fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| panic_text(panic.as_ref()))
}

pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a word".to_owned())
}
