//! A question to a person, from the hooks that ask to the answer.
//!
//! ```text
//! question ─▶ what stands ─▶ which desk ─▶ enter ─▶ record "required" ─▶ open ─▶ wait
//!                                                                                  │
//!             answer ◀─ close: grants count ◀─ record what came back ◀─ settle ◀───┘
//! ```
//!
//! Whoever dies on the way leaves a question that nobody waits with, and no grant: that one counts only when the
//! question is closed, which is the last thing that happens.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tenter_contract::ports::{ApprovalDesk, EnteredInquiry, ShelfError, Takes, Waiting};
use tenter_contract::{
    Approval, ApprovalRecord, ApprovalStep, Event, EventKind, Grants, HumanAnswer, Inquiry, NamedDesk,
    Question, RecordBody, SessionGrant, Timestamp,
};
use tenter_kernel::{HostAsks, Stands, stands};

use crate::{InForce, Runtime};

/// Where questions go that nothing answers beforehand.
#[derive(Default)]
pub struct Desks {
    /// Those that are better than the agent's own prompt, if they take the question.
    pub before_host: Vec<Box<dyn ApprovalDesk>>,
    /// Those that are there if the agent cannot ask.
    pub after_host: Vec<Box<dyn ApprovalDesk>>,
}

/// A hundred years. Whoever waits for good (`Duration::MAX`) waits so long, because no clock knows a moment beyond.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_hours(876_000);

/// What to do where there is no desk.
const NOBODY: &str = "nobody is watching; the user can run `tenter approvals watch` in another terminal, and then this can be tried again";

impl Runtime {
    /// Has a question answered: by what stands, by the agent's own user, or at a desk.
    #[inline(never)]
    pub(crate) fn ask(
        &self,
        event: &Arc<Event>,
        question: Question,
        host: HostAsks,
        hooks: &InForce,
    ) -> Approval {
        let arrived = Instant::now();
        let mut notices = Vec::new();
        self.withdraw_orphans(&mut notices);
        let event = &self.with_paths(event);
        let asking = Asking { event, named: hooks.desk.as_ref(), arrived, at: self.clock.now() };
        let mut standing = self.approvals.standing(event).unwrap_or_else(|error| {
            notices.push(error.to_string());
            tenter_contract::Standing::default()
        });
        notices.append(&mut standing.notices);
        let (question, answer) = match stands(question.clone(), event, &standing, asking.at) {
            Stands::Granted(by) => (question, HumanAnswer::StandingGrant { by }),
            Stands::Denied(by) => (question, HumanAnswer::StandingDeny { by }),
            Stands::Open(open) => {
                let answer = self.put(&asking, &open, host, &mut notices);
                return Approval { question: open, answer, notices };
            }
        };
        let inquiry = asking.inquiry(&question, "standing", Duration::ZERO);
        self.note(&inquiry, answered(&answer, arrived), &mut notices);
        Approval { question, answer, notices }
    }

    /// Puts it where it belongs. A desk that is deserted meanwhile leaves it to the next.
    fn put(
        &self,
        asking: &Asking<'_>,
        question: &Question,
        host: HostAsks,
        notices: &mut Vec<String>,
    ) -> HumanAnswer {
        let mut why_not = None;
        let mut waited = Duration::ZERO;
        let mut at = |desks: &[Box<dyn ApprovalDesk>], notices: &mut Vec<String>| {
            desks.iter().find_map(|desk| {
                let patience = self.patience(question, waited);
                let inquiry = asking.inquiry(question, desk.name(), waited + patience);
                match desk.takes(&inquiry, asking.named) {
                    Takes::NotMine => None,
                    Takes::No { why } => {
                        why_not.get_or_insert(why);
                        None
                    }
                    Takes::Yes => {
                        let began = Instant::now();
                        match self.put_to(&**desk, &inquiry, (waited, patience), asking, notices) {
                            HumanAnswer::Deserted { why } => {
                                waited += began.elapsed();
                                why_not = Some(why);
                                None
                            }
                            answer => Some(answer),
                        }
                    }
                }
            })
        };
        if let Some(answer) = at(&self.desks.before_host, notices) {
            return answer;
        }
        if host == HostAsks::Yes {
            return self.leave_to_host(asking, question, notices);
        }
        if let Some(answer) = at(&self.desks.after_host, notices) {
            return answer;
        }
        if host == HostAsks::IfNobodyElse && asking.named.is_none() {
            return self.leave_to_host(asking, question, notices);
        }
        let nobody = why_not.is_none();
        let answer = HumanAnswer::NoDesk { why: why_not.unwrap_or_else(|| NOBODY.to_owned()) };
        let inquiry = asking.inquiry(question, "none", Duration::ZERO);
        let Err(error) = self.append(&inquiry, answered(&answer, asking.arrived)) else { return answer };
        // Where nothing can be kept nobody can watch either, so that to run `watch` would not help.
        let answer = if nobody { HumanAnswer::NoDesk { why: unkept(&error) } } else { answer };
        notices.push(error);
        answer
    }

    /// The agent asks its own user, and does not say what that one answered.
    fn leave_to_host(
        &self,
        asking: &Asking<'_>,
        question: &Question,
        notices: &mut Vec<String>,
    ) -> HumanAnswer {
        let inquiry = asking.inquiry(question, "host", self.patience(question, Duration::ZERO));
        self.note(&inquiry, ApprovalStep::Required, notices);
        if let Err(error) = self.approvals.left_to_host(&inquiry) {
            notices.push(error.to_string());
        }
        HumanAnswer::LeftToHost
    }

    /// How long there is for an answer, after so much of the time was waited at another desk.
    fn patience(&self, question: &Question, waited: Duration) -> Duration {
        let own = question.timeout.min(LONGEST_WAIT).saturating_sub(waited);
        let left = self.until.map(|until| until.saturating_duration_since(Instant::now()));
        left.map_or(own, |left| left.min(own))
    }

    /// Asks at a desk. What cannot be entered or recorded is not asked.
    fn put_to(
        &self,
        desk: &dyn ApprovalDesk,
        inquiry: &Inquiry,
        (waited, patience): (Duration, Duration),
        asking: &Asking<'_>,
        notices: &mut Vec<String>,
    ) -> HumanAnswer {
        let nowhere = |error: &dyn std::fmt::Display| HumanAnswer::NoDesk {
            why: format!("the question cannot be put: {error}"),
        };
        let mut entered = match self.approvals.enter(inquiry.clone()) {
            Ok(entered) => entered,
            Err(error) => {
                let answer = nowhere(&error);
                self.note(inquiry, answered(&answer, asking.arrived), notices);
                return answer;
            }
        };
        let inquiry = entered.inquiry().clone();
        let asked = self
            .append(&inquiry, ApprovalStep::Required)
            .and_then(|()| entered.open().map_err(|error| error.to_string()));
        let asked = asked.map(|()| {
            let since = Instant::now();
            let waiting = AtDesk { entered: &*entered, since, waited, patience, wanted: self.still_wanted };
            let answer = desk.ask(&inquiry, asking.named, &waiting);
            // A desk may not look at the clock, and who was stopped or asleep over the end of the time finds what
            // was said after it.
            let said = matches!(answer, HumanAnswer::Granted { .. } | HumanAnswer::Denied { .. });
            if said && waiting.is_over() { waiting.timed_out() } else { answer }
        });
        let answer = asked.unwrap_or_else(|error| nowhere(&error));
        // A question that cannot be ended may still be answered by somebody, and that would come to nothing.
        let answer = entered.settle(answer).unwrap_or_else(|error| nowhere(&error));
        self.note(&inquiry, answered(&answer, asking.arrived), notices);
        let grants = self.lasting(&inquiry, &answer, notices);
        if let Err(error) = entered.close(&grants) {
            notices.push(error.to_string());
        }
        answer
    }

    /// What lasts of an answer.
    fn lasting(
        &self,
        inquiry: &Inquiry,
        answer: &HumanAnswer,
        notices: &mut Vec<String>,
    ) -> Vec<SessionGrant> {
        let HumanAnswer::Granted { grants: grants @ (Grants::Session | Grants::Tool), .. } = answer else {
            return Vec::new();
        };
        let Some(covers) = inquiry.covers(*grants) else {
            notices.push("granted this once: the agent names no session for which it could last".to_owned());
            return Vec::new();
        };
        let now = self.clock.now();
        let askers = inquiry.question.askers.iter();
        askers
            .map(|asker| SessionGrant::of(&inquiry.id, asker, &inquiry.event, covers.clone(), now))
            .collect()
    }

    /// What an event says about questions of its session: whether a call ran that the agent's user was asked
    /// about, and that nothing lasts any longer. Where nothing was asked, that is one look at most.
    pub(crate) fn settle_questions(&self, event: &Event, trouble: &mut Option<ShelfError>) {
        let settled = self.approvals.settled_by(event).unwrap_or_else(|error| {
            trouble.get_or_insert(error);
            Vec::new()
        });
        for inquiry in settled {
            let took = since(inquiry.asked, event.at);
            let ran = event.kind == EventKind::ToolPost;
            let step = if ran { ApprovalStep::Observed { took } } else { ApprovalStep::Unknown };
            // If it cannot be written, neither can the record of this event, and that is told.
            drop(self.append(&inquiry, step));
        }
        if event.kind == EventKind::SessionEnd
            && let Err(error) = self.approvals.end_session(&event.session)
        {
            trouble.get_or_insert(error);
        }
    }

    fn withdraw_orphans(&self, notices: &mut Vec<String>) {
        let mut record = |inquiry: &Inquiry, why: &str| {
            self.append(inquiry, ApprovalStep::Withdrawn { why: why.to_owned() }).is_ok()
        };
        if let Err(error) = self.approvals.withdraw_orphans(&mut record) {
            notices.push(error.to_string());
        }
    }

    fn note(&self, inquiry: &Inquiry, step: ApprovalStep, notices: &mut Vec<String>) {
        if let Err(error) = self.append(inquiry, step) {
            notices.push(error);
        }
    }

    /// Records what has happened to a question; only then others hear of it.
    fn append(&self, inquiry: &Inquiry, step: ApprovalStep) -> Result<(), String> {
        let record = Box::new(ApprovalRecord { inquiry: inquiry.clone(), at: self.clock.now(), step });
        let appended = self.trail.append(&[RecordBody::Approval(record.clone())]);
        appended.map_err(|error| format!("an approval is not in the audit trail: {error}"))?;
        self.tell_observers(*record);
        Ok(())
    }
}

/// A question on its way, and where it comes from.
struct Asking<'a> {
    event: &'a Arc<Event>,
    named: Option<&'a NamedDesk>,
    arrived: Instant,
    at: Timestamp,
}

impl Asking<'_> {
    fn inquiry(&self, question: &Question, desk: &str, patience: Duration) -> Inquiry {
        let patience = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
        Inquiry {
            id: String::new(),
            desk: desk.to_owned(),
            question: question.clone(),
            event: Arc::clone(self.event),
            asked: self.at,
            until: Timestamp::from_unix_ms(self.at.unix_ms.saturating_add(patience)),
        }
    }
}

fn unkept(error: &str) -> String {
    format!(
        "the question could not be kept: {error}; the user can run `tenter doctor`, which says what to do"
    )
}

fn answered(answer: &HumanAnswer, arrived: Instant) -> ApprovalStep {
    ApprovalStep::Answered { answer: answer.clone(), took: arrived.elapsed() }
}

fn since(asked: Timestamp, now: Timestamp) -> Duration {
    Duration::from_millis(now.unix_ms.saturating_sub(asked.unix_ms))
}

/// What a desk needs to know while it waits.
struct AtDesk<'a> {
    entered: &'a dyn EnteredInquiry,
    since: Instant,
    /// At a desk before this one.
    waited: Duration,
    patience: Duration,
    wanted: fn() -> bool,
}

impl AtDesk<'_> {
    /// Whether the time is up, by the clock of this process or by the register's, which may know more.
    fn is_over(&self) -> bool {
        Instant::now() >= self.until() || self.entered.time_is_up()
    }
}

impl Waiting for AtDesk<'_> {
    fn elsewhere(&self) -> Option<HumanAnswer> {
        let gone = || {
            let gone = !(self.wanted)();
            gone.then(|| HumanAnswer::Withdrawn { why: "nobody waits for the answer any more".to_owned() })
        };
        let late = || self.is_over().then(|| self.timed_out());
        self.entered.answer().or_else(gone).or_else(late)
    }

    fn until(&self) -> Instant {
        self.since + self.patience
    }

    fn timed_out(&self) -> HumanAnswer {
        HumanAnswer::TimedOut { after: self.waited + self.patience }
    }
}
