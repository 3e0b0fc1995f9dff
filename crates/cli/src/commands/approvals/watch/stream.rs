//! The same for a program: a line of JSON for everything that happens, a line on stdin for every answer.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;
use tenter_protocol::v1::inquiry::InquiryV1;

use super::super::super::{Ended, json_line};
use super::super::answer;
use super::keys::Keys;
use super::{TICK, Watch};
use crate::printer::Printer;

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
    pub(super) fn stream(&self, printer: &Printer) -> Ended {
        let mut keys = Keys::of_stdin();
        let mut known: BTreeMap<String, ()> = BTreeMap::new();
        let mut rounds = None;
        printer.line(json_line(&json!({"type": "watching"})));
        while self.goes_on() {
            let open = self.open(&mut rounds)?;
            let gone: Vec<String> =
                known.keys().filter(|id| !open.iter().any(|it| it.id == **id)).cloned().collect();
            for id in gone {
                known.remove(&id);
                printer.line(json_line(&json!({"type": "closed", "id": id})));
            }
            for inquiry in &open {
                if known.insert(inquiry.id.clone(), ()).is_none() {
                    let question = InquiryV1::of(inquiry);
                    printer.line(json_line(&json!({"type": "question", "question": question})));
                }
            }
            if let Some(line) = keys.next_line(TICK).filter(|line| !line.is_empty()) {
                printer.line(json_line(&self.take(&line)));
            }
        }
        Ok(0)
    }

    fn take(&self, line: &str) -> serde_json::Value {
        let Some(AnswerLine { id, option }) = AnswerLine::read(line) else {
            return json!({"type": "refused", "why": "an answer is `ID OPTION` or {\"id\": …, \"option\": …}"});
        };
        match answer::answered(&self.register, &id, &option) {
            Ok(choice) => json!({"type": "answered", "id": id, "option": choice.label}),
            Err(error) => json!({"type": "refused", "id": id, "why": error.to_string()}),
        }
    }
}
