//! The options of a built-in in its hook file.
//!
//! The types were checked when the file was loaded; a hook built in code with a wrong type gets the default.

use serde_json::{Map, Value};
use tenter_contract::{Builtin, Template};

#[derive(Clone, Copy)]
pub(super) struct Options<'a>(&'a Map<String, Value>);

impl<'a> Options<'a> {
    pub(super) fn new(builtin: &'a Builtin) -> Self {
        Self(&builtin.options)
    }

    pub(super) fn count(self, key: &str, default: usize) -> usize {
        let count = self.0.get(key).and_then(Value::as_u64).and_then(|count| usize::try_from(count).ok());
        count.unwrap_or(default)
    }

    pub(super) fn text(self, key: &str) -> Option<&'a str> {
        self.0.get(key).and_then(Value::as_str)
    }

    pub(super) fn template(self, key: &str) -> Option<Template> {
        Template::parse(self.text(key)?).ok()
    }

    /// The texts of a list; a single text is a list of one.
    pub(super) fn texts(self, key: &str) -> Option<Vec<&'a str>> {
        match self.0.get(key)? {
            Value::String(text) => Some(vec![text]),
            Value::Array(items) => Some(items.iter().filter_map(Value::as_str).collect()),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
        }
    }

    pub(super) fn switch(self, key: &str, default: bool) -> bool {
        self.0.get(key).and_then(Value::as_bool).unwrap_or(default)
    }

    pub(super) fn value(self, key: &str) -> Option<&'a Value> {
        self.0.get(key)
    }
}
