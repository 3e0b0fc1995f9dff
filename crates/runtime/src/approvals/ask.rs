//! Asks a person: from the hooks that ask to the answer.
//!
//! ```text
//! question ─▶ saved answers ─▶ approver ─▶ enter ─▶ record "required" ─▶ open ─▶ wait
//!                                                                                  │
//!             answer ◀─ close: grants count ◀─ record what came back ◀─ settle ◀───┘
//! ```
//!
//! A process that dies on the way leaves an orphaned request and no grant: a grant counts only when the request is
//! closed, which is the last step.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tenter_contract::ports::{Acceptance, Approver, EnteredRequest, Waiting};
use tenter_contract::{
    Approval, ApprovalAnswer, ApprovalQuestion, ApprovalRecord, ApprovalRequest, ApprovalStep, ApproverName,
    Cause, Diagnostics, Event, EventKind, Grant, Notice, RecordBody, SavedAnswers, SessionGrant, Timestamp,
};
use tenter_kernel::{HostAsks, SavedAnswer, saved_answer};

use crate::{ActiveHooks, Runtime};

/// A hundred years. `Duration::MAX` becomes this, because clocks cannot represent later moments.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_hours(876_000);

/// What the user can do if there is no approver.
const NO_APPROVER_HINT: &str =
    "no approver is watching; the user can run `tenter approvals watch` in another terminal, then try again";

impl Runtime {
    /// Gets an answer from the saved answers, the agent's own prompt or an approver.
    #[inline(never)]
    pub(crate) fn ask(
        &self,
        event: &Arc<Event>,
        question: ApprovalQuestion,
        host: HostAsks,
        hooks: &ActiveHooks,
        diagnostics: &mut Diagnostics,
    ) -> Approval {
        let arrived = Instant::now();
        self.withdraw_orphans(diagnostics);
        let event = &self.catalog.with_paths(event);
        let context =
            QuestionContext { event, named: hooks.approver.as_ref(), arrived, at: self.clock.now() };
        let mut saved = self.approvals.register.saved_answers(event).unwrap_or_else(|error| {
            diagnostics.add(approval_notice(error.to_string()));
            SavedAnswers::default()
        });
        saved.notices.drain(..).for_each(|notice| diagnostics.add(notice));
        let (question, answer) = match saved_answer(question.clone(), event, &saved, context.at) {
            SavedAnswer::Granted(by) => (question, ApprovalAnswer::SavedGrant { by }),
            SavedAnswer::Denied(by) => (question, ApprovalAnswer::SavedDeny { by }),
            SavedAnswer::Open(open) => {
                let answer = self.ask_approvers(&context, &open, host, diagnostics);
                return Approval { question: open, answer };
            }
        };
        let request = context.request(&question, "standing", Duration::ZERO);
        self.record_step(&request, answered(&answer, arrived), diagnostics);
        Approval { question, answer }
    }

    /// Asks the approvers in order. If one goes away while it has the question, the next one gets it.
    fn ask_approvers(
        &self,
        context: &QuestionContext<'_>,
        question: &ApprovalQuestion,
        host: HostAsks,
        diagnostics: &mut Diagnostics,
    ) -> ApprovalAnswer {
        let mut why_not = None;
        let mut waited = Duration::ZERO;
        let mut at = |approvers: &[Box<dyn Approver>], diagnostics: &mut Diagnostics| {
            approvers.iter().find_map(|approver| {
                let patience = self.patience(question, waited);
                let request = context.request(question, approver.name(), waited + patience);
                match approver.takes(&request, context.named) {
                    Acceptance::NotMine => None,
                    Acceptance::No { why } => {
                        why_not.get_or_insert(why);
                        None
                    }
                    Acceptance::Yes => {
                        let began = Instant::now();
                        match self.ask_approver(
                            &**approver,
                            &request,
                            (waited, patience),
                            context,
                            diagnostics,
                        ) {
                            ApprovalAnswer::ApproverGone { why } => {
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
        if let Some(answer) = at(&self.approvals.approvers.before_host, diagnostics) {
            return answer;
        }
        if host == HostAsks::Yes {
            return self.leave_to_host(context, question, diagnostics);
        }
        if let Some(answer) = at(&self.approvals.approvers.after_host, diagnostics) {
            return answer;
        }
        if host == HostAsks::AsLastResort && context.named.is_none() {
            return self.leave_to_host(context, question, diagnostics);
        }
        let is_unwatched = why_not.is_none();
        let answer =
            ApprovalAnswer::NoApprover { why: why_not.unwrap_or_else(|| NO_APPROVER_HINT.to_owned()) };
        let request = context.request(question, "none", Duration::ZERO);
        let Err(error) = self.append(&request, answered(&answer, context.arrived), diagnostics) else {
            return answer;
        };
        // If nothing can be kept, `tenter approvals watch` would not help either.
        let answer = if is_unwatched { ApprovalAnswer::NoApprover { why: not_kept(&error) } } else { answer };
        diagnostics.add(approval_notice(error));
        answer
    }

    /// Lets the agent ask its own user. It does not report the answer.
    fn leave_to_host(
        &self,
        context: &QuestionContext<'_>,
        question: &ApprovalQuestion,
        diagnostics: &mut Diagnostics,
    ) -> ApprovalAnswer {
        let request = context.request(question, "host", self.patience(question, Duration::ZERO));
        self.record_step(&request, ApprovalStep::Required, diagnostics);
        if let Err(error) = self.approvals.register.left_to_host(&request) {
            diagnostics.add(approval_notice(error.to_string()));
        }
        ApprovalAnswer::LeftToHost
    }

    /// The time left for an answer, after other approvers had `waited`.
    fn patience(&self, question: &ApprovalQuestion, waited: Duration) -> Duration {
        let own = question.timeout.min(LONGEST_WAIT).saturating_sub(waited);
        let left = self.deadline.map(|until| until.saturating_duration_since(Instant::now()));
        left.map_or(own, |left| left.min(own))
    }

    /// Asks one approver. A question that cannot be entered or recorded is not asked.
    fn ask_approver(
        &self,
        approver: &dyn Approver,
        request: &ApprovalRequest,
        (waited, patience): (Duration, Duration),
        context: &QuestionContext<'_>,
        diagnostics: &mut Diagnostics,
    ) -> ApprovalAnswer {
        let no_approver = |error: &dyn std::fmt::Display| ApprovalAnswer::NoApprover {
            why: format!("the question cannot be put: {error}"),
        };
        let mut entered = match self.approvals.register.enter(request.clone()) {
            Ok(entered) => entered,
            Err(error) => {
                let answer = no_approver(&error);
                self.record_step(request, answered(&answer, context.arrived), diagnostics);
                return answer;
            }
        };
        let request = entered.request().clone();
        let asked = self
            .append(&request, ApprovalStep::Required, diagnostics)
            .and_then(|()| entered.open().map_err(|error| error.to_string()));
        let asked = asked.map(|()| {
            let since = Instant::now();
            let waiting = ApproverWait {
                entered: &*entered,
                since,
                waited,
                patience,
                wanted: self.approvals.still_wanted,
            };
            let answer = approver.ask(&request, context.named, &waiting);
            // An approver may ignore the clock, and a process that was stopped meanwhile finds answers that came too
            // late.
            let answered = matches!(answer, ApprovalAnswer::Granted { .. } | ApprovalAnswer::Denied { .. });
            if answered && waiting.is_over() { waiting.timed_out() } else { answer }
        });
        let answer = asked.unwrap_or_else(|error| no_approver(&error));
        // A question that cannot be settled could still be answered, without effect.
        let answer = entered.settle(answer).unwrap_or_else(|error| no_approver(&error));
        self.record_step(&request, answered(&answer, context.arrived), diagnostics);
        let grants = self.session_grants(&request, &answer, diagnostics);
        if let Err(error) = entered.close(&grants) {
            diagnostics.add(approval_notice(error.to_string()));
        }
        answer
    }

    /// The grants of an answer that lasts for the session.
    fn session_grants(
        &self,
        request: &ApprovalRequest,
        answer: &ApprovalAnswer,
        diagnostics: &mut Diagnostics,
    ) -> Vec<SessionGrant> {
        let ApprovalAnswer::Granted { grants: grants @ (Grant::Session | Grant::Tool), .. } = answer else {
            return Vec::new();
        };
        let (Some(scope), Some(session)) = (request.scope(*grants), &request.event.session) else {
            let text = "granted this once: the agent names no session for which it could last";
            diagnostics.add(approval_notice(text.to_owned()));
            return Vec::new();
        };
        let now = self.clock.now();
        let asked_by = request.question.asked_by.iter();
        asked_by
            .map(|asked| SessionGrant::new(&request.id, session, asked, &request.event, scope.clone(), now))
            .collect()
    }

    /// Records what an event shows about questions of its session: that a call ran which the agent's user was asked about,
    /// and that the session and its grants end. Without questions, that is one lookup at most.
    pub(crate) fn record_settled_requests(&self, event: &Event, diagnostics: &mut Diagnostics) {
        let settled = diagnostics.check(self.approvals.register.settled_by(event));
        for request in settled.unwrap_or_default() {
            let took = since(request.asked, event.at);
            let ran = event.kind == EventKind::ToolPost;
            let step = if ran { ApprovalStep::Observed { took } } else { ApprovalStep::Unknown };
            // If this fails, the record of the event fails too, and the user is notified of that.
            drop(self.append(&request, step, diagnostics));
        }
        if event.kind == EventKind::SessionEnd
            && let Some(session) = &event.session
        {
            diagnostics.check(self.approvals.register.end_session(session));
        }
    }

    fn withdraw_orphans(&self, diagnostics: &mut Diagnostics) {
        let mut record = |request: &ApprovalRequest, why: &str| {
            self.append(request, ApprovalStep::Withdrawn { why: why.to_owned() }, diagnostics).is_ok()
        };
        if let Err(error) = self.approvals.register.withdraw_orphans(&mut record) {
            diagnostics.add(approval_notice(error.to_string()));
        }
    }

    fn record_step(&self, request: &ApprovalRequest, step: ApprovalStep, diagnostics: &mut Diagnostics) {
        if let Err(error) = self.append(request, step, diagnostics) {
            diagnostics.add(approval_notice(error));
        }
    }

    /// Records a step of a question, and then runs the hooks that observe it.
    fn append(
        &self,
        request: &ApprovalRequest,
        step: ApprovalStep,
        diagnostics: &mut Diagnostics,
    ) -> Result<(), String> {
        let record = Box::new(ApprovalRecord { request: request.clone(), at: self.clock.now(), step });
        let appended = self.audit.trail.append(&[RecordBody::Approval(record.clone())], diagnostics);
        appended.map_err(|error| format!("an approval is not in the audit trail: {error}"))?;
        self.notify_observers(*record);
        Ok(())
    }
}

fn approval_notice(text: String) -> Notice {
    Notice::error(Cause::Approval(text.clone()), text)
}

/// The event that a question is about, and when it came.
struct QuestionContext<'a> {
    event: &'a Arc<Event>,
    named: Option<&'a ApproverName>,
    arrived: Instant,
    at: Timestamp,
}

impl QuestionContext<'_> {
    fn request(&self, question: &ApprovalQuestion, approver: &str, patience: Duration) -> ApprovalRequest {
        let patience = u64::try_from(patience.as_millis()).unwrap_or(u64::MAX);
        ApprovalRequest {
            id: String::new(),
            approver: approver.to_owned(),
            question: question.clone(),
            event: Arc::clone(self.event),
            asked: self.at,
            until: Timestamp::from_unix_ms(self.at.unix_ms.saturating_add(patience)),
        }
    }
}

fn not_kept(error: &str) -> String {
    format!(
        "the question could not be kept: {error}; the user can run `tenter doctor`, which says what to do"
    )
}

fn answered(answer: &ApprovalAnswer, arrived: Instant) -> ApprovalStep {
    ApprovalStep::Answered { answer: answer.clone(), took: arrived.elapsed() }
}

fn since(asked: Timestamp, now: Timestamp) -> Duration {
    Duration::from_millis(now.unix_ms.saturating_sub(asked.unix_ms))
}

/// What an approver needs to know while it waits.
struct ApproverWait<'a> {
    entered: &'a dyn EnteredRequest,
    since: Instant,
    /// At earlier approvers.
    waited: Duration,
    patience: Duration,
    wanted: fn() -> bool,
}

impl ApproverWait<'_> {
    /// Whether the time is up, by the clock of this process or of the register.
    fn is_over(&self) -> bool {
        Instant::now() >= self.until() || self.entered.time_is_up()
    }
}

impl Waiting for ApproverWait<'_> {
    fn elsewhere(&self) -> Option<ApprovalAnswer> {
        let gone = || {
            let gone = !(self.wanted)();
            gone.then(|| ApprovalAnswer::Withdrawn {
                why: "the agent no longer waits for the answer".to_owned(),
            })
        };
        let late = || self.is_over().then(|| self.timed_out());
        self.entered.answer().or_else(gone).or_else(late)
    }

    fn until(&self) -> Instant {
        self.since + self.patience
    }

    fn timed_out(&self) -> ApprovalAnswer {
        ApprovalAnswer::TimedOut { after: self.waited + self.patience }
    }
}
