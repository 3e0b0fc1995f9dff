//! Requests without an answer, and which of them were cancelled.

use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use super::input_line::InputLine;

#[derive(Default)]
pub(super) struct Waiting(Mutex<Vec<Request>>);

struct Request {
    number: u64,
    id: String,
    cancelled: bool,
}

impl Waiting {
    /// Notes the line with this number. A cancellation affects only an earlier request, because ids may be reused.
    pub(super) fn note(&self, number: u64, line: &InputLine) {
        let InputLine::Message(message) = line else { return };
        let Some(method) = message.get("method").and_then(Value::as_str) else { return };
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match (method, message.get("id"), message.pointer("/params/requestId")) {
            ("notifications/cancelled", None, Some(id)) => {
                let id = id.to_string();
                let latest = waiting.iter_mut().rev().find(|request| request.id == id && !request.cancelled);
                if let Some(request) = latest {
                    request.cancelled = true;
                }
            }
            // `initialize` cannot be cancelled.
            ("initialize", ..) | (_, None, _) => {}
            (_, Some(id), _) => {
                waiting.push(Request { number, id: id.to_string(), cancelled: false });
            }
        }
    }

    pub(super) fn wants(&self, number: u64) -> bool {
        let waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        !waiting.iter().any(|request| request.number == number && request.cancelled)
    }

    pub(super) fn end(&self, number: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|request| request.number != number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_cancelled_by_what_comes_after_it_and_by_nothing_else() {
        let waiting = Waiting::default();
        let cancel = |id: &str| {
            format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
        };
        let ask = |id: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#);
        let first = r#"{"jsonrpc":"2.0","id":9,"method":"initialize"}"#.to_owned();
        let lines =
            [cancel("1"), ask("1"), ask("2"), ask("\"2\""), cancel("2"), first, cancel("9"), ask("3")];
        for (number, line) in (0..).zip(&lines) {
            waiting.note(number, &InputLine::read(line.as_bytes()));
        }
        let wanted: Vec<u64> = (0..8).filter(|number| waiting.wants(*number)).collect();
        assert_eq!(wanted, [0, 1, 3, 4, 5, 6, 7], "only number 2, by its id");
        for number in [2, 7] {
            waiting.end(number);
        }
        // The answer was on its way when it was taken back; the next of the same id is another request.
        waiting.note(8, &InputLine::read(cancel("3").as_bytes()));
        waiting.note(9, &InputLine::read(ask("3").as_bytes()));
        waiting.note(10, &InputLine::read(ask("2").as_bytes()));
        assert!(waiting.wants(9) && waiting.wants(10));
    }
}
