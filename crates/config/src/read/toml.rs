//! TOML, with the spans that its parser keeps.

use toml::Spanned;
use toml::de::{DeInteger, DeTable, DeValue};

use super::{syntax, syntax_with};
use crate::place::{Lines, Place};
use crate::problem::Finding;
use crate::source::Format;
use crate::tree::{Key, Node, Value};

/// Reads a TOML file. The parser bounds nesting by itself.
pub(super) fn read(text: &str) -> Result<Node, Finding> {
    let lines = Lines::new(text);
    let document = DeTable::parse(text).map_err(|error| refusal(&error, text, &lines))?;
    let value = Value::Table(entries(document.into_inner(), &lines));
    Ok(Node { value, place: Place::START })
}

/// The parser refuses repeated keys itself, and with them the file, but not in words that help.
fn refusal(error: &toml::de::Error, text: &str, lines: &Lines<'_>) -> Finding {
    let span = error.span().unwrap_or_default();
    let place = lines.place(span.start);
    let kind = if error.message().contains("duplicate key") {
        let key = text.get(span).unwrap_or_default().trim().trim_matches(['"', '\'']);
        syntax_with(Format::Toml, format!("the key `{key}` occurs twice"), "keep one of the two")
    } else {
        syntax(Format::Toml, error.message())
    };
    Finding::at(place, kind)
}

/// The parser sorts keys by name; hooks are distinguished by their place in the file, so that order is restored.
fn entries(table: DeTable<'_>, lines: &Lines<'_>) -> Vec<(Key, Node)> {
    let mut spanned: Vec<_> = table.into_iter().collect();
    spanned.sort_by_key(|(key, _)| key.span().start);
    spanned
        .into_iter()
        .map(|(key, value)| {
            let place = lines.place(key.span().start);
            (Key { text: key.into_inner().into_owned(), place }, node(value, lines))
        })
        .collect()
}

fn node(spanned: Spanned<DeValue<'_>>, lines: &Lines<'_>) -> Node {
    let place = lines.place(spanned.span().start);
    let value = match spanned.into_inner() {
        DeValue::String(text) => Value::Text(text.into_owned()),
        DeValue::Integer(integer) => whole(&integer),
        DeValue::Float(float) => Value::Float(float.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(value) => Value::Bool(value),
        // No key of ours is a date; as a text it fails where it is, with the text in the message.
        DeValue::Datetime(moment) => Value::Text(moment.to_string()),
        DeValue::Array(array) => Value::List(array.into_iter().map(|item| node(item, lines)).collect()),
        DeValue::Table(table) => Value::Table(entries(table, lines)),
    };
    Node { value, place }
}

fn whole(integer: &DeInteger<'_>) -> Value {
    match i64::from_str_radix(integer.as_str(), integer.radix()) {
        Ok(value) => Value::Int(value),
        Err(_) => Value::Float(integer.as_str().parse().unwrap_or(f64::NAN)),
    }
}
