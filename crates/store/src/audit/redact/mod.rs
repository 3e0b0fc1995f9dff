//! Secrets are taken out of a record before it is written: what stands in the trail stays there.
//!
//! Almost no record holds one, so a record is first looked through as one piece of JSON; only if something
//! there looks like a secret is it taken apart, string by string.

mod patterns;

use std::ffi::OsString;
use std::io;

use serde_json::{Map, Value};
use tenter_contract::secret_names::looks_secret;
use tenter_protocol::v1::record::RecordV1;

use self::patterns::Found;
use super::draft::Draft;

/// Shorter values are words or numbers as often as secrets, and would be hidden everywhere.
const SHORTEST: usize = 8;
/// Fields of a record that are always our own words: to hide a part of them would only break filters.
const OUR_WORDS: [&str; 2] = ["timestamp", "event"];
/// Fields below which the keys are the words of models and hooks.
const FOREIGN: [&str; 5] = ["input", "original_input", "change", "output", "data"];

/// The values of those environment variables that hold secrets by their names.
pub fn secret_values(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<String> {
    variables
        .into_iter()
        .filter(|(name, _)| looks_secret(&name.to_string_lossy()))
        .filter_map(|(_, value)| value.into_string().ok())
        .filter(|value| value.chars().count() >= SHORTEST)
        .collect()
}

/// Hides secrets.
#[derive(Debug)]
pub struct Redactor {
    values: Vec<Hidden>,
    /// The bytes with which something begins that may have to be hidden.
    begins: [bool; 256],
}

/// A value that must not be seen. It is no part of messages.
struct Hidden {
    plain: String,
    /// As it stands in JSON.
    escaped: String,
}

impl Default for Redactor {
    fn default() -> Self {
        Self::hiding([])
    }
}

impl Redactor {
    /// Hides these values and whatever is known as a secret by its form.
    pub fn hiding(values: impl IntoIterator<Item = String>) -> Self {
        let mut values: Vec<Hidden> =
            values.into_iter().filter(|value| value.chars().count() >= SHORTEST).map(Hidden::new).collect();
        // A value that begins with another one is hidden as a whole.
        values.sort_by_key(|value| std::cmp::Reverse(value.plain.len()));
        let mut begins = [false; 256];
        let firsts = values.iter().flat_map(|value| [&value.plain, &value.escaped]);
        for byte in firsts.filter_map(|value| value.bytes().next()).chain(patterns::BEGINS) {
            begins[usize::from(byte)] = true;
        }
        Self { values, begins }
    }

    /// Spells a record without its secrets.
    pub(crate) fn draft(&self, record: &RecordV1) -> io::Result<Draft> {
        let draft = Draft::of(record)?;
        if !self.suspects(draft.bytes()) {
            return Ok(draft);
        }
        self.taken_apart(record)
    }

    #[cold]
    fn taken_apart(&self, record: &RecordV1) -> io::Result<Draft> {
        let mut value = serde_json::to_value(record)?;
        if let Value::Object(fields) = &mut value {
            for (_, field) in fields.iter_mut().filter(|(key, _)| !OUR_WORDS.contains(&key.as_str())) {
                self.clean(field);
            }
        }
        Draft::of(&value)
    }

    /// Whether there may be a secret in some JSON. What stands before it is not looked at: the `n` of an
    /// escaped newline is no letter of a word.
    fn suspects(&self, json: &[u8]) -> bool {
        self.candidates(json, 0).any(|at| {
            self.values.iter().any(|value| stands_at(&json[at..], &value.escaped))
                || patterns::at(json, at).is_some()
        })
    }

    fn clean(&self, value: &mut Value) {
        match value {
            Value::String(text) => {
                if let Some(clean) = self.text(text) {
                    *text = clean;
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|inner| self.clean(inner)),
            Value::Object(fields) => {
                for (key, inner) in fields.iter_mut() {
                    self.clean(inner);
                    if FOREIGN.contains(&key.as_str()) {
                        self.clean_keys(inner);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn clean_keys(&self, value: &mut Value) {
        match value {
            Value::Array(list) => list.iter_mut().for_each(|inner| self.clean_keys(inner)),
            Value::Object(fields) => {
                let mut clean = Map::new();
                for (key, mut inner) in std::mem::take(fields) {
                    self.clean_keys(&mut inner);
                    clean.insert(self.text(&key).unwrap_or(key), inner);
                }
                *fields = clean;
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// The text without its secrets; none if it has none.
    pub fn text(&self, text: &str) -> Option<String> {
        let bytes = text.as_bytes();
        let mut clean = String::new();
        let mut done = 0;
        while let Some(Found { begin, end, kind }) =
            self.candidates(bytes, done).find_map(|at| self.secret_at(bytes, at))
        {
            clean.push_str(&text[done..begin]);
            clean.push_str("[redacted:");
            clean.push_str(kind);
            clean.push(']');
            done = end;
        }
        (done > 0).then(|| clean + &text[done..])
    }

    fn secret_at(&self, text: &[u8], at: usize) -> Option<Found> {
        let value = self.values.iter().find(|value| stands_at(&text[at..], &value.plain));
        match value {
            Some(value) => Some(Found { begin: at, end: at + value.plain.len(), kind: "environment" }),
            None if patterns::may_begin(text, at) => patterns::at(text, at),
            None => None,
        }
    }

    fn candidates<'a>(&'a self, text: &'a [u8], from: usize) -> impl Iterator<Item = usize> + 'a {
        let begins = |(_, byte): &(usize, &u8)| self.begins[usize::from(**byte)];
        text.iter().enumerate().skip(from).filter(begins).map(|(at, _)| at)
    }
}

/// Four bytes rule out almost every place, and are compared as one number.
fn stands_at(text: &[u8], value: &str) -> bool {
    text.first_chunk::<4>() == value.as_bytes().first_chunk() && text.starts_with(value.as_bytes())
}

impl Hidden {
    fn new(plain: String) -> Self {
        let quoted = Value::String(plain.clone()).to_string();
        let escaped = quoted[1..quoted.len() - 1].to_owned();
        Self { plain, escaped }
    }
}

impl std::fmt::Debug for Hidden {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Hidden")
    }
}

#[cfg(test)]
mod tests;
