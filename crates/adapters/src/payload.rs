//! A payload's bytes become a JSON object, or an error with its place.

use std::borrow::Cow;

use serde_json::{Map, Value};
use tenter_contract::json_text::without_lone_surrogates;
use tenter_contract::ports::{DecodeError, Decoded};
use tenter_contract::{AgentName, Event, EventKind, ToolCall, ToolKind, event_names};

mod number_spelling;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Reads a payload as one JSON object.
///
/// A payload that is refused here is one that no guard sees, so it is repaired where that is possible: a byte order mark
/// is skipped, bytes that are no UTF-8 and halves of surrogate pairs become U+FFFD. `serde_json` bounds the nesting, so
/// no payload can exhaust the stack.
pub(crate) fn parse_payload(payload: &[u8]) -> Result<Map<String, Value>, DecodeError> {
    let text = String::from_utf8_lossy(payload.strip_prefix(BOM).unwrap_or(payload));
    if text.trim().is_empty() {
        return Err(DecodeError::Empty);
    }
    match parse_json(&text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(DecodeError::NotAnObject),
        Err(error) => Err(DecodeError::NotJson { detail: error.to_string() }),
    }
}

/// Repairing costs a second pass, so only a text that does not parse is repaired.
fn parse_json(text: &str) -> serde_json::Result<Value> {
    let mut value = serde_json::from_str(text).or_else(|error| match without_lone_surrogates(text) {
        Cow::Borrowed(_) => Err(error),
        Cow::Owned(repaired) => serde_json::from_str(&repaired),
    })?;
    number_spelling::restore(text, &mut value);
    Ok(value)
}

/// The key of an input that is no object. No known tool has an input with this key alone.
const BARE: &str = "value";

/// The input of a call. Hooks are promised an object; any other value is kept under one key.
pub(crate) fn input_object(value: Option<&Value>) -> Map<String, Value> {
    match value {
        Some(Value::Object(fields)) => fields.clone(),
        Some(Value::Null) | None => Map::new(),
        Some(other) => Map::from_iter([(BARE.to_owned(), other.clone())]),
    }
}

/// Accepts an event whose call, if one is about to run, has an input that guards can read: an object, with a command
/// that is one. In any other a guard would find nothing and let it pass. Inputs of unknown tools may have any form.
pub(crate) fn check_call(event: Event) -> Result<Decoded, DecodeError> {
    let about_to_run = matches!(event.kind, EventKind::ToolPre | EventKind::PermissionRequest);
    let call = event.tool.as_ref().filter(|_| about_to_run);
    match call.and_then(unreadable_field) {
        Some(field) => Err(DecodeError::BadField { field }),
        None => Ok(Decoded::Event(Box::new(event))),
    }
}

fn unreadable_field(call: &ToolCall) -> Option<&'static str> {
    let runs = matches!(call.kind, ToolKind::Shell | ToolKind::Other);
    if runs && call.command.is_none() && call.input.get("command").is_some_and(|it| !it.is_null()) {
        return Some("tool_input.command");
    }
    let known = !matches!(call.kind, ToolKind::Mcp | ToolKind::Other);
    (known && call.input.len() == 1 && call.input.contains_key(BARE)).then_some("tool_input")
}

/// The longest name of an event without a counterpart.
const LONGEST_NAME: usize = 80;

/// The kind of an event that the agent's table does not have. Its name becomes part of ours, which occurs in matchers,
/// records and listings. A name of another agent is refused: with the wrong agent in the command, no guard would run.
pub(crate) fn unknown_event_kind(agent: &AgentName, name: &str) -> Result<EventKind, DecodeError> {
    if event_names::find(name).is_some() {
        return Err(DecodeError::OtherAgent { event: name.to_owned() });
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let plain: String = name.chars().take(LONGEST_NAME).map(|c| if allowed(c) { c } else { '_' }).collect();
    Ok(EventKind::Other(format!("{agent}:{plain}")))
}

/// The name under Claude Code's key, in a payload without the agent's own key, unless an agent uses that name: then the
/// payload would be that agent's.
pub(crate) fn unknown_event_name(payload: &Map<String, Value>) -> Option<&str> {
    let name = payload.get("hook_event_name").and_then(Value::as_str)?;
    (!name.is_empty() && event_names::find(name).is_none()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An input that no hook changed goes back to the agent byte for byte.
    #[test]
    fn number_spelling_survives_reading() {
        for number in [
            "33333333333333333333333333333333333333333333333333333333333333333333333333333333333360",
            "18446744073709551616",
            "-9223372036854775809",
            "-0",
            "-0.0",
            "0.10",
            "1E5",
            "1e5",
            "1E+05",
            "1.50e-7",
            "1e999",
            "5e-324",
        ] {
            let text = format!(r#"{{"a":[1,{number},"-1E5 \" 2e2"],"n":{number}}}"#);
            assert_eq!(Value::Object(parse_payload(text.as_bytes()).unwrap()).to_string(), text);
        }
        // A duplicate key hides a number; then the value counts, not its spelling.
        let twice = parse_payload(br#"{"a":1E5,"a":2,"b":3E5}"#).unwrap();
        assert_eq!(Value::Object(twice).to_string(), r#"{"a":2,"b":3e+5}"#);
    }

    fn check(payload: &[u8], expected: &str) {
        let got = match parse_payload(payload) {
            Ok(fields) => Value::Object(fields).to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(got, expected, "{}", String::from_utf8_lossy(payload));
    }

    #[test]
    fn damaged_text_is_repaired() {
        check(b"{\"a\":1}\n", r#"{"a":1}"#);
        check(b"\xEF\xBB\xBF{\"a\":1}", r#"{"a":1}"#);
        check(b"\r\n {\"a\":1}\r\n", r#"{"a":1}"#);
        check(b"{\"a\":\"x\xFFy\"}", "{\"a\":\"x\u{FFFD}y\"}");
        check(br#"{"a":"\u0000"}"#, r#"{"a":"\u0000"}"#);
        check(br#"{"a":"rm \ud83d"}"#, "{\"a\":\"rm \u{FFFD}\"}");
        check(br#"{"a":"\ude00\ud83d\ude00\ud83d\ud83d"}"#, "{\"a\":\"\u{FFFD}😀\u{FFFD}\u{FFFD}\"}");
        check(br#"{"a":"\\ud83d \ud83d"}"#, "{\"a\":\"\\\\ud83d \u{FFFD}\"}");
    }

    #[test]
    fn non_object_error_names_its_place() {
        check(b"", "the payload is empty");
        check(b" \r\n\t", "the payload is empty");
        check(b"\xEF\xBB\xBF\n", "the payload is empty");
        check(b"[1]", "the payload is JSON, but not an object");
        check(b"null", "the payload is JSON, but not an object");
        check(b"hello", "the payload is not JSON: expected value at line 1 column 1");
        check(b"{\"a\":1", "the payload is not JSON: EOF while parsing an object at line 1 column 6");
        check(b"{\"a\":1} {}", "the payload is not JSON: trailing characters at line 1 column 9");
        check(b"\0", "the payload is not JSON: expected value at line 1 column 1");
        check(b"{\"a\":\\", "the payload is not JSON: expected value at line 1 column 6");
        check(
            b"{\"a\":\"x\0y\"}",
            "the payload is not JSON: control character (\\u0000-\\u001F) found while parsing a string at line 1 column 8",
        );
    }

    #[test]
    fn deep_nesting_is_an_error() {
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        check(deep.as_bytes(), "the payload is not JSON: recursion limit exceeded at line 1 column 132");
    }
}
