//! The one tree that all three formats become. Whatever is checked is checked here, so that a mistake is
//! found in a JSON file in the same words as in a YAML file.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::place::Place;

/// A value, and where it is.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    pub(crate) value: Value,
    pub(crate) place: Place,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Bool(bool),
    Int(i64),
    /// Also a whole number that is too large for [`Value::Int`].
    Float(f64),
    Text(String),
    List(Vec<Node>),
    /// In the order of the file. A key that occurs twice is here twice: which one was meant is nothing a
    /// reader may decide.
    Table(Vec<(Key, Node)>),
}

/// A key, with a place of its own, because most mistakes are in keys.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    pub(crate) text: String,
    pub(crate) place: Place,
}

impl Node {
    /// What it is, for "must be …, not …".
    pub(crate) fn describe(&self) -> String {
        match &self.value {
            Value::Null => "empty".to_owned(),
            Value::Bool(value) => format!("`{value}`"),
            Value::Int(value) => format!("the number `{value}`"),
            Value::Float(value) => format!("the number `{value}`"),
            Value::Text(text) => format!("the text `{}`", shortened(text)),
            Value::List(_) => "a list".to_owned(),
            Value::Table(_) => "a table".to_owned(),
        }
    }

    /// A description of the value, for "cannot be …".
    pub(crate) fn quoted(&self) -> String {
        match &self.value {
            Value::Text(text) => format!("`{}`", shortened(text)),
            Value::Int(value) => format!("`{value}`"),
            Value::Float(value) => format!("`{value}`"),
            Value::Null | Value::Bool(_) | Value::List(_) | Value::Table(_) => self.describe(),
        }
    }

    /// How much memory a copy would take, roughly: one per value and one per byte of text.
    pub(crate) fn weight(&self) -> usize {
        1 + match &self.value {
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => 0,
            Value::Text(text) => text.len(),
            Value::List(items) => items.iter().map(Self::weight).sum(),
            Value::Table(entries) => entries.iter().map(|(key, node)| key.text.len() + node.weight()).sum(),
        }
    }

    /// How many levels of lists and tables it has.
    pub(crate) fn depth(&self) -> usize {
        match &self.value {
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) => 0,
            Value::List(items) => 1 + items.iter().map(Self::depth).max().unwrap_or_default(),
            Value::Table(entries) => {
                1 + entries.iter().map(|(_, node)| node.depth()).max().unwrap_or_default()
            }
        }
    }

    /// Every key that occurs a second time in its table, at any level, with the place of the first.
    pub(crate) fn repeated_keys(&self) -> Vec<(&Key, Place)> {
        match &self.value {
            Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Text(_) => Vec::new(),
            Value::List(items) => items.iter().flat_map(Self::repeated_keys).collect(),
            Value::Table(entries) => {
                let mut repeated = repeated_in(entries);
                repeated.extend(entries.iter().flat_map(|(_, node)| node.repeated_keys()));
                repeated
            }
        }
    }
}

pub(crate) fn repeated_in(entries: &[(Key, Node)]) -> Vec<(&Key, Place)> {
    let mut first: HashMap<&str, Place> = HashMap::with_capacity(entries.len());
    let mut repeated = Vec::new();
    for (key, _) in entries {
        match first.entry(&key.text) {
            Entry::Vacant(free) => {
                free.insert(key.place);
            }
            Entry::Occupied(taken) => repeated.push((key, *taken.get())),
        }
    }
    repeated
}

/// Enough of a text to recognize it, on one line.
pub(crate) fn shortened(text: &str) -> String {
    const LIMIT: usize = 60;
    let line = text.lines().next().unwrap_or_default();
    if line.chars().count() > LIMIT || line.len() < text.trim_end().len() {
        format!("{}…", line.chars().take(LIMIT).collect::<String>())
    } else {
        line.to_owned()
    }
}
