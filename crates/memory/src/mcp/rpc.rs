//! JSON-RPC 2.0, as much of it as the protocol uses.

use serde_json::{Map, Value, json};

#[derive(Debug)]
pub(super) enum Message<'a> {
    Request { id: &'a Value, method: &'a str, params: &'a Value },
    Notification,
    Response,
    Invalid { id: Value, why: &'static str },
}

static NOTHING: Value = Value::Null;

impl<'a> Message<'a> {
    pub(super) fn read(message: &'a Value) -> Self {
        let Some(fields) = message.as_object() else {
            return Self::Invalid { id: Value::Null, why: "a message is an object" };
        };
        let params = fields.get("params").unwrap_or(&NOTHING);
        match (fields.get("id"), fields.get("method")) {
            (Some(id), _) if !(id.is_string() || id.is_number()) => {
                Self::Invalid { id: Value::Null, why: "an id is a string or a number" }
            }
            (Some(id), Some(Value::String(method))) if is_version_two(fields) => {
                Self::Request { id, method, params }
            }
            (None, Some(Value::String(_))) => Self::Notification,
            (Some(_), None) if fields.contains_key("result") || fields.contains_key("error") => {
                Self::Response
            }
            (id, _) => Self::Invalid {
                id: id.cloned().unwrap_or_default(),
                why: "a request has `\"jsonrpc\": \"2.0\"`, an `id` and a `method`",
            },
        }
    }
}

fn is_version_two(fields: &Map<String, Value>) -> bool {
    fields.get("jsonrpc").and_then(Value::as_str) == Some("2.0")
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) code: i32,
    pub(super) message: String,
}

impl Refusal {
    pub(super) const PARSE: i32 = -32700;
    pub(super) const INVALID: i32 = -32600;
    const METHOD: i32 = -32601;
    const PARAMS: i32 = -32602;
    const INTERNAL: i32 = -32603;
    /// The protocol's own.
    const NO_RESOURCE: i32 = -32002;

    pub(super) fn unknown_method(method: &str) -> Self {
        Self { code: Self::METHOD, message: format!("unknown method: {method}") }
    }

    pub(super) fn params(message: impl Into<String>) -> Self {
        Self { code: Self::PARAMS, message: message.into() }
    }

    pub(super) fn no_resource(message: impl Into<String>) -> Self {
        Self { code: Self::NO_RESOURCE, message: message.into() }
    }

    pub(super) fn internal_error() -> Self {
        Self::internal(
            "internal error while handling this request; please report this bug. The server continues",
        )
    }

    pub(super) fn internal(message: impl Into<String>) -> Self {
        Self { code: Self::INTERNAL, message: message.into() }
    }
}

pub(super) fn response(id: &Value, result: Result<Value, Refusal>) -> Value {
    match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(Refusal { code, message }) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        }
    }
}
