//! Builders for the JSON schemas of tool parameters.

use serde_json::{Map, Value, json};

use super::arguments::{LONGEST, LONGEST_IN_LIST, MOST_TEXTS};

/// An object with these parameters; those marked with [`needed`] are required.
pub(super) fn object(parameters: Vec<(&str, Value)>) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for (name, mut schema) in parameters {
        if schema.as_object_mut().and_then(|fields| fields.remove(NEEDED)).is_some() {
            required.push(name);
        }
        properties.insert(name.to_owned(), schema);
    }
    json!({"type": "object", "properties": properties, "required": required})
}

/// Marks a required parameter; [`object`] removes it.
const NEEDED: &str = "needed";

pub(super) fn needed(mut schema: Value) -> Value {
    schema[NEEDED] = Value::Bool(true);
    schema
}

pub(super) fn text(description: &str) -> Value {
    short(description, LONGEST)
}

pub(super) fn short(description: &str, most: usize) -> Value {
    json!({"type": "string", "description": description, "maxLength": most})
}

pub(super) fn word(description: &str, words: &[&str]) -> Value {
    json!({"type": "string", "description": description, "enum": words})
}

pub(super) fn texts(description: &str) -> Value {
    let item = json!({"type": "string", "maxLength": LONGEST_IN_LIST});
    json!({"type": "array", "items": item, "maxItems": MOST_TEXTS, "description": description})
}

pub(super) fn whole(description: &str, least: u64, most: u64, default: u64) -> Value {
    json!({
        "type": "integer", "description": description, "minimum": least, "maximum": most, "default": default,
    })
}

/// Without a default, because a missing value keeps the stored one.
pub(super) fn share(description: &str) -> Value {
    json!({"type": "number", "description": description, "minimum": 0, "maximum": 1})
}

pub(super) fn flag(description: &str, default: bool) -> Value {
    json!({"type": "boolean", "description": description, "default": default})
}

/// Adds the parameters of tools about the caller's own entry.
pub(super) fn with_session(mut parameters: Vec<(&'static str, Value)>) -> Vec<(&'static str, Value)> {
    parameters.extend([
        ("session_id", text("The session, if it is not the one of this server; usually left out")),
        ("agent_id", text("The sub-agent that calls, if it has an entry of its own; usually left out")),
    ]);
    parameters
}

/// A word of a list, with a default.
pub(super) fn word_or(description: &str, words: &[&str], default: &str) -> Value {
    let mut schema = word(description, words);
    schema["default"] = json!(default);
    schema
}

pub(super) fn all_projects() -> (&'static str, Value) {
    ("all_projects", flag("Include other projects", false))
}
