//! Questions that wait in the register for a user who runs `tenter approvals`.

use std::thread;
use std::time::{Duration, Instant};

use tenter_contract::ports::{Acceptance, Approver, Waiting};
use tenter_contract::{ApprovalAnswer, ApprovalRequest, ApproverName};
use tenter_store::ApprovalFolder;

/// Pauses grow up to this: users do not notice a tenth of a second, and ten checks per second cost little.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

const GONE: &str =
    "the user stopped `tenter approvals watch`; run it in another terminal, then try this again";

/// When questions wait in the register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchWhen {
    /// A user watches now.
    Watched,
    /// The hook file names this approver.
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
            WatchWhen::Watched => self.register.is_watched().unwrap_or(false),
            WatchWhen::Named => named == Some(&ApproverName::Watch),
        };
        if takes { Acceptance::Yes } else { Acceptance::NotMine }
    }

    fn ask(&self, _: &ApprovalRequest, _: Option<&ApproverName>, waiting: &dyn Waiting) -> ApprovalAnswer {
        // An error says nothing about the users who watch.
        let is_gone = || match self.when {
            WatchWhen::Watched => !self.register.is_watched().unwrap_or(true),
            WatchWhen::Named => false,
        };
        wait(waiting, || is_gone().then(|| ApprovalAnswer::ApproverGone { why: GONE.to_owned() }))
    }
}

/// Waits until there is an answer here or elsewhere, or the time is up.
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
