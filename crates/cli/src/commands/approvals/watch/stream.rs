//! `tenter approvals watch --json`: prints one line of JSON for each change and reads one answer per line.

use std::collections::BTreeSet;

use serde::Deserialize;
use tenter_protocol::v1::approval_request::ApprovalRequestV1;
use tenter_protocol::v1::watch::WatchLineV1;

use crate::commands::approvals::answer;
use crate::commands::approvals::watch::{EndedQuestion, TICK, Watch};
use crate::error::CommandResult;
use crate::printer::{Printer, json_line};
use crate::terminal::keys::Keys;

/// An answer: `{"id": …, "option": …}`, or the two words.
#[derive(Deserialize)]
struct AnswerLine {
    id: String,
    option: String,
}

impl AnswerLine {
    fn read(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok().or_else(|| {
            let (id, option) = line.split_once(char::is_whitespace)?;
            Some(Self { id: id.to_owned(), option: option.trim().to_owned() })
        })
    }
}

impl Watch {
    pub(crate) fn stream(&self, printer: &Printer) -> CommandResult {
        let mut keys = Keys::from_stdin();
        let mut known: BTreeSet<String> = BTreeSet::new();
        let mut rounds = None;
        let say = |line: &WatchLineV1| printer.line(json_line(line));
        say(&WatchLineV1::Watching { v: 1 });
        while self.is_running(printer) && !keys.is_over() {
            let (open, ended) = self.poll(&mut rounds)?;
            for EndedQuestion { request, how, option, why } in ended {
                known.remove(&request.id);
                say(&WatchLineV1::Closed { id: request.id, how, option, why });
            }
            for request in &open {
                if known.insert(request.id.clone()) {
                    say(&WatchLineV1::ApprovalQuestion {
                        question: Box::new(ApprovalRequestV1::new(request)),
                    });
                }
            }
            if let Some(line) = keys.next_line(TICK).filter(|line| !line.is_empty()) {
                say(&self.answer(&line));
            }
        }
        Ok(0)
    }

    fn answer(&self, line: &str) -> WatchLineV1 {
        let Some(AnswerLine { id, option }) = AnswerLine::read(line) else {
            let why = "an answer is `ID OPTION` or {\"id\": …, \"option\": …}".to_owned();
            return WatchLineV1::Refused { id: None, why };
        };
        match answer::answered(&self.register, &id, &option) {
            Ok(chosen) => {
                self.endings.borrow_mut().answered_here(&id);
                WatchLineV1::Answered { id, option: chosen.choice.label }
            }
            Err(error) => WatchLineV1::Refused { id: Some(id), why: error.to_string() },
        }
    }
}
