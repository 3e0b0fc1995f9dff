//! Redacts secrets and private texts of a record before it is written, because the trail is never rewritten.
//!
//! Few records have secrets, so a record is first searched as one piece of JSON, and string by string only if something
//! looks like a secret.

mod assigned;
mod begins;
mod encoded;
mod flags;
mod headers;
mod marked;
mod patterns;
mod rules;
mod stores;
mod tokens;
mod words;

use std::ffi::OsString;
use std::io;

use serde_json::{Map, Value};
use tenter_contract::secret_names::looks_secret;
use tenter_protocol::v1::record::RecordV1;

use self::begins::{Begins, FORM, TAG, VALUE};
use self::encoded::Decoded;
use self::patterns::Span;
use super::draft::Draft;

pub use self::marked::{Marked, PRIVATE, marked};

/// Shorter values are often words or numbers, and would be hidden everywhere.
const SHORTEST: usize = 8;
/// Fields of a record with values of tenter alone. Redaction would only break filters.
const OUR_WORDS: [&str; 2] = ["timestamp", "event"];
/// Fields whose keys come from models and hooks.
const FOREIGN: [&str; 5] = ["input", "original_input", "change", "output", "data"];
/// A private tag does not count in a command, so that a model cannot hide what it runs.
const RUN: &str = "command";

/// The values of those environment variables that hold secrets by their names.
pub fn secret_values(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<String> {
    variables
        .into_iter()
        .filter(|(name, _)| looks_secret(&name.to_string_lossy()))
        .filter_map(|(_, value)| value.into_string().ok())
        .filter(|value| value.chars().count() >= SHORTEST)
        .collect()
}

/// Hides secrets. Only this module knows their forms.
#[derive(Debug)]
pub struct Redactor {
    values: Vec<Hidden>,
    begins: Begins,
}

/// A secret value, which messages do not show.
struct Hidden {
    plain: String,
    /// Its spelling in JSON.
    escaped: String,
}

impl Default for Redactor {
    fn default() -> Self {
        Self::hiding([])
    }
}

impl Redactor {
    /// Hides these values, and secrets by their form.
    pub fn hiding(values: impl IntoIterator<Item = String>) -> Self {
        let mut values: Vec<Hidden> =
            values.into_iter().filter(|value| value.chars().count() >= SHORTEST).map(Hidden::new).collect();
        // The longest first: a value may begin with another one.
        values.sort_by_key(|value| std::cmp::Reverse(value.plain.len()));
        let firsts = values.iter().flat_map(|value| [&value.plain, &value.escaped]);
        let begins = Begins::with_values(firsts.filter_map(|value| value.bytes().next()));
        Self { values, begins }
    }

    /// Serializes a record without its secrets.
    pub(crate) fn draft(&self, record: &RecordV1) -> io::Result<Draft> {
        let draft = Draft::new(record)?;
        if !self.suspects(draft.bytes()) {
            return Ok(draft);
        }
        self.redact_strings(record)
    }

    #[cold]
    fn redact_strings(&self, record: &RecordV1) -> io::Result<Draft> {
        let mut value = serde_json::to_value(record)?;
        if let Value::Object(fields) = &mut value {
            for (_, field) in fields.iter_mut().filter(|(key, _)| !OUR_WORDS.contains(&key.as_str())) {
                self.clean(field, "");
            }
        }
        Draft::new(&value)
    }

    /// Whether JSON may have something to hide.
    fn suspects(&self, json: &[u8]) -> bool {
        self.begins.candidates(json, 0).any(|(at, begins)| {
            begins & VALUE != 0 && self.values.iter().any(|value| begins_with(&json[at..], &value.escaped))
                || begins & FORM != 0 && (encoded::may_begin_at(json, at) || patterns::at(json, at).is_some())
                || begins & TAG != 0 && marked::may_begin_at(json, at)
        })
    }

    /// Redacts the value of this key.
    fn clean(&self, value: &mut Value, key: &str) {
        match value {
            Value::String(text) => {
                if let Some(public) = (key != RUN).then(|| without_private(text)).flatten() {
                    *text = public;
                }
                if let Some(kind) = assigned::of_field(key, text) {
                    *text = hidden(kind);
                } else if let Some(clean) = self.text(text) {
                    *text = clean;
                }
            }
            Value::Array(list) => list.iter_mut().for_each(|inner| self.clean(inner, key)),
            Value::Object(fields) => {
                for (key, inner) in fields.iter_mut() {
                    self.clean(inner, key);
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
        let mut found = Vec::new();
        self.find(text.as_bytes(), &|begin, end| (begin, end), &mut found);
        // Texts with escapes, and with escaped escapes.
        let mut decoded = Decoded::parse(text.as_bytes());
        for _ in 0..2 {
            let Some(level) = decoded else { break };
            self.find(&level.bytes, &|begin, end| level.place(begin, end), &mut found);
            decoded = level.again();
        }
        found.sort_by_key(|(begin, end, _)| (*begin, std::cmp::Reverse(*end)));
        let mut clean = String::new();
        let mut done = 0;
        for (begin, end, kind) in found {
            let (begin, end) = (text.floor_char_boundary(begin), text.ceil_char_boundary(end));
            if begin < done {
                // It overlaps with a hidden part.
                done = done.max(end);
                continue;
            }
            clean.push_str(&text[done..begin]);
            clean.push_str(&hidden(kind));
            done = end;
        }
        (done > 0).then(|| clean + &text[done..])
    }

    /// Finds the secrets of a text, and maps their positions by `place`.
    fn find(&self, text: &[u8], place: &dyn Fn(usize, usize) -> (usize, usize), found: &mut Vec<Span>) {
        let mut done = 0;
        while let Some((begin, end, kind)) =
            self.begins.candidates(text, done).find_map(|(at, begins)| self.secret_at(text, at, begins))
        {
            let end = end + patterns::rest_of_long(&text[begin..], end - begin);
            let (first, last) = place(begin.max(done), end);
            found.push((first, last, kind));
            done = end.max(done + 1);
        }
    }

    fn secret_at(&self, text: &[u8], at: usize, begins: u64) -> Option<Span> {
        let value = (begins & VALUE != 0)
            .then(|| self.values.iter().find(|value| begins_with(&text[at..], &value.plain)))
            .flatten();
        match value {
            Some(value) => Some((at, at + value.plain.len(), "environment")),
            None if begins & FORM != 0 => patterns::at(text, at),
            None => None,
        }
    }
}

/// The text that replaces a secret.
fn hidden(kind: &str) -> String {
    format!("[redacted:{kind}]")
}

/// The text without its private parts; none if it has none.
fn without_private(text: &str) -> Option<String> {
    let places = marked(text, PRIVATE);
    let mut public = String::new();
    let mut done = 0;
    for place in places.iter().filter(|place| place.holds_something) {
        public.push_str(&text[done..place.range.start]);
        public.push_str(&hidden(PRIVATE));
        done = place.range.end;
    }
    (done > 0).then(|| public + &text[done..])
}

/// Four bytes exclude almost every place, and are compared as one number.
fn begins_with(text: &[u8], value: &str) -> bool {
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
