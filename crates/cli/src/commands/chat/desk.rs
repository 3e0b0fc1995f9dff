//! Questions of hooks, and of the agent itself, on the terminal of the chat. The question also lies where
//! `tenter approvals` finds it; whoever answers first counts.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tenter_contract::ports::{ApprovalDesk, Takes, Waiting};
use tenter_contract::{HumanAnswer, Inquiry, NamedDesk};
use tenter_host::desks::{LineKind, Shown, TerminalDesk, wrapped};

use super::calls::one_line;
use super::interrupts::Interrupts;
use super::notifications::{Notifier, QUESTION};
use super::screen::Screen;
use super::stream::Stream;
use crate::commands::approvals::watch::keys::Keys;
use crate::commands::approvals::watch::line::Typed;
use crate::listing::visible;
use crate::printer::Tone;

/// How often it is looked whether the question was answered elsewhere or the time has moved on.
const TICK: Duration = Duration::from_millis(100);
/// Keys count only when the question can have been seen: who types ahead answers nothing.
const SEEN: Duration = Duration::from_millis(300);

/// How much is shown of what is no answer.
const LONGEST_TYPED: usize = 40;

/// Asks where the agent is talked to.
#[derive(Clone)]
pub(super) struct ChatDesk {
    screen: Arc<Screen>,
    /// Sub-agents ask beside each other; a person answers one after the other.
    one: Arc<Mutex<()>>,
}

impl ChatDesk {
    pub(super) fn new(screen: Arc<Screen>) -> Self {
        Self { screen, one: Arc::default() }
    }

    fn put(&self, inquiry: &Inquiry) {
        let width = self.screen.width();
        for (kind, line) in Shown::lines_in_session(inquiry) {
            let tone = match kind {
                LineKind::Prompt => Some(Tone::Heading),
                LineKind::About => Some(Tone::Quiet),
                LineKind::Input => None,
                LineKind::Removed => Some(Tone::Bad),
                LineKind::Added => Some(Tone::Good),
            };
            for part in wrapped(&line, width) {
                self.screen.line(tone, &part);
            }
        }
        let silence = inquiry.question.default.as_str();
        self.screen.line(None, &format!("  {}   without an answer: {silence}", Shown::options(inquiry)));
    }

    fn none_of_the_options(&self, typed: &str) {
        let typed = one_line(typed.trim(), LONGEST_TYPED);
        self.screen.line(None, &format!("  `{typed}` is none of the options; press a number"));
    }

    fn wait(&self, inquiry: &Inquiry, waiting: &dyn Waiting) -> HumanAnswer {
        let mut keys = Keys::of_stdin();
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
                    if keys.single() && !may_become(inquiry, &keys.pending()) {
                        let typed = until_quiet(&mut keys, waiting);
                        self.none_of_the_options(&typed);
                        shown = None;
                    }
                }
                Typed::Stop => {
                    return HumanAnswer::Deserted { why: "the terminal was closed".to_owned() };
                }
                Typed::Answer(typed) => {
                    if let Some(choice) = inquiry.question.choice(&typed) {
                        return choice.answer();
                    }
                    self.none_of_the_options(&typed);
                    shown = None;
                }
            }
        }
    }
}

/// Whether what stands on the line can become the name of an option, or the word by which somebody leaves.
fn may_become(inquiry: &Inquiry, typed: &str) -> bool {
    let typed = typed.trim_start().to_lowercase();
    let begins = |word: &str| word.trim().to_lowercase().starts_with(&typed);
    ["q", "s"].into_iter().any(begins) || inquiry.question.options.iter().any(|it| begins(&it.label))
}

/// Drops what is typed until nothing more comes. A number in the middle of a sentence answers nothing: it was meant for
/// somebody else.
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

/// The time that is left: `4:59`.
fn countdown(left: Duration) -> String {
    let seconds = left.as_millis().div_ceil(1000);
    format!("{}:{:02} left", seconds / 60, seconds % 60)
}

impl ApprovalDesk for ChatDesk {
    fn name(&self) -> &'static str {
        "terminal"
    }

    fn takes(&self, _: &Inquiry, _: Option<&NamedDesk>) -> Takes {
        Takes::Yes
    }

    fn ask(&self, inquiry: &Inquiry, _: Option<&NamedDesk>, waiting: &dyn Waiting) -> HumanAnswer {
        let _one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        let answer = self.screen.while_asking(|| {
            self.put(inquiry);
            self.wait(inquiry, waiting)
        });
        self.screen.line(Some(Tone::Quiet), &format!("  {}", visible(&answer.in_words())));
        answer
    }
}

/// Asks on the terminal while standard input is something else.
pub(super) struct BesidePipe {
    pub(super) screen: Arc<Screen>,
    pub(super) terminal: TerminalDesk,
}

impl ApprovalDesk for BesidePipe {
    fn name(&self) -> &'static str {
        self.terminal.name()
    }

    fn takes(&self, inquiry: &Inquiry, named: Option<&NamedDesk>) -> Takes {
        self.terminal.takes(inquiry, named)
    }

    fn ask(&self, inquiry: &Inquiry, named: Option<&NamedDesk>, waiting: &dyn Waiting) -> HumanAnswer {
        self.screen.while_asking(|| self.terminal.ask(inquiry, named, waiting))
    }
}

/// Any desk: it is left when the user stops the agent, and a stream tells what is asked there.
pub(super) struct Heeded {
    pub(super) desk: Box<dyn ApprovalDesk>,
    pub(super) interrupts: Interrupts,
    pub(super) stream: Option<Arc<Stream>>,
    pub(super) notifier: Notifier,
}

impl ApprovalDesk for Heeded {
    fn name(&self) -> &'static str {
        self.desk.name()
    }

    fn takes(&self, inquiry: &Inquiry, named: Option<&NamedDesk>) -> Takes {
        self.desk.takes(inquiry, named)
    }

    fn ask(&self, inquiry: &Inquiry, named: Option<&NamedDesk>, waiting: &dyn Waiting) -> HumanAnswer {
        if let Some(stream) = &self.stream {
            stream.asks(inquiry);
        }
        let ask = || self.desk.ask(inquiry, named, &Stoppable { waiting, interrupts: &self.interrupts });
        // Where a hook file decides, nobody has to come.
        let answer = match self.desk.name() {
            "policy" => ask(),
            _ => self.notifier.during(QUESTION, &inquiry.question.prompt(), ask),
        };
        if let Some(stream) = &self.stream {
            stream.hears(inquiry, &answer);
        }
        answer
    }
}

/// Nobody waits for an answer on behalf of an agent that was stopped.
struct Stoppable<'a> {
    waiting: &'a dyn Waiting,
    interrupts: &'a Interrupts,
}

impl Waiting for Stoppable<'_> {
    fn elsewhere(&self) -> Option<HumanAnswer> {
        let stopped = self.interrupts.is_asked();
        let withdrawn = || HumanAnswer::Withdrawn { why: "the user stopped the agent".to_owned() };
        stopped.then(withdrawn).or_else(|| self.waiting.elsewhere())
    }

    fn until(&self) -> Instant {
        self.waiting.until()
    }

    fn timed_out(&self) -> HumanAnswer {
        self.waiting.timed_out()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_that_is_left_is_counted_in_minutes_and_seconds() {
        for (ms, shown) in [(299_001, "5:00 left"), (59_000, "0:59 left"), (1, "0:01 left")] {
            assert_eq!(countdown(Duration::from_millis(ms)), shown);
        }
    }
}
