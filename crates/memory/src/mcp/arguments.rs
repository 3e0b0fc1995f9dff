//! What a tool is given, checked: whoever sends something else is told what to send.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};
use tenter_contract::Timestamp;

use super::caller::Named;
use crate::error::MemoryError;
use crate::questions::Scope;

/// The longest text of a parameter that says nothing else about it, in characters.
pub(super) const LONGEST: usize = 10_000;
/// The longest list, and the longest text in one, in characters.
pub(super) const MOST_TEXTS: usize = 200;
pub(super) const LONGEST_IN_LIST: usize = 2000;
/// What every tool takes, whether it is about the caller or not.
const CALLER: [&str; 2] = ["session_id", "agent_id"];

/// The arguments of a call. A null is no argument.
pub(super) struct Arguments {
    given: Map<String, Value>,
    /// The schemas of the parameters, by their names.
    takes: Map<String, Value>,
    /// Those that must be given.
    needs: Vec<String>,
}

impl Arguments {
    /// What was given to a tool that takes this.
    pub(super) fn new(given: Map<String, Value>, schema: &Value) -> Self {
        let takes = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let needs = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let needs = needs.filter_map(|name| name.as_str().map(str::to_owned)).collect();
        Self { given, takes, needs }
    }

    /// Refuses what is no parameter, because it may be one spelled wrong, and what was meant would not happen. A tool
    /// without parameters takes anything: there are agents that call none with nothing.
    pub(super) fn check_names(&self) -> Result<(), MemoryError> {
        let Some(name) = self.unknown().into_iter().next().filter(|_| !self.takes.is_empty()) else {
            return Ok(());
        };
        let known: Vec<&str> = self.takes.keys().map(String::as_str).collect();
        Err(no_parameter(&name, &known))
    }

    /// Arguments that are no parameters.
    pub(super) fn unknown(&self) -> Vec<String> {
        let is_known = |key: &str| self.takes.contains_key(key) || CALLER.contains(&key);
        let given = self.given.iter().filter(|(key, value)| !value.is_null() && !is_known(key));
        given.map(|(key, _)| key.clone()).collect()
    }

    /// What the caller says about itself.
    pub(super) fn caller(&self) -> Result<Named, MemoryError> {
        Ok(Named { session: self.id("session_id")?, agent_id: self.id("agent_id")? })
    }

    /// A text that must be there; whether it says something is for others to judge.
    pub(super) fn text(&self, key: &str) -> Result<String, MemoryError> {
        self.optional(key)?.ok_or_else(|| self.missing(key))
    }

    /// Names this one and all others that are missing, so that nobody is told of one after the other.
    fn missing(&self, key: &str) -> MemoryError {
        let form = |name: &str| match self.takes.get(name).and_then(|schema| schema.get("enum")?.as_array()) {
            Some(words) => {
                let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
                format!("one of: {}", words.join(", "))
            }
            None => "a text".to_owned(),
        };
        let missing: Vec<&String> = self.needs.iter().filter(|name| self.get(name).is_none()).collect();
        if missing.len() < 2 {
            return MemoryError::validation(format!("`{key}` is missing; it is {}", form(key)));
        }
        let named: Vec<String> = missing.iter().map(|name| format!("`{name}` ({})", form(name))).collect();
        MemoryError::validation(format!("{} are missing; give all of them", named.join(", ")))
    }

    /// A text that may be missing.
    pub(super) fn optional(&self, key: &str) -> Result<Option<String>, MemoryError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => {
                let limit = self.takes.get(key).and_then(|schema| schema.get("maxLength")?.as_u64());
                let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(LONGEST);
                within(key, text, limit).map(|()| Some(text.clone()))
            }
            Some(other) => Err(wrong(key, "a text", other)),
        }
    }

    /// An id that may be missing, but is not empty.
    pub(super) fn id(&self, key: &str) -> Result<Option<String>, MemoryError> {
        match self.optional(key)? {
            Some(id) if id.trim().is_empty() => {
                Err(MemoryError::validation(format!("`{key}` is empty; leave it out or give the id")))
            }
            id => Ok(id),
        }
    }

    /// An id that must be there; `list` is the tool that lists them.
    pub(super) fn required_id(&self, key: &str, list: &str) -> Result<String, MemoryError> {
        let id = self.text(key)?;
        if id.trim().is_empty() {
            return Err(MemoryError::validation(format!("`{key}` is empty; `{list}` has the ids")));
        }
        Ok(id)
    }

    /// A word of a fixed list; `read` names the list if it is none.
    pub(super) fn word<W, E: Into<MemoryError>>(
        &self,
        key: &str,
        read: impl Fn(&str) -> Result<W, E>,
    ) -> Result<Option<W>, MemoryError> {
        self.optional(key)?.map(|text| read(&text).map_err(Into::into)).transpose()
    }

    /// A word that must be there.
    pub(super) fn required_word<W, E: Into<MemoryError>>(
        &self,
        key: &str,
        read: impl Fn(&str) -> Result<W, E>,
    ) -> Result<W, MemoryError> {
        read(&self.text(key)?).map_err(Into::into)
    }

    /// A whole number within bounds.
    pub(super) fn whole(
        &self,
        key: &str,
        default: usize,
        bounds: RangeInclusive<usize>,
    ) -> Result<usize, MemoryError> {
        let Some(value) = self.get(key) else { return Ok(default) };
        // `10.0` is what some clients make of 10.
        let as_float =
            || value.as_f64().filter(|number| number.fract() == 0.0 && (0.0..1e15).contains(number));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a whole number within what fits, as was just seen"
        )]
        let number = value.as_u64().or_else(|| as_float().map(|number| number as u64));
        let number = number.and_then(|number| usize::try_from(number).ok());
        number.filter(|number| bounds.contains(number)).ok_or_else(|| {
            let (least, most) = (bounds.start(), bounds.end());
            let bounds = if *most == usize::MAX {
                format!("a whole number from {least}")
            } else {
                format!("a whole number from {least} to {most}")
            };
            if !value.is_number() {
                return wrong(key, &bounds, value);
            }
            let value = shown(&value.to_string());
            MemoryError::validation(format!("`{key}` is out of range ({value}); it is {bounds}"))
        })
    }

    /// A number from 0 to 1.
    pub(super) fn share(&self, key: &str, default: f64) -> Result<f64, MemoryError> {
        Ok(self.maybe_share(key)?.unwrap_or(default))
    }

    pub(super) fn maybe_share(&self, key: &str) -> Result<Option<f64>, MemoryError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        value.as_f64().filter(|number| (0.0..=1.0).contains(number)).map(Some).ok_or_else(|| {
            if !value.is_number() {
                return wrong(key, "a number from 0 to 1", value);
            }
            let value = shown(&value.to_string());
            MemoryError::validation(format!("`{key}` is out of range ({value}); it is a number from 0 to 1"))
        })
    }

    pub(super) fn flag(&self, key: &str, default: bool) -> Result<bool, MemoryError> {
        Ok(self.maybe_flag(key)?.unwrap_or(default))
    }

    pub(super) fn maybe_flag(&self, key: &str) -> Result<Option<bool>, MemoryError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(other) => Err(wrong(key, "true or false", other)),
        }
    }

    /// A list of texts.
    pub(super) fn texts(&self, key: &str) -> Result<Vec<String>, MemoryError> {
        let Some(value) = self.get(key) else { return Ok(Vec::new()) };
        let texts = value.as_array().and_then(|items| {
            items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<Vec<String>>>()
        });
        let texts = texts.ok_or_else(|| wrong(key, "a list of texts", value))?;
        if texts.len() > MOST_TEXTS {
            let count = texts.len();
            return Err(MemoryError::validation(format!(
                "`{key}` has {count} texts; the limit is {MOST_TEXTS}"
            )));
        }
        texts.iter().try_for_each(|text| within(key, text, LONGEST_IN_LIST))?;
        Ok(texts)
    }

    /// An object with texts in it: what stands under these keys.
    pub(super) fn object<const N: usize>(
        &self,
        key: &str,
        keys: [&str; N],
    ) -> Result<Option<[Option<String>; N]>, MemoryError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let Some(fields) = value.as_object() else {
            let what = format!("an object with {}", keys.map(|key| format!("`{key}`")).join(" and "));
            return Err(wrong(key, &what, value));
        };
        if let Some(name) = fields.keys().find(|name| !keys.contains(&name.as_str())) {
            return Err(no_parameter(&format!("{key}.{name}"), &keys));
        }
        let mut found = [const { None }; N];
        for (place, name) in found.iter_mut().zip(keys) {
            *place = match fields.get(name) {
                None | Some(Value::Null) => None,
                Some(Value::String(text)) => Some(text.clone()),
                Some(other) => return Err(wrong(&format!("{key}.{name}"), "a text", other)),
            };
        }
        Ok(Some(found))
    }

    /// A moment or a day in UTC.
    pub(super) fn moment(&self, key: &str) -> Result<Option<Timestamp>, MemoryError> {
        let Some(text) = self.optional(key)? else { return Ok(None) };
        tenter_ghap::moment::parse(&text).map(Some).ok_or_else(|| {
            MemoryError::validation(format!(
                "`{key}` is no moment in UTC (`{text}`); write 2026-01-31 or 2026-01-31T08:00:00Z"
            ))
        })
    }

    /// Whose: those of the project, unless all are wanted.
    pub(super) fn scope(&self, project: Scope) -> Result<Scope, MemoryError> {
        Ok(if self.flag("all_projects", false)? { Scope::Everywhere } else { project })
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.given.get(key).filter(|value| !value.is_null())
    }
}

fn wrong(key: &str, wanted: &str, value: &Value) -> MemoryError {
    MemoryError::validation(format!("`{key}` is not {wanted}: {}", shown(&value.to_string())))
}

fn no_parameter(name: &str, known: &[&str]) -> MemoryError {
    let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    MemoryError::validation(format!("`{}` is no parameter; there are {}", shown(name), known.join(", ")))
}

/// Space around a text does not count.
fn within(key: &str, text: &str, limit: usize) -> Result<(), MemoryError> {
    // Bytes are at least as many as characters, and known at once.
    let length = if text.len() <= limit { 0 } else { text.trim().chars().count() };
    if length <= limit {
        return Ok(());
    }
    Err(MemoryError::validation(format!(
        "`{key}` has {length} characters; the limit is {limit}: say it shorter"
    )))
}

/// The beginning of what somebody sent.
fn shown(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
