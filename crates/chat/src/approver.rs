//! Asks questions of hooks and of the agent on the chat's terminal. The question is also in the approvals folder,
//! where `tenter approvals` finds it; the first answer counts.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tenter_contract::ports::{Acceptance, Approver, Waiting};
use tenter_contract::{ApprovalAnswer, ApprovalRequest, ApproverName};
use tenter_host::approvers::{LineKind, TerminalApprover, option_line, question_lines_in_session, wrap_line};

use crate::calls::one_line;
use crate::interrupts::Interrupts;
use crate::notifications::{Notifier, QUESTION};
use crate::screen::Screen;
use crate::stream::Stream;
use tenter_console::listing::visible;
use tenter_console::printer::Tone;
use tenter_console::terminal::keys::Keys;
use tenter_console::terminal::line::Typed;

/// Interval for checking answers from elsewhere and redrawing the countdown.
const TICK: Duration = Duration::from_millis(100);
/// Keys pressed before the user can have seen the question do not answer it.
const SEEN: Duration = Duration::from_millis(300);

const LONGEST_TYPED: usize = 40;

#[derive(Clone)]
pub(crate) struct ChatApprover {
    screen: Arc<Screen>,
    /// Serializes the questions of parallel sub-agents.
    one: Arc<Mutex<()>>,
}

impl ChatApprover {
    pub(crate) fn new(screen: Arc<Screen>) -> Self {
        Self { screen, one: Arc::default() }
    }

    fn put(&self, request: &ApprovalRequest) {
        let width = self.screen.width();
        for (kind, line) in question_lines_in_session(request) {
            let tone = match kind {
                LineKind::Prompt => Some(Tone::Heading),
                LineKind::About => Some(Tone::Quiet),
                LineKind::Input => None,
                LineKind::Removed => Some(Tone::Bad),
                LineKind::Added => Some(Tone::Good),
            };
            for part in wrap_line(&line, width) {
                self.screen.line(tone, &part);
            }
        }
        let silence = request.question.default.as_str();
        self.screen.line(None, &format!("  {}   without an answer: {silence}", option_line(request)));
    }

    fn none_of_the_options(&self, typed: &str) {
        let typed = one_line(typed.trim(), LONGEST_TYPED);
        self.screen.line(None, &format!("  `{typed}` is none of the options; press a number"));
    }

    fn wait(&self, request: &ApprovalRequest, waiting: &dyn Waiting) -> ApprovalAnswer {
        let mut keys = Keys::from_stdin();
        let seen = Instant::now() + SEEN;
        while Instant::now() < seen && waiting.elsewhere().is_none() {
            thread::sleep(Duration::from_millis(20));
        }
        keys.forget();
        let mut shown = None;
        loop {
            if let Some(answer) = waiting.elsewhere() {
                return answer;
            }
            let left = waiting.until().saturating_duration_since(Instant::now());
            if left.is_zero() {
                return waiting.timed_out();
            }
            let line = format!("  {} > {}", countdown(left), visible(&keys.pending()));
            if shown.as_ref() != Some(&line) {
                if !self.screen.last_line(&line) && shown.is_none() {
                    self.screen.line(None, &format!("  type the number of an option; {}", countdown(left)));
                }
                shown = Some(line);
            }
            match keys.next(left.min(TICK)) {
                Typed::Nothing | Typed::Later => {
                    if keys.single() && !may_become(request, &keys.pending()) {
                        let typed = until_quiet(&mut keys, waiting);
                        self.none_of_the_options(&typed);
                        shown = None;
                    }
                }
                Typed::Stop => {
                    return ApprovalAnswer::ApproverGone { why: "the terminal was closed".to_owned() };
                }
                Typed::Answer(typed) => {
                    if let Some(choice) = request.question.choice(&typed) {
                        return choice.answer();
                    }
                    self.none_of_the_options(&typed);
                    shown = None;
                }
            }
        }
    }
}

/// Whether the typed text can still become an option or the word for leaving.
fn may_become(request: &ApprovalRequest, typed: &str) -> bool {
    let typed = typed.trim_start().to_lowercase();
    let begins = |word: &str| word.trim().to_lowercase().starts_with(&typed);
    ["q", "s"].into_iter().any(begins) || request.question.options.iter().any(|it| begins(&it.label))
}

/// Drops input until it pauses: a number in the middle of pasted or typed-ahead text answers nothing.
fn until_quiet(keys: &mut Keys, waiting: &dyn Waiting) -> String {
    let mut dropped = String::new();
    while let Some(more) = keys.forget() {
        dropped.push_str(&more);
        if waiting.elsewhere().is_some() || Instant::now() >= waiting.until() {
            break;
        }
        thread::sleep(SEEN);
    }
    dropped
}

/// Formats the remaining time as `4:59`.
fn countdown(left: Duration) -> String {
    let seconds = left.as_millis().div_ceil(1000);
    format!("{}:{:02} left", seconds / 60, seconds % 60)
}

impl Approver for ChatApprover {
    fn name(&self) -> &'static str {
        "terminal"
    }

    fn takes(&self, _: &ApprovalRequest, _: Option<&ApproverName>) -> Acceptance {
        Acceptance::Yes
    }

    fn ask(
        &self,
        request: &ApprovalRequest,
        _: Option<&ApproverName>,
        waiting: &dyn Waiting,
    ) -> ApprovalAnswer {
        let _one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = self.screen.while_asking(|| {
            self.put(request);
            self.wait(request, waiting)
        });
        self.screen.line(Some(Tone::Quiet), &format!("  {}", visible(&answer.in_words())));
        answer
    }
}

pub(crate) struct BesidePipe {
    pub(crate) screen: Arc<Screen>,
    pub(crate) terminal: TerminalApprover,
}

impl Approver for BesidePipe {
    fn name(&self) -> &'static str {
        self.terminal.name()
    }

    fn takes(&self, request: &ApprovalRequest, named: Option<&ApproverName>) -> Acceptance {
        self.terminal.takes(request, named)
    }

    fn ask(
        &self,
        request: &ApprovalRequest,
        named: Option<&ApproverName>,
        waiting: &dyn Waiting,
    ) -> ApprovalAnswer {
        self.screen.while_asking(|| self.terminal.ask(request, named, waiting))
    }
}

/// An approver that is abandoned when the user stops the agent, and whose questions are in the stream.
pub(crate) struct InterruptibleApprover {
    pub(crate) approver: Box<dyn Approver>,
    pub(crate) interrupts: Interrupts,
    pub(crate) stream: Option<Arc<Stream>>,
    pub(crate) notifier: Notifier,
}

impl Approver for InterruptibleApprover {
    fn name(&self) -> &'static str {
        self.approver.name()
    }

    fn takes(&self, request: &ApprovalRequest, named: Option<&ApproverName>) -> Acceptance {
        self.approver.takes(request, named)
    }

    fn ask(
        &self,
        request: &ApprovalRequest,
        named: Option<&ApproverName>,
        waiting: &dyn Waiting,
    ) -> ApprovalAnswer {
        if let Some(stream) = &self.stream {
            stream.question_asked(request);
        }
        let ask = || self.approver.ask(request, named, &Stoppable { waiting, interrupts: &self.interrupts });
        // Where a hook file decides, no one has to come.
        let answer = match self.approver.name() {
            "policy" => ask(),
            _ => self.notifier.during(QUESTION, &request.question.prompt(), ask),
        };
        if let Some(stream) = &self.stream {
            stream.answer_received(request, &answer);
        }
        answer
    }
}

/// Whether the agent was stopped, so that no answer is needed.
struct Stoppable<'a> {
    waiting: &'a dyn Waiting,
    interrupts: &'a Interrupts,
}

impl Waiting for Stoppable<'_> {
    fn elsewhere(&self) -> Option<ApprovalAnswer> {
        let stopped = self.interrupts.is_asked();
        let withdrawn = || ApprovalAnswer::Withdrawn { why: "the user stopped the agent".to_owned() };
        stopped.then(withdrawn).or_else(|| self.waiting.elsewhere())
    }

    fn until(&self) -> Instant {
        self.waiting.until()
    }

    fn timed_out(&self) -> ApprovalAnswer {
        self.waiting.timed_out()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn countdown_shows_minutes_and_seconds() {
        for (ms, shown) in [(299_001, "5:00 left"), (59_000, "0:59 left"), (1, "0:01 left")] {
            assert_eq!(countdown(Duration::from_millis(ms)), shown);
        }
    }
}
