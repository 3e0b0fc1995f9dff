//! What a tool is given: read once, checked, and what nobody read is named.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use serde_json::{Map, Value};
use tenter_contract::Timestamp;

use super::caller::Named;
use crate::error::MemoryError;
use crate::questions::Scope;

/// The arguments of a call. A null is no argument.
pub(super) struct Arguments {
    given: Map<String, Value>,
    read: RefCell<BTreeSet<String>>,
}

impl Arguments {
    pub(super) fn new(given: Map<String, Value>) -> Self {
        Self { given, read: RefCell::default() }
    }

    /// What the caller says about itself.
    pub(super) fn caller(&self) -> Result<Named, MemoryError> {
        Ok(Named { session: self.optional("session_id")?, agent_id: self.optional("agent_id")? })
    }

    /// Arguments that no tool has asked for.
    pub(super) fn unread(&self) -> Vec<String> {
        let read = self.read.borrow();
        self.given.keys().filter(|key| !read.contains(*key)).cloned().collect()
    }

    /// A text that must be there; whether it says something is for others to judge.
    pub(super) fn text(&self, key: &str) -> Result<String, MemoryError> {
        self.optional(key)?
            .ok_or_else(|| MemoryError::validation(format!("`{key}` is missing; it is a text")))
    }

    /// A text that may be missing.
    pub(super) fn optional(&self, key: &str) -> Result<Option<String>, MemoryError> {
        match self.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(wrong(key, "a text", other)),
        }
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
            MemoryError::validation(format!("`{key}` is out of range ({value}); it is {bounds}"))
        })
    }

    /// A number from 0 to 1.
    pub(super) fn share(&self, key: &str, default: f64) -> Result<f64, MemoryError> {
        let Some(value) = self.get(key) else { return Ok(default) };
        value.as_f64().filter(|number| (0.0..=1.0).contains(number)).ok_or_else(|| {
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
        texts.ok_or_else(|| wrong(key, "a list of texts", value))
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
        self.read.borrow_mut().insert(key.to_owned());
        self.given.get(key).filter(|value| !value.is_null())
    }
}

fn wrong(key: &str, wanted: &str, value: &Value) -> MemoryError {
    let mut shown: String = value.to_string().chars().take(60).collect();
    if shown.len() < value.to_string().len() {
        shown.push('…');
    }
    MemoryError::validation(format!("`{key}` is not {wanted}: {shown}"))
}
