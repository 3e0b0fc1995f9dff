//! Servers below a key of a JSON file, edited in place.

use serde_json::Value;
use tenter_contract::ports::SettingsError;

use super::{SERVER, program_of, taken};
use tenter_json_edit::{Child, JsonText, Step};

pub(super) fn register(settings: Option<&str>, key: &str, entry: &Value) -> Result<String, SettingsError> {
    let mut edited = JsonText::parse(settings.unwrap_or_default())?;
    if edited.value().is_none() {
        edited.start_object();
    }
    let before = checked(&edited, key)?;
    let written = spaced(entry);
    let place = [Step::Key(key), Step::Key(SERVER)];
    match before.get(key).map(|servers| servers.get(SERVER)) {
        None => {
            edited.append(&[], Child::Property(key, "{}"))?;
            edited.append(&[Step::Key(key)], Child::Property(SERVER, &written))?;
        }
        Some(None) => edited.append(&[Step::Key(key)], Child::Property(SERVER, &written))?,
        Some(Some(found)) if found == entry => {}
        Some(Some(found)) if program(found).is_some() => edited.replace(&place, &written)?,
        Some(Some(_)) => return Err(taken()),
    }
    let after = checked(&edited, key)?;
    if others(&before, key) != others(&after, key) || after[key][SERVER] != *entry {
        return Err(SettingsError::WouldDamage);
    }
    Ok(edited.into_text())
}

/// The text without our server, and without the key if it was put in with it.
pub(super) fn cut(settings: &str, key: &str, before: Option<&str>) -> Result<String, SettingsError> {
    let mut edited = JsonText::parse(settings)?;
    let value = checked(&edited, key)?;
    edited.remove(&[Step::Key(key), Step::Key(SERVER)])?;
    let empty =
        checked(&edited, key)?.get(key).and_then(Value::as_object).is_some_and(serde_json::Map::is_empty);
    // An empty key from before belongs to the user. Without that text it is removed: an empty list has no effect.
    let existed = before
        .and_then(|before| JsonText::parse(before).ok()?.value())
        .is_some_and(|value| value.get(key).is_some());
    if empty && !existed {
        edited.remove(&[Step::Key(key)])?;
    }
    let after = edited.value().ok_or(SettingsError::WouldDamage)?;
    if others(&value, key) != others(&after, key) {
        return Err(SettingsError::WouldDamage);
    }
    Ok(edited.into_text())
}

pub(super) fn registered(settings: &str, key: &str) -> Result<Option<String>, SettingsError> {
    let settings = JsonText::parse(settings)?;
    if settings.value().is_none() {
        return Ok(None);
    }
    Ok(checked(&settings, key)?.get(key).and_then(|servers| program(servers.get(SERVER)?)))
}

/// The program of an entry, if it is ours; the command is a word and its arguments, or one list.
fn program(entry: &Value) -> Option<String> {
    let mut words: Vec<&str> = Vec::new();
    for part in [entry.get("command"), entry.get("args")].into_iter().flatten() {
        match part {
            Value::String(word) => words.push(word),
            Value::Array(list) => words.extend(list.iter().filter_map(Value::as_str)),
            _ => return None,
        }
    }
    program_of(&words)
}

/// A value on one line, as people write it.
fn spaced(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields =
                fields.iter().map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), spaced(value)));
            format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(spaced).collect::<Vec<_>>().join(", ")),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

/// The settings as a value, with the types we build on.
fn checked(settings: &JsonText, key: &str) -> Result<Value, SettingsError> {
    let value = settings.value().unwrap_or_default();
    let wrong = |what: String| Err(SettingsError::WrongType { what, expected: "an object, `{ … }`" });
    if !value.is_object() {
        return wrong("its content".to_owned());
    }
    match value.get(key) {
        Some(servers) if !servers.is_object() => wrong(format!("`{key}`")),
        _ => Ok(value),
    }
}

/// Everything that is not ours; an empty list of servers is none.
fn others(value: &Value, key: &str) -> Value {
    let mut value = value.clone();
    if let Some(servers) = value.get_mut(key).and_then(Value::as_object_mut) {
        servers.remove(SERVER);
        if servers.is_empty()
            && let Some(fields) = value.as_object_mut()
        {
            fields.remove(key);
        }
    }
    value
}
