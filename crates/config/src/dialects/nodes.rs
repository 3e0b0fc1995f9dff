//! Reads the trees of foreign files and makes parts of our own.

use std::cmp::Ordering;

use crate::fields::Fields;
use crate::place::Place;
use crate::tree::{Key, Node, Value};

pub(super) fn entries(node: &Node) -> Option<&[(Key, Node)]> {
    if let Value::Table(entries) = &node.value { Some(entries) } else { None }
}

pub(super) fn items(node: &Node) -> Option<&[Node]> {
    if let Value::List(items) = &node.value { Some(items) } else { None }
}

/// The value of a key, if the node is a table that has it.
pub(super) fn get<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    entries(node)?.iter().find(|(known, _)| known.text == key).map(|(_, value)| value)
}

/// Whether it is a table with that key.
pub(super) fn has(node: &Node, key: &str) -> bool {
    get(node, key).is_some()
}

/// The value, if it is a text.
pub(super) fn as_text(node: &Node) -> Option<&str> {
    if let Value::Text(text) = &node.value { Some(text) } else { None }
}

/// The text of a field, if it is one.
pub(super) fn text_of<'a>(fields: &Fields<'a>, key: &str) -> Option<&'a str> {
    fields.get(key).and_then(|field| as_text(field.node))
}

pub(super) fn is_true(node: Option<&Node>) -> bool {
    node.is_some_and(|node| node.value == Value::Bool(true))
}

/// A simple value as a person would write it without quotes.
pub(super) fn plain(node: &Node) -> Option<String> {
    match &node.value {
        Value::Text(text) => Some(text.clone()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Int(value) => Some(value.to_string()),
        Value::Float(value) => Some(value.to_string()),
        Value::Null | Value::List(_) | Value::Table(_) => None,
    }
}

/// A text of ours at a place of theirs.
pub(super) fn text(place: Place, text: impl Into<String>) -> Node {
    Node { value: Value::Text(text.into()), place }
}

pub(super) fn switch(place: Place, value: bool) -> Node {
    Node { value: Value::Bool(value), place }
}

pub(super) fn texts<T: Into<String>>(place: Place, items: impl IntoIterator<Item = T>) -> Node {
    Node { value: Value::List(items.into_iter().map(|item| text(place, item)).collect()), place }
}

pub(super) fn table<K: Into<String>>(place: Place, entries: impl IntoIterator<Item = (K, Node)>) -> Node {
    let entry = |(key, node): (K, Node)| (Key { text: key.into(), place }, node);
    Node { value: Value::Table(entries.into_iter().map(entry).collect()), place }
}

/// Whether a table has more keys of one system than of another; if as many, whether its first is of the one.
pub(super) fn has_more_keys(
    entries: &[(Key, Node)],
    own: impl Fn(&str) -> bool,
    others: impl Fn(&str) -> bool,
) -> bool {
    let count = |of: &dyn Fn(&str) -> bool| entries.iter().filter(|(key, _)| of(&key.text)).count();
    let first = entries.iter().find(|(key, _)| own(&key.text) || others(&key.text));
    match count(&own).cmp(&count(&others)) {
        Ordering::Greater => true,
        Ordering::Less => false,
        Ordering::Equal => first.is_some_and(|(key, _)| own(&key.text)),
    }
}
