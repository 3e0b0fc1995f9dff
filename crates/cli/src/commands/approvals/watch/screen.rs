//! Prints the current question, its options and the remaining time as lines. On a terminal, the last line is updated
//! every second.

use std::collections::BTreeSet;
use std::io;

use tenter_contract::ApprovalRequest;
use tenter_host::approvers::{LineKind, option_line, question_lines, terminal_width, wrap_line};

use crate::approvals::left;
use crate::change_log;
use crate::commands::approvals::watch::endings::Ended;
use crate::listing::{on_one_line, visible};
use crate::printer::{Printer, Tone};

#[derive(Clone, Copy)]
pub(crate) enum Prompt<'t> {
    NotYet,
    Typed(&'t str),
}

pub(crate) struct Screen<'a> {
    printer: &'a Printer,
    lively: bool,
    shown: Option<String>,
    seen: BTreeSet<String>,
    answered: BTreeSet<String>,
    status: String,
}

impl<'a> Screen<'a> {
    pub(crate) fn new(printer: &'a Printer, lively: bool) -> Self {
        let (seen, answered) = (BTreeSet::new(), BTreeSet::new());
        Self { printer, lively, shown: None, seen, answered, status: String::new() }
    }

    pub(crate) fn print_welcome(&mut self) {
        self.say("Watching for questions. As long as this runs, questions of all agents appear here.");
        let how = if self.lively {
            "Type the number of an option, or its words and Enter; Tab for the next question; Ctrl-C to leave."
        } else {
            "Type an option, by its number or its words; `s` for the next question, `q` to leave."
        };
        self.say(&self.printer.tone(Tone::Quiet, how));
    }

    pub(crate) fn update(
        &mut self,
        next: Option<&ApprovalRequest>,
        open: &[ApprovalRequest],
        prompt: Prompt<'_>,
    ) {
        let id = next.map(|request| request.id.clone());
        let more = next.and_then(|request| others(request, open));
        if self.shown != id {
            if let Some(request) = next {
                self.show(request, more.as_deref());
                self.seen.insert(request.id.clone());
            }
            self.shown = id;
        }
        let Some(request) = next.filter(|_| self.lively) else { return };
        let more = more.map(|more| format!(", {more}")).unwrap_or_default();
        let prompt = match prompt {
            Prompt::NotYet => ", keys count in a moment".to_owned(),
            Prompt::Typed("") => " > ".to_owned(),
            // A digit alone answers at once, but not behind something else.
            Prompt::Typed(typed) => {
                format!(", Enter answers with this, Backspace takes it back > {}", visible(typed))
            }
        };
        let status = format!("  {}{more}{prompt}", left(request, change_log::now()));
        if status != self.status {
            self.printer.bytes(format!("\r\u{1b}[K{status}").as_bytes());
            self.status = status;
        }
    }

    /// Prints how a question ended that was not answered here, even if it was never visible.
    pub(crate) fn ended(&mut self, ended: &Ended) {
        let Ended { request, why, .. } = ended;
        if self.answered.remove(&request.id) {
            return;
        }
        let text = if self.seen.remove(&request.id) {
            format!("{}: {}", request.id, visible(why))
        } else {
            let prompt = on_one_line(&visible(&request.question.prompt()));
            format!("{}: over before it was shown here: {prompt}: {}", request.id, visible(why))
        };
        self.quote(Some(Tone::Quiet), &text);
    }

    fn show(&mut self, request: &ApprovalRequest, more: Option<&str>) {
        self.say("");
        let more = more.map(|more| format!(" ({more})")).unwrap_or_default();
        let head = format!("question {}, {}{more}", request.id, left(request, change_log::now()));
        self.say(&self.printer.tone(Tone::Quiet, head));
        for (kind, line) in question_lines(request) {
            let tone = match kind {
                LineKind::Prompt => Some(Tone::Heading),
                LineKind::About => Some(Tone::Quiet),
                LineKind::Input => None,
                LineKind::Removed => Some(Tone::Bad),
                LineKind::Added => Some(Tone::Good),
            };
            self.quote(tone, &line);
        }
        let silence = format!("without an answer: {}", request.question.default.as_str());
        self.quote(None, &format!("  {}   {silence}", option_line(request)));
    }

    pub(crate) fn answered(&mut self, id: &str, text: &str) {
        self.shown = None;
        self.answered.insert(id.to_owned());
        self.quote(None, text);
    }

    pub(crate) fn refused(&mut self, why: &str) {
        self.shown = None;
        for line in why.trim_end().lines() {
            self.quote(None, line);
        }
    }

    pub(crate) fn postponed(&mut self) {
        if let Some(id) = self.shown.take() {
            self.say(&format!("{id}: postponed"));
        }
    }

    pub(crate) fn not_understood(&mut self, typed: &str) {
        self.quote(None, &format!("  `{}` is not an option", visible(typed)));
    }

    /// Reports keys that were typed for another question, or before this one could be read.
    pub(crate) fn dropped(&mut self, typed: &str) {
        let why = "typed for a question that has ended, or before the next one could be read";
        let text = format!("  `{}` was ignored: {why}", on_one_line(&visible(typed)));
        self.quote(Some(Tone::Quiet), &text);
    }

    pub(crate) fn leave(&mut self) {
        self.say("stopped watching");
    }

    /// Prints a line with text from hooks or agents, wrapped with a mark.
    fn quote(&mut self, tone: Option<Tone>, line: &str) {
        for part in wrap_line(line, terminal_width(io::stdout())) {
            match tone {
                Some(tone) => self.say(&self.printer.tone(tone, part)),
                None => self.say(&part),
            }
        }
    }

    fn say(&mut self, line: &str) {
        if !self.status.is_empty() {
            self.printer.bytes(b"\r\x1b[K");
            self.status.clear();
        }
        self.printer.line(line);
    }
}

/// The other questions: `2 more waiting, one of them 0:12 left`, or `1 more waiting, 0:12 left`, if that one has less time.
fn others(shown: &ApprovalRequest, open: &[ApprovalRequest]) -> Option<String> {
    let others = || open.iter().filter(|request| request.id != shown.id);
    let next = others().min_by_key(|request| request.until)?;
    let count = others().count();
    let which = if count == 1 { "" } else { "one of them " };
    let hurry = if next.until < shown.until {
        format!(", {which}{}", left(next, change_log::now()))
    } else {
        String::new()
    };
    Some(format!("{count} more waiting{hurry}"))
}
