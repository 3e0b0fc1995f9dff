//! JSON with comments.

use jsonc_parser::ast::{ObjectPropName, Value as Json};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, parse_to_ast};
use tenter_json_edit::parse_options;

use super::{DEPTH_LIMIT, syntax, syntax_with};
use crate::place::{Lines, Place};
use crate::problem::Finding;
use crate::source::Format;
use crate::tree::{Key, Node, Value};

/// Reads a JSON file. Comments and trailing commas pass; the rest of JSON5 does not, because no other tool
/// that touches the file would take it.
pub(super) fn read(text: &str) -> Result<Node, Finding> {
    let lines = Lines::new(text);
    let parsed = parse_to_ast(text, &CollectOptions::default(), &parse_options()).map_err(|error| {
        let detail = lower_first(&error.kind().to_string());
        Finding::at(lines.place(error.range().start), syntax(Format::Json, detail))
    })?;
    match parsed.value {
        Some(json) => node(json, &lines, 0),
        None => Ok(Node { value: Value::Null, place: Place::START }),
    }
}

fn node(json: Json<'_>, lines: &Lines<'_>, depth: usize) -> Result<Node, Finding> {
    let place = lines.place(json.start());
    if depth > DEPTH_LIMIT {
        return Err(Finding::at(
            place,
            syntax_with(Format::Json, "too many levels", "hook files are flat: a hook needs four levels"),
        ));
    }
    let value = match json {
        Json::NullKeyword(_) => Value::Null,
        Json::BooleanLit(literal) => Value::Bool(literal.value),
        Json::NumberLit(literal) => number(literal.value),
        Json::StringLit(literal) => Value::Text(literal.value.into_owned()),
        Json::Array(array) => Value::List(
            array.elements.into_iter().map(|item| node(item, lines, depth + 1)).collect::<Result<_, _>>()?,
        ),
        Json::Object(object) => {
            let mut entries = Vec::with_capacity(object.properties.len());
            for property in object.properties {
                let place = match &property.name {
                    ObjectPropName::String(name) => lines.place(name.range.start),
                    ObjectPropName::Word(name) => lines.place(name.range.start),
                };
                let key = Key { text: property.name.into_string(), place };
                entries.push((key, node(property.value, lines, depth + 1)?));
            }
            Value::Table(entries)
        }
    };
    Ok(Node { value, place })
}

fn number(text: &str) -> Value {
    match text.parse() {
        Ok(whole) => Value::Int(whole),
        // The parser has checked the form, so that only size can be a surprise.
        Err(_) => Value::Float(text.parse().unwrap_or(f64::NAN)),
    }
}

/// Parsers write sentences; ours goes on after a colon.
fn lower_first(sentence: &str) -> String {
    let mut chars = sentence.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}
