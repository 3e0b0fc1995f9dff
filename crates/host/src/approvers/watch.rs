//! Questions that wait in the register for somebody who runs `tenter approvals`.

use std::thread;
use std::time::{Duration, Instant};

use tenter_contract::ports::{Acceptance, Approver, Waiting};
use tenter_contract::{ApprovalAnswer, ApprovalRequest, ApproverName};
use tenter_store::ApprovalFolder;

/// Pauses grow up to this: nobody feels a tenth of a second, and ten looks per second cost nothing.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// Why nobody answers any more, and what to do.
const GONE: &str = "whoever watched has gone; the user can run `tenter approvals watch` in another terminal, and then this can be tried again";

/// When questions are left to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchWhen {
    /// Somebody is there now.
    SomebodyWatches,
    /// The hook file says that they are to wait.
    Named,
}

/// Leaves a question in the register and waits.
#[derive(Clone, Debug)]
pub struct WatchApprover {
    register: ApprovalFolder,
    when: WatchWhen,
}

impl WatchApprover {
    /// The approver over this register.
    pub fn new(register: ApprovalFolder, when: WatchWhen) -> Self {
        Self { register, when }
    }
}

impl Approver for WatchApprover {
    fn name(&self) -> &'static str {
        "watch"
    }

    fn takes(&self, _: &ApprovalRequest, named: Option<&ApproverName>) -> Acceptance {
        let takes = match self.when {
            WatchWhen::SomebodyWatches => self.register.is_watched().unwrap_or(false),
            WatchWhen::Named => named == Some(&ApproverName::Watch),
        };
        if takes { Acceptance::Yes } else { Acceptance::NotMine }
    }

    fn ask(&self, _: &ApprovalRequest, _: Option<&ApproverName>, waiting: &dyn Waiting) -> ApprovalAnswer {
        // A look that fails tells nothing about those who watch.
        let deserted = || match self.when {
            WatchWhen::SomebodyWatches => !self.register.is_watched().unwrap_or(true),
            WatchWhen::Named => false,
        };
        wait(waiting, || deserted().then(|| ApprovalAnswer::ApproverGone { why: GONE.to_owned() }))
    }
}

/// Waits until somebody answers here or elsewhere, or the time is up.
pub(super) fn wait(
    waiting: &dyn Waiting,
    mut here: impl FnMut() -> Option<ApprovalAnswer>,
) -> ApprovalAnswer {
    let mut pause = Duration::from_millis(5);
    loop {
        if let Some(answer) = here().or_else(|| waiting.elsewhere()) {
            return answer;
        }
        let left = waiting.until().saturating_duration_since(Instant::now());
        if left.is_zero() {
            return waiting.timed_out();
        }
        thread::sleep(pause.min(left));
        pause = LONGEST_PAUSE.min(pause * 2);
    }
}
