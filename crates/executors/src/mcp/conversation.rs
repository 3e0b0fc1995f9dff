//! The protocol with an MCP server: initialization and requests. Pure; the transports send the messages.

use serde_json::{Map, Value, json};
use tenter_contract::json_text::without_lone_surrogates;

/// The supported versions, preferred first. The parts we use are the same in all of them.
pub(super) const VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

const INITIALIZE_ID: u64 = 1;
const FIRST_REQUEST_ID: u64 = 2;
const METHOD_NOT_FOUND: i64 = -32601;
/// The most bytes of a server's text in a message.
const LONGEST_TEXT: usize = 300;

/// The longest message of a server. A hook uses `max_output` bytes of it; a deny behind them must be found.
pub(super) const MESSAGE_LIMIT: usize = 16 * 1024 * 1024;

/// Parses a message, also one with half an emoji in a text.
pub(super) fn parse_message(bytes: &[u8]) -> Option<Value> {
    serde_json::from_slice(bytes).ok().or_else(|| {
        let text = String::from_utf8_lossy(bytes);
        serde_json::from_str(&without_lone_surrogates(&text)).ok()
    })
}

pub(super) fn too_long(most: usize) -> String {
    format!("the server's answer is longer than {most} bytes")
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct McpRequest {
    pub(super) method: &'static str,
    pub(super) params: Map<String, Value>,
}

#[derive(Debug)]
pub(super) struct Conversation {
    request: McpRequest,
    number: u64,
    version: Option<String>,
    stage: Stage,
    /// The text of an error, as the server wrote it.
    error_text: String,
}

#[derive(Debug)]
enum Stage {
    Initializing,
    Requesting,
    Done(Result<Map<String, Value>, String>),
    /// The result was returned.
    Idle,
}

impl Conversation {
    pub(super) fn new(request: McpRequest) -> Self {
        Self {
            request,
            number: FIRST_REQUEST_ID,
            version: None,
            stage: Stage::Initializing,
            error_text: String::new(),
        }
    }

    /// Starts another request and returns its message. Responses to earlier requests no longer count.
    pub(super) fn next_request(&mut self, request: McpRequest) -> Value {
        self.number += 1;
        self.request = request;
        self.stage = Stage::Requesting;
        self.request_message()
    }

    /// The message that cancels the request.
    pub(super) fn cancel(&mut self) -> Value {
        self.stage = Stage::Idle;
        json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": self.number } })
    }

    pub(super) fn initialize_message() -> Value {
        json!({ "jsonrpc": "2.0", "id": INITIALIZE_ID, "method": "initialize", "params": {
            "protocolVersion": VERSIONS[0],
            "capabilities": {},
            "clientInfo": { "name": "tenter", "version": env!("CARGO_PKG_VERSION") },
        } })
    }

    /// Processes a message and returns the responses to send. Unexpected messages are skipped.
    pub(super) fn receive(&mut self, message: Value) -> Vec<Value> {
        match message {
            // One version of the protocol sends several at once.
            Value::Array(several) => several.into_iter().flat_map(|message| self.receive(message)).collect(),
            Value::Object(message) if message.contains_key("method") => {
                response_to_server(&message).into_iter().collect()
            }
            Value::Object(message) => self.receive_response(message),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
        }
    }

    pub(super) fn is_done(&self) -> bool {
        matches!(self.stage, Stage::Done(_) | Stage::Idle)
    }

    pub(super) fn version(&self) -> Option<&str> {
        self.version.as_deref()
    }

    /// The result or its error; `None` while the request is open.
    pub(super) fn outcome(&mut self) -> Option<Result<Map<String, Value>, String>> {
        match std::mem::replace(&mut self.stage, Stage::Idle) {
            Stage::Done(outcome) => Some(outcome),
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

    /// Ends the request with an error of tenter.
    pub(super) fn fail(&mut self, why: String) {
        if !self.is_done() {
            self.stage = Stage::Done(Err(why));
        }
    }

    pub(super) fn pending_method(&self) -> &'static str {
        match self.stage {
            Stage::Initializing => "initialize",
            Stage::Requesting | Stage::Done(_) | Stage::Idle => self.request.method,
        }
    }

    fn receive_response(&mut self, mut message: Map<String, Value>) -> Vec<Value> {
        let expected = match self.stage {
            Stage::Initializing => INITIALIZE_ID,
            Stage::Requesting => self.number,
            Stage::Done(_) | Stage::Idle => return Vec::new(),
        };
        if message.get("id").and_then(Value::as_u64) != Some(expected) {
            return Vec::new();
        }
        let method = self.pending_method();
        let result = match (message.remove("result"), message.get("error")) {
            (Some(Value::Object(result)), None) => result,
            (_, Some(error)) => {
                self.error_text = error_text(error);
                self.stage = Stage::Done(Err(refusal(method, error)));
                return Vec::new();
            }
            (_, None) => {
                self.stage = Stage::Done(Err(format!("the server answered `{method}` with no result")));
                return Vec::new();
            }
        };
        if matches!(self.stage, Stage::Requesting) {
            self.stage = Stage::Done(Ok(result));
            return Vec::new();
        }
        self.receive_initialize(&result)
    }

    fn receive_initialize(&mut self, result: &Map<String, Value>) -> Vec<Value> {
        let version = result.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
        if !VERSIONS.contains(&version) {
            let version = shortened(version);
            let known = VERSIONS.join(", ");
            self.stage = Stage::Done(Err(format!(
                "the server speaks version `{version}` of MCP; tenter speaks {known}"
            )));
            return Vec::new();
        }
        self.version = Some(version.to_owned());
        self.stage = Stage::Requesting;
        vec![json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }), self.request_message()]
    }

    fn request_message(&self) -> Value {
        let McpRequest { method, params } = &self.request;
        json!({ "jsonrpc": "2.0", "id": self.number, "method": method, "params": params })
    }
}

/// The response to a request of the server. We offer no capabilities.
fn response_to_server(message: &Map<String, Value>) -> Option<Value> {
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
pub(super) fn shortened(text: &str) -> String {
    let line = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let mut line = line.collect::<Vec<_>>().join(" ");
    if line.len() > LONGEST_TEXT {
        line.truncate(line.floor_char_boundary(LONGEST_TEXT));
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conversation() -> Conversation {
        Conversation::new(McpRequest { method: "tools/call", params: Map::new() })
    }

    fn greeting(version: &str) -> Value {
        json!({ "jsonrpc": "2.0", "id": 1, "result": { "protocolVersion": version, "capabilities": {} } })
    }

    fn methods(messages: &[Value]) -> Vec<&str> {
        messages.iter().map(|message| message["method"].as_str().unwrap_or("-")).collect()
    }

    #[test]
    fn request_follows_initialization() {
        for version in VERSIONS {
            let mut conversation = conversation();
            let sent = conversation.receive(greeting(version));
            assert_eq!(methods(&sent), ["notifications/initialized", "tools/call"]);
            assert_eq!(conversation.version(), Some(version));
            assert!(
                conversation.receive(json!({ "id": 2, "result": { "a": 1 } })).is_empty()
                    && conversation.is_done()
            );
            assert_eq!(Value::from(conversation.outcome().unwrap().unwrap()), json!({ "a": 1 }));
        }
    }

    #[test]
    fn response_to_a_cancelled_request_is_ignored() {
        let mut conversation = conversation();
        conversation.receive(greeting(VERSIONS[0]));
        let cancelled = conversation.cancel();
        assert_eq!(
            (&cancelled["method"], &cancelled["params"]["requestId"]),
            (&json!("notifications/cancelled"), &json!(2))
        );
        let next = conversation.next_request(McpRequest { method: "tools/list", params: Map::new() });
        assert_eq!((&next["id"], &next["method"]), (&json!(3), &json!("tools/list")));
        conversation.receive(json!({ "id": 2, "result": { "late": true } }));
        assert!(!conversation.is_done());
        conversation.receive(json!({ "id": 3, "result": { "tools": [] } }));
        assert_eq!(Value::from(conversation.outcome().unwrap().unwrap()), json!({ "tools": [] }));
        assert_eq!((conversation.outcome(), conversation.is_done()), (None, true));
    }

    #[test]
    fn refused_initialization_is_explained() {
        for (message, why) in [
            (greeting("1999-01-01"), "speaks version `1999-01-01` of MCP; tenter speaks 2025-11-25"),
            (json!({ "id": 1, "result": {} }), "speaks version ``"),
            (json!({ "id": 1, "result": 3 }), "with no result"),
            (json!({ "id": 1 }), "with no result"),
            (
                json!({ "id": 1, "error": { "code": -32600, "message": "go\n\n away" } }),
                "the server refused `initialize`: go away (-32600)",
            ),
        ] {
            let mut conversation = conversation();
            assert!(conversation.receive(message).is_empty());
            let sent = conversation.outcome().unwrap().unwrap_err();
            assert!(sent.contains(why), "{sent}");
        }
    }

    #[test]
    fn unexpected_messages_are_skipped() {
        let mut conversation = conversation();
        for message in [
            json!({ "id": 2, "result": { "content": [] } }),
            json!({ "id": "1", "result": {} }),
            json!({ "method": "notifications/message", "params": {} }),
            json!({ "method": "ping" }),
            json!([]),
            json!(null),
        ] {
            assert!(conversation.receive(message.clone()).is_empty() && !conversation.is_done(), "{message}");
        }
        assert_eq!(conversation.pending_method(), "initialize");
    }

    #[test]
    fn server_requests_get_ping_or_an_error() {
        let mut conversation = conversation();
        let sent = conversation.receive(json!([
            { "jsonrpc": "2.0", "id": "a", "method": "ping" },
            { "jsonrpc": "2.0", "id": 7, "method": "sampling/createMessage", "params": {} },
            { "jsonrpc": "2.0", "id": 8, "method": "roots/list" },
        ]));
        assert_eq!(sent[0], json!({ "jsonrpc": "2.0", "id": "a", "result": {} }));
        assert_eq!((&sent[1]["id"], &sent[1]["error"]["code"]), (&json!(7), &json!(-32601)));
        assert_eq!(sent[2]["error"]["code"], -32601);
    }
}
