//! The failure of a turn.

use serde_json::Value;

use super::shape::{Fields, fields};
use super::{ScriptError, ScriptFailure};

const EXAMPLE: &str =
    "write one of `{ status: 429 }`, `{ cut: 2 }`, `{ stall: 2 }`, `{ garbage: \"<html>\" }`";

pub(super) fn parse(value: &Value, place: &str) -> Result<ScriptFailure, ScriptError> {
    let place = format!("{place}, `fails`");
    let fields = fields(value, &place, &["status", "headers", "message", "cut", "stall", "garbage"])?;
    let ways = ["status", "cut", "stall", "garbage"].into_iter().filter(|way| fields.contains_key(*way));
    let [way] = ways.collect::<Vec<_>>()[..] else {
        return Err(ScriptError::new(&place, "the kind of failure is missing or ambiguous", EXAMPLE));
    };
    let extra = ["headers", "message"].into_iter().find(|key| way != "status" && fields.contains_key(*key));
    if let Some(key) = extra {
        return Err(ScriptError::new(&place, &format!("`{key}` needs `status`"), EXAMPLE));
    }
    let count = fields[way].as_u64().and_then(|count| usize::try_from(count).ok());
    match (way, count) {
        ("status", Some(status @ 400..600)) => status_of(status, fields, &place),
        ("status", _) => Err(ScriptError::new(
            &place,
            "`status` is not the status of an error",
            "write a number from 400 to 599",
        )),
        ("cut", Some(events)) => Ok(ScriptFailure::Cut(events)),
        ("stall", Some(events)) => Ok(ScriptFailure::Stall(events)),
        ("garbage", _) => match fields[way].as_str() {
            Some(text) => Ok(ScriptFailure::Garbage(text.to_owned())),
            None => Err(ScriptError::new(&place, "`garbage` is not text", "put the value in quotes")),
        },
        _ => {
            let detail = format!("`{way}` is not a number");
            Err(ScriptError::new(&place, &detail, "write the number of events before it"))
        }
    }
}

fn status_of(status: usize, fields: &Fields, place: &str) -> Result<ScriptFailure, ScriptError> {
    let message = match fields.get("message") {
        None => "The script fails here.",
        Some(Value::String(message)) => message,
        Some(_) => return Err(ScriptError::new(place, "`message` is not text", "put the value in quotes")),
    };
    let headers = match fields.get("headers") {
        None => Vec::new(),
        Some(Value::Object(headers)) => {
            headers.iter().map(|(name, value)| header(name, value, place)).collect::<Result<_, _>>()?
        }
        Some(_) => {
            return Err(ScriptError::new(
                place,
                "`headers` is not a mapping",
                "write `headers: { retry-after: 2 }`",
            ));
        }
    };
    let status = u16::try_from(status).unwrap_or(500);
    Ok(ScriptFailure::Status { status, headers, message: message.to_owned() })
}

fn header(name: &str, value: &Value, place: &str) -> Result<(String, String), ScriptError> {
    let value = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(truth) => truth.to_string(),
        Value::Null | Value::Array(_) | Value::Object(_) => "\n".to_owned(),
    };
    let named = !name.is_empty() && name.chars().all(|c| c == '-' || c.is_ascii_alphanumeric());
    if named && value.chars().all(|c| c == ' ' || c.is_ascii_graphic()) {
        return Ok((name.to_owned(), value));
    }
    let detail = format!("`{}` cannot be sent as a header", name.escape_debug());
    Err(ScriptError::new(place, &detail, "write `headers: { retry-after: 2 }`"))
}
