//! The protocol with an MCP server: initialization and requests. Pure; the transports send the messages.

use serde_json::{Map, Value, json};
use tenter_contract::json_text::without_lone_surrogates;

/// The supported versions, preferred first. The parts we use are the same in all of them.
pub(super) const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const GREETING: u64 = 1;
const QUESTION: u64 = 2;
const METHOD_NOT_FOUND: i64 = -32601;
/// Most characters of a server's message.
const LONGEST_WORDS: usize = 300;

/// The longest message of a server. A hook uses `max_output` bytes of it; a deny behind that must be found.
pub(super) const MESSAGE_LIMIT: usize = 16 * 1024 * 1024;

/// A message, also one with half an emoji in a text.
pub(super) fn message_of(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes).ok().or_else(|| {
        let text = String::from_utf8_lossy(bytes);
        serde_json::from_str(&without_lone_surrogates(&text)).ok()
    })
}

pub(super) fn too_long(most: usize) -> String {
    format!("the server's answer is longer than {most} bytes")
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Question {
    pub(super) method: &'static str,
    pub(super) params: Map<String, Value>,
}

#[derive(Debug)]
pub(super) struct Talk {
    question: Question,
    number: u64,
    version: Option<String>,
    stage: Stage,
    /// The text of an error, as the server wrote it.
    error_text: String,
}

#[derive(Debug)]
enum Stage {
    Greeting,
    Asking,
    Over(Result<Map<String, Value>, String>),
    /// Complete; the result was taken.
    Idle,
}

impl Talk {
    pub(super) fn about(question: Question) -> Self {
        Self { question, number: QUESTION, version: None, stage: Stage::Greeting, error_text: String::new() }
    }

    /// The message of another request. Responses to earlier requests no longer count.
    pub(super) fn again(&mut self, question: Question) -> Value {
        self.number += 1;
        self.question = question;
        self.stage = Stage::Asking;
        self.asked()
    }

    /// The message that cancels the request.
    pub(super) fn give_up(&mut self) -> Value {
        self.stage = Stage::Idle;
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": self.number } })
    }

    pub(super) fn opening() -> Value {
        json!({ "jsonrpc": "2.0", "id": GREETING, "method": "initialize", "params": {
            "protocolVersion": VERSIONS[0],
            "capabilities": {},
            "clientInfo": { "name": "tenter", "version": env!("CARGO_PKG_VERSION") },
        } })
    }

    /// Processes a message and returns the responses to send. Unexpected messages are skipped.
    pub(super) fn hear(&mut self, message: Value) -> Vec<Value> {
        match message {
            // One version of the protocol sends several at once.
            Value::Array(several) => several.into_iter().flat_map(|message| self.hear(message)).collect(),
            Value::Object(message) if message.contains_key("method") => {
                asked_back(&message).into_iter().collect()
            }
            Value::Object(message) => self.answered(message),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
        }
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over(_) | Stage::Idle)
    }

    pub(super) fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// The result or its error; `None` while the request is open.
    pub(super) fn outcome(&mut self) -> Option<Result<Map<String, Value>, String>> {
        match std::mem::replace(&mut self.stage, Stage::Idle) {
            Stage::Over(outcome) => Some(outcome),
            other => {
                self.stage = other;
                None
            }
        }
    }

    /// The message and data of the server's error.
    pub(super) fn error_text(&self) -> &str {
        &self.error_text
    }

    /// Ends it for a reason of our own.
    pub(super) fn break_off(&mut self, why: String) {
        if !self.is_over() {
            self.stage = Stage::Over(Err(why));
        }
    }

    pub(super) fn waits_for(&self) -> &'static str {
        match self.stage {
            Stage::Greeting => "initialize",
            Stage::Asking | Stage::Over(_) | Stage::Idle => self.question.method,
        }
    }

    fn answered(&mut self, mut message: Map<String, Value>) -> Vec<Value> {
        let expected = match self.stage {
            Stage::Greeting => GREETING,
            Stage::Asking => self.number,
            Stage::Over(_) | Stage::Idle => return Vec::new(),
        };
        if message.get("id").and_then(Value::as_u64) != Some(expected) {
            return Vec::new();
        }
        let method = self.waits_for();
        let result = match (message.remove("result"), message.get("error")) {
            (Some(Value::Object(result)), None) => result,
            (_, Some(error)) => {
                self.error_text = error_text(error);
                self.stage = Stage::Over(Err(refusal(method, error)));
                return Vec::new();
            }
            (_, None) => {
                self.stage = Stage::Over(Err(format!("the server answered `{method}` with no result")));
                return Vec::new();
            }
        };
        if matches!(self.stage, Stage::Asking) {
            self.stage = Stage::Over(Ok(result));
            return Vec::new();
        }
        self.greeted(&result)
    }

    fn greeted(&mut self, result: &Map<String, Value>) -> Vec<Value> {
        let version = result.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
        if !VERSIONS.contains(&version) {
            let version = shortened(version);
            let known = VERSIONS.join(", ");
            self.stage = Stage::Over(Err(format!(
                "the server speaks version `{version}` of MCP; tenter speaks {known}"
            )));
            return Vec::new();
        }
        self.version = Some(version.to_owned());
        self.stage = Stage::Asking;
        vec![json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }), self.asked()]
    }

    fn asked(&self) -> Value {
        let Question { method, params } = &self.question;
        json!({ "jsonrpc": "2.0", "id": self.number, "method": method, "params": params })
    }
}

/// The response to a request of the server. We offer no capabilities.
fn asked_back(message: &Map<String, Value>) -> Option<Value> {
    let id = message.get("id").filter(|id| id.is_string() || id.is_number())?;
    Some(match message.get("method").and_then(Value::as_str) {
        Some("ping") => json!({ "jsonrpc": "2.0", "id": id, "result": {} }),
        _ => json!({ "jsonrpc": "2.0", "id": id, "error": {
            "code": METHOD_NOT_FOUND, "message": "a hook's client offers nothing but ping",
        } }),
    })
}

fn error_text(error: &Value) -> String {
    let words = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let parts = ["message", "data"].into_iter().filter_map(|key| error.get(key)).map(words);
    if error.is_object() { parts.collect::<Vec<_>>().join("\n") } else { words(error) }
}

fn refusal(method: &str, error: &Value) -> String {
    let words = error.get("message").and_then(Value::as_str).unwrap_or("no reason given");
    let code = error.get("code").and_then(Value::as_i64).map(|code| format!(" ({code})")).unwrap_or_default();
    format!("the server refused `{method}`: {}{code}", shortened(words))
}

/// A server's text on one line, shortened for a message.
pub(super) fn shortened(words: &str) -> String {
    let line = words.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let mut line = line.collect::<Vec<_>>().join(" ");
    if line.len() > LONGEST_WORDS {
        line.truncate(line.floor_char_boundary(LONGEST_WORDS));
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn talk() -> Talk {
        Talk::about(Question { method: "tools/call", params: Map::new() })
    }

    fn greeting(version: &str) -> Value {
        json!({ "jsonrpc": "2.0", "id": 1, "result": { "protocolVersion": version, "capabilities": {} } })
    }

    fn methods(messages: &[Value]) -> Vec<&str> {
        messages.iter().map(|message| message["method"].as_str().unwrap_or("-")).collect()
    }

    #[test]
    fn a_greeting_a_question_and_an_answer() {
        for version in VERSIONS {
            let mut talk = talk();
            let said = talk.hear(greeting(version));
            assert_eq!(methods(&said), ["notifications/initialized", "tools/call"]);
            assert_eq!(talk.version(), Some(version));
            assert!(talk.hear(json!({ "id": 2, "result": { "a": 1 } })).is_empty() && talk.is_over());
            assert_eq!(Value::from(talk.outcome().unwrap().unwrap()), json!({ "a": 1 }));
        }
    }

    #[test]
    fn the_next_question_is_another_and_a_late_answer_is_none() {
        let mut talk = talk();
        talk.hear(greeting(VERSIONS[0]));
        let given_up = talk.give_up();
        assert_eq!(
            (&given_up["method"], &given_up["params"]["requestId"]),
            (&json!("notifications/cancelled"), &json!(2))
        );
        let next = talk.again(Question { method: "tools/list", params: Map::new() });
        assert_eq!((&next["id"], &next["method"]), (&json!(3), &json!("tools/list")));
        talk.hear(json!({ "id": 2, "result": { "late": true } }));
        assert!(!talk.is_over());
        talk.hear(json!({ "id": 3, "result": { "tools": [] } }));
        assert_eq!(Value::from(talk.outcome().unwrap().unwrap()), json!({ "tools": [] }));
        assert_eq!((talk.outcome(), talk.is_over()), (None, true));
    }

    #[test]
    fn a_server_that_cannot_or_does_not_want_to_says_why() {
        for (heard, why) in [
            (greeting("1999-01-01"), "speaks version `1999-01-01` of MCP; tenter speaks 2025-11-25"),
            (json!({ "id": 1, "result": {} }), "speaks version ``"),
            (json!({ "id": 1, "result": 3 }), "with no result"),
            (json!({ "id": 1 }), "with no result"),
            (
                json!({ "id": 1, "error": { "code": -32600, "message": "go\n\n away" } }),
                "the server refused `initialize`: go away (-32600)",
            ),
        ] {
            let mut talk = talk();
            assert!(talk.hear(heard).is_empty());
            let said = talk.outcome().unwrap().unwrap_err();
            assert!(said.contains(why), "{said}");
        }
    }

    #[test]
    fn what_nobody_asked_for_is_passed_over() {
        let mut talk = talk();
        for heard in [
            json!({ "id": 2, "result": { "content": [] } }),
            json!({ "id": "1", "result": {} }),
            json!({ "method": "notifications/message", "params": {} }),
            json!({ "method": "ping" }),
            json!([]),
            json!(null),
        ] {
            assert!(talk.hear(heard.clone()).is_empty() && !talk.is_over(), "{heard}");
        }
        assert_eq!(talk.waits_for(), "initialize");
    }

    #[test]
    fn a_server_may_ask_back_and_gets_nothing_but_a_ping() {
        let mut talk = talk();
        let said = talk.hear(json!([
            { "jsonrpc": "2.0", "id": "a", "method": "ping" },
            { "jsonrpc": "2.0", "id": 7, "method": "sampling/createMessage", "params": {} },
            { "jsonrpc": "2.0", "id": 8, "method": "roots/list" },
        ]));
        assert_eq!(said[0], json!({ "jsonrpc": "2.0", "id": "a", "result": {} }));
        assert_eq!((&said[1]["id"], &said[1]["error"]["code"]), (&json!(7), &json!(-32601)));
        assert_eq!(said[2]["error"]["code"], -32601);
    }
}
