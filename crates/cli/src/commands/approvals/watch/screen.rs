//! What a watcher sees: a question, what can be answered, and how long there is. No more than lines; where there is
//! a terminal, the last one is written anew every second.

use tenter_contract::Inquiry;
use tenter_host::desks::{LineKind, Shown};

use super::super::super::change;
use super::super::left;
use crate::listing::visible;
use crate::printer::{Printer, Tone};

/// What a watcher sees.
pub(super) struct Screen<'a> {
    printer: &'a Printer,
    /// Whether the last line can be written anew.
    lively: bool,
    shown: Option<String>,
    status: String,
}

impl<'a> Screen<'a> {
    pub(super) fn new(printer: &'a Printer, lively: bool) -> Self {
        Self { printer, lively, shown: None, status: String::new() }
    }

    /// The first lines.
    pub(super) fn greet(&mut self) {
        self.say("Watching for questions. As long as this runs, every question of every agent comes here.");
        let how = if self.lively {
            "Type the number of an option, or its words and Enter; Tab for the next question; Ctrl-C to leave."
        } else {
            "Type an option, by its number or its words; `s` for the next question, `q` to leave."
        };
        self.say(&self.printer.tone(Tone::Quiet, how));
    }

    /// Shows this question, if another one is shown, and how long there is.
    pub(super) fn turn_to(&mut self, next: Option<&Inquiry>, waiting: usize, typed: String) {
        let id = next.map(|inquiry| inquiry.id.clone());
        if self.shown != id {
            if let Some(gone) = self.shown.take() {
                let text = format!("{gone}: over; it was answered elsewhere, timed out or withdrawn");
                self.say(&self.printer.tone(Tone::Quiet, text));
            }
            if let Some(inquiry) = next {
                self.show(inquiry, waiting);
            }
            self.shown = id;
        }
        let Some(inquiry) = next.filter(|_| self.lively) else { return };
        let more = if waiting > 0 { format!(", {waiting} more waiting") } else { String::new() };
        let status = format!("  {}{more} > {}", left(inquiry, change::now()), visible(&typed));
        if status != self.status {
            self.printer.bytes(format!("\r\u{1b}[K{status}").as_bytes());
            self.status = status;
        }
    }

    fn show(&mut self, inquiry: &Inquiry, waiting: usize) {
        self.say("");
        let more = if waiting > 0 { format!(" ({waiting} more waiting)") } else { String::new() };
        let head = format!("question {}, {}{more}", inquiry.id, left(inquiry, change::now()));
        self.say(&self.printer.tone(Tone::Quiet, head));
        for (kind, line) in Shown::lines(inquiry) {
            self.say(&match kind {
                LineKind::Prompt => self.printer.tone(Tone::Heading, line),
                LineKind::About => self.printer.tone(Tone::Quiet, line),
                LineKind::Input => line,
                LineKind::Removed => self.printer.tone(Tone::Bad, line),
                LineKind::Added => self.printer.tone(Tone::Good, line),
            });
        }
        let silence = format!("without an answer: {}", inquiry.question.default.as_str());
        self.say(&format!("  {}   {silence}", Shown::options(&inquiry.question.options)));
    }

    /// What became of an answer.
    pub(super) fn answered(&mut self, text: String) {
        self.shown = None;
        self.say(text.trim_end());
    }

    /// It comes back when the others are done.
    pub(super) fn put_aside(&mut self) {
        if let Some(id) = self.shown.take() {
            self.say(&format!("{id}: put aside"));
        }
    }

    pub(super) fn not_understood(&mut self, typed: &str) {
        self.say(&format!("  `{}` is none of the options", visible(typed)));
    }

    /// The last line.
    pub(super) fn leave(&mut self) {
        self.say("nobody is watching any more");
    }

    fn say(&mut self, line: &str) {
        if !self.status.is_empty() {
            self.printer.bytes(b"\r\x1b[K");
            self.status.clear();
        }
        self.printer.line(line);
    }
}
