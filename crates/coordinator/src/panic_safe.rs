//! Catches panics of the parts that a program sets, so that they do not end the session.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tenter_contract::ports::{Acceptance, Approver, Waiting};
use tenter_contract::{ApprovalAnswer, ApprovalRequest, ApproverName};

/// Treats an approver that panics as missing.
pub(crate) struct PanicSafeApprover(pub(crate) Box<dyn Approver>);

impl Approver for PanicSafeApprover {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn takes(&self, request: &ApprovalRequest, named: Option<&ApproverName>) -> Acceptance {
        caught(|| self.0.takes(request, named)).unwrap_or_else(|panic| Acceptance::No { why: broken(&panic) })
    }

    fn ask(
        &self,
        request: &ApprovalRequest,
        named: Option<&ApproverName>,
        waiting: &dyn Waiting,
    ) -> ApprovalAnswer {
        caught(|| self.0.ask(request, named, waiting))
            .unwrap_or_else(|panic| ApprovalAnswer::NoApprover { why: broken(&panic) })
    }
}

fn broken(panic: &str) -> String {
    format!("the approver panicked: {panic}")
}

/// The result, or the message of its panic.
pub(crate) fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(run)).map_err(|panic| panic_text(panic.as_ref()))
}

pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "without a word".to_owned())
}
