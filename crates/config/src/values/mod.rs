//! The values that keys can have, each read by a function of the same shape.

mod duration;
pub(crate) mod pattern;
mod size;
mod template;

use std::num::NonZeroU32;

use serde_json::{Map, Value as Json};

use crate::fields::Field;
use crate::problem::{Expected, Finding, ProblemKind};
use crate::suggest;
use crate::tree::{Node, Value};

pub use duration::DurationError;
pub(crate) use duration::duration;
pub(crate) use pattern::{number_patterns, patterns, text_patterns};
pub(crate) use size::{size, small_size};
pub(crate) use template::{any_template, shell_template, template};

/// A text, which may be empty.
pub(crate) fn text<'a>(field: &Field<'a>) -> Result<&'a str, Finding> {
    text_or(field, Expected::Text)
}

pub(crate) fn filled_text<'a>(field: &Field<'a>) -> Result<&'a str, Finding> {
    let text = text(field)?;
    if text.trim().is_empty() { Err(empty(field)) } else { Ok(text) }
}

pub(crate) fn texts<'a>(field: &Field<'a>) -> Result<Vec<&'a str>, Finding> {
    items(field, Expected::List)?.iter().map(|item| text_or(item, Expected::List)).collect()
}

/// The items of a list, each as a field of its own.
pub(crate) fn items<'a>(field: &Field<'a>, expected: Expected) -> Result<Vec<Field<'a>>, Finding> {
    let Value::List(items) = &field.node.value else { return Err(field.wrong_type(expected)) };
    Ok(items.iter().map(|node| field.item(node)).collect())
}

pub(crate) fn switch(field: &Field<'_>) -> Result<bool, Finding> {
    let Value::Bool(value) = field.node.value else { return Err(field.wrong_type(Expected::Bool)) };
    Ok(value)
}

pub(crate) fn whole_number(field: &Field<'_>) -> Result<i32, Finding> {
    let wrong = || field.wrong_type(Expected::WholeNumber);
    let Value::Int(value) = field.node.value else { return Err(wrong()) };
    i32::try_from(value).map_err(|_| wrong())
}

/// A whole number of 1 or more.
pub(crate) fn positive_number(field: &Field<'_>) -> Result<NonZeroU32, Finding> {
    let wrong = || field.wrong_type(Expected::PositiveNumber);
    let Value::Int(value) = field.node.value else { return Err(wrong()) };
    u32::try_from(value).ok().and_then(NonZeroU32::new).ok_or_else(wrong)
}

/// One word of a closed set.
pub(crate) fn word<T: Copy>(field: &Field<'_>, allowed: &[(&'static str, T)]) -> Result<T, Finding> {
    let found = if let Value::Text(text) = &field.node.value { text.as_str() } else { "" };
    if let Some((_, value)) = allowed.iter().find(|(word, _)| *word == found) {
        return Ok(*value);
    }
    let allowed: Vec<&'static str> = allowed.iter().map(|(word, _)| *word).collect();
    Err(field.problem(ProblemKind::BadValue {
        key: field.path.clone(),
        found: field.node.quoted(),
        suggestion: suggest::nearest(found, allowed.iter().copied()),
        allowed,
    }))
}

pub(crate) fn json_object(field: &Field<'_>) -> Result<Map<String, Json>, Finding> {
    let Json::Object(entries) = json(field.node) else { return Err(field.wrong_type(Expected::Table)) };
    Ok(entries)
}

/// Any value as JSON. A number that JSON cannot say is `null`.
pub(crate) fn json(node: &Node) -> Json {
    match &node.value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::from(*value),
        Value::Int(value) => Json::from(*value),
        Value::Float(value) => Json::from(*value),
        Value::Text(text) => Json::from(text.as_str()),
        Value::List(items) => items.iter().map(json).collect(),
        Value::Table(entries) => entries.iter().map(|(key, node)| (key.text.clone(), json(node))).collect(),
    }
}

fn text_or<'a>(field: &Field<'a>, expected: Expected) -> Result<&'a str, Finding> {
    let Value::Text(text) = &field.node.value else { return Err(field.wrong_type(expected)) };
    Ok(text)
}

fn empty(field: &Field<'_>) -> Finding {
    field.problem(ProblemKind::EmptyValue { key: field.path.clone() })
}
