//! Checks the arguments of a tool call against the tool's schema. Every error names the parameter and what to send.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use tenter_contract::Timestamp;

use super::caller::Named;
use crate::error::MemoryError;
use crate::types::Scope;

/// The longest text of a parameter without a limit of its own, in characters.
pub(super) const LONGEST: usize = 10_000;
/// The longest list, and the longest text in one, in characters.
pub(super) const MOST_TEXTS: usize = 200;
pub(super) const LONGEST_IN_LIST: usize = 2000;
/// Parameters of every tool, also where the schema does not list them.
const CALLER: [&str; 2] = ["session_id", "agent_id"];

/// Arguments that match their schema, with its defaults. A null is no argument.
pub(super) struct Arguments {
    values: Map<String, Value>,
    /// Arguments that are no parameters.
    pub(super) unknown: Vec<String>,
}

impl Arguments {
    /// An unknown name may be a misspelled parameter, so it is refused. A tool without parameters accepts anything,
    /// because some agents cannot call one with nothing.
    pub(super) fn check(mut values: Map<String, Value>, schema: &Value) -> Result<Self, MemoryError> {
        values.retain(|_, value| !value.is_null());
        let properties = properties(schema);
        let is_known = |key: &&String| properties.contains_key(*key) || CALLER.contains(&key.as_str());
        let unknown: Vec<String> = values.keys().filter(|key| !is_known(key)).cloned().collect();
        if let Some(name) = unknown.first().filter(|_| !properties.is_empty()) {
            return Err(no_parameter(name, properties));
        }
        for key in CALLER {
            if let Some(value) = values.get(key) {
                check_value(key, value, &json!({"type": "string"}))?;
            }
        }
        check_object("", &mut values, schema)?;
        Ok(Self { values, unknown })
    }

    /// The caller's own statements about itself.
    pub(super) fn caller(&self) -> Result<Named, MemoryError> {
        Ok(Named { session: self.id("session_id")?, agent_id: self.id("agent_id")? })
    }

    /// The argument of this name, as the type that the caller needs.
    pub(super) fn get<T: DeserializeOwned>(&self, key: &str) -> Result<T, MemoryError> {
        let value = self.values.get(key).cloned().unwrap_or_default();
        serde_json::from_value(value).map_err(|error| MemoryError::validation(format!("`{key}`: {error}")))
    }

    /// All arguments as one value, whose fields are named as the parameters.
    pub(super) fn parse<T: DeserializeOwned>(&self) -> Result<T, MemoryError> {
        serde_json::from_value(Value::Object(self.values.clone()))
            .map_err(|error| MemoryError::validation(error.to_string()))
    }

    pub(super) fn texts(&self, key: &str) -> Result<Vec<String>, MemoryError> {
        Ok(self.get::<Option<_>>(key)?.unwrap_or_default())
    }

    /// An id that may be missing, but is not empty.
    pub(super) fn id(&self, key: &str) -> Result<Option<String>, MemoryError> {
        match self.get::<Option<String>>(key)? {
            Some(id) if id.trim().is_empty() => {
                Err(MemoryError::validation(format!("`{key}` is empty; leave it out or send the id")))
            }
            id => Ok(id),
        }
    }

    /// A required id; `list` is the tool that lists them.
    pub(super) fn required_id(&self, key: &str, list: &str) -> Result<String, MemoryError> {
        let id: String = self.get(key)?;
        if id.trim().is_empty() {
            return Err(MemoryError::validation(format!("`{key}` is empty; `{list}` lists the ids")));
        }
        Ok(id)
    }

    /// A time or a date in UTC.
    pub(super) fn moment(&self, key: &str) -> Result<Option<Timestamp>, MemoryError> {
        let Some(text) = self.get::<Option<String>>(key)? else { return Ok(None) };
        tenter_ghap::moment::parse(&text).map(Some).ok_or_else(|| {
            MemoryError::validation(format!(
                "`{key}` is no time in UTC (`{text}`); write 2026-01-31 or 2026-01-31T08:00:00Z"
            ))
        })
    }

    /// The project, unless the caller wants all.
    pub(super) fn scope(&self, project: Scope) -> Result<Scope, MemoryError> {
        Ok(if self.get("all_projects")? { Scope::Everywhere } else { project })
    }
}

fn properties(schema: &Value) -> &Map<String, Value> {
    static NONE: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    schema["properties"].as_object().unwrap_or(&NONE)
}

/// Checks all values, adds defaults, and names all missing parameters at once. `path` precedes names in messages.
fn check_object(path: &str, values: &mut Map<String, Value>, schema: &Value) -> Result<(), MemoryError> {
    let properties = properties(schema);
    for (key, schema) in properties {
        if let Some(value) = values.get(key).filter(|value| !value.is_null()) {
            let checked = check_value(&format!("{path}{key}"), value, schema)?;
            values.insert(key.clone(), checked);
        } else if let Some(default) = schema.get("default") {
            values.insert(key.clone(), default.clone());
        }
    }
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let missing: Vec<&str> = required.filter(|key| values.get(*key).is_none_or(Value::is_null)).collect();
    let form = |key: &str| match enum_words(&properties[key]) {
        words if words.is_empty() => "a text".to_owned(),
        words => format!("one of: {}", words.join(", ")),
    };
    match missing[..] {
        [] => Ok(()),
        [key] => Err(MemoryError::validation(format!("`{path}{key}` is missing; it is {}", form(key)))),
        _ => {
            let named: Vec<String> =
                missing.iter().map(|key| format!("`{path}{key}` ({})", form(key))).collect();
            Err(MemoryError::validation(format!("{} are missing; send all of them", named.join(", "))))
        }
    }
}

/// The value as its type reads it: `10.0`, which some clients send for 10, becomes 10.
fn check_value(name: &str, value: &Value, schema: &Value) -> Result<Value, MemoryError> {
    let limit = |key: &str, default: usize| {
        schema[key].as_u64().and_then(|limit| usize::try_from(limit).ok()).unwrap_or(default)
    };
    match schema["type"].as_str().unwrap_or_default() {
        "string" => {
            let text = value.as_str().ok_or_else(|| wrong(name, "a text", value))?;
            let words = enum_words(schema);
            if !words.is_empty() {
                let word = text.trim();
                return if words.contains(&word) {
                    Ok(json!(word))
                } else {
                    Err(no_word(name, word, &words))
                };
            }
            within(name, text, limit("maxLength", LONGEST))?;
        }
        kind @ ("integer" | "number") => return check_number(name, value, schema, kind == "integer"),
        "boolean" if !value.is_boolean() => return Err(wrong(name, "true or false", value)),
        "array" => {
            let texts = value.as_array().filter(|items| items.iter().all(Value::is_string));
            let texts = texts.ok_or_else(|| wrong(name, "a list of texts", value))?;
            let (count, most) = (texts.len(), limit("maxItems", MOST_TEXTS));
            if count > most {
                return Err(MemoryError::validation(format!(
                    "`{name}` has {count} texts; the limit is {most}"
                )));
            }
            texts
                .iter()
                .filter_map(Value::as_str)
                .try_for_each(|text| within(name, text, LONGEST_IN_LIST))?;
        }
        "object" => {
            let known = properties(schema);
            let Some(fields) = value.as_object() else {
                let keys: Vec<String> = known.keys().map(|key| format!("`{key}`")).collect();
                return Err(wrong(name, &format!("an object with {}", keys.join(" and ")), value));
            };
            if let Some(unknown) = fields.keys().find(|key| !known.contains_key(*key)) {
                return Err(no_parameter(&format!("{name}.{unknown}"), known));
            }
            let mut fields = fields.clone();
            check_object(&format!("{name}."), &mut fields, schema)?;
            return Ok(Value::Object(fields));
        }
        _ => {}
    }
    Ok(value.clone())
}

fn check_number(name: &str, value: &Value, schema: &Value, whole: bool) -> Result<Value, MemoryError> {
    let (least, most) = (schema["minimum"].as_f64().unwrap_or(0.0), schema["maximum"].as_f64());
    let kind = if whole { "a whole number" } else { "a number" };
    let form = match most {
        Some(most) => format!("{kind} from {least} to {most}"),
        None => format!("{kind} from {least}"),
    };
    let number = value.as_f64().ok_or_else(|| wrong(name, &form, value))?;
    let in_range = (least..=most.unwrap_or(1e15)).contains(&number);
    if !in_range || whole && number.fract() != 0.0 {
        let value = shorten(&value.to_string());
        return Err(MemoryError::validation(format!("`{name}` is out of range ({value}); it is {form}")));
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a whole number below 1e15")]
    Ok(if whole { json!(number as u64) } else { value.clone() })
}

fn enum_words(schema: &Value) -> Vec<&str> {
    schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

fn no_word(name: &str, word: &str, words: &[&str]) -> MemoryError {
    let (word, words) = (shorten(word), words.join(", "));
    MemoryError::validation(format!("`{word}` is no `{name}`; there are: {words}"))
}

fn wrong(name: &str, wanted: &str, value: &Value) -> MemoryError {
    MemoryError::validation(format!("`{name}` is not {wanted}: {}", shorten(&value.to_string())))
}

fn no_parameter(name: &str, known: &Map<String, Value>) -> MemoryError {
    let known: Vec<String> = known.keys().map(|name| format!("`{name}`")).collect();
    MemoryError::validation(format!("`{}` is no parameter; there are {}", shorten(name), known.join(", ")))
}

fn within(name: &str, text: &str, limit: usize) -> Result<(), MemoryError> {
    // Bytes are at least as many as characters, and need no counting.
    let length = if text.len() <= limit { 0 } else { text.trim().chars().count() };
    if length <= limit {
        return Ok(());
    }
    Err(MemoryError::validation(format!(
        "`{name}` has {length} characters; the limit is {limit}: shorten it"
    )))
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
