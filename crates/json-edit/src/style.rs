//! The layout of a text, for additions that look like the rest.

use jsonc_parser::ast::Value as Node;
use jsonc_parser::common::Ranged;
use serde_json::Value;

pub(super) fn newline(text: &str) -> &'static str {
    let first = text.find('\n').and_then(|end| text[..end].chars().next_back());
    if first == Some('\r') { "\r\n" } else { "\n" }
}

/// The indentation of a child relative to its parent.
pub(super) fn unit<'t>(text: &'t str, root: &Node<'_>) -> &'t str {
    const USUAL: &str = "  ";
    let Node::Object(object) = root else { return USUAL };
    let base = indent(text, object.range.start);
    let own_line = object.properties.iter().map(Ranged::start).find(|place| own_line(text, *place));
    own_line
        .and_then(|place| indent(text, place).strip_prefix(base))
        .filter(|unit| !unit.is_empty())
        .unwrap_or(USUAL)
}

/// The spaces and tabs at the beginning of the line that a place is in.
pub(super) fn indent(text: &str, place: usize) -> &str {
    let line = &text[line_start(text, place)..];
    let end = line.find(|c| c != ' ' && c != '\t').unwrap_or(line.len());
    &line[..end]
}

/// Whether only spaces come before a place in its line.
pub(super) fn own_line(text: &str, place: usize) -> bool {
    let start = line_start(text, place);
    start > 0 && text[start..place].trim().is_empty()
}

/// The text after a place in its line.
pub(super) fn rest_of_line(text: &str, place: usize) -> &str {
    let rest = &text[place..];
    &rest[..rest.find(['\n', '\r']).unwrap_or(rest.len())]
}

fn line_start(text: &str, place: usize) -> usize {
    text[..place].rfind('\n').map_or(0, |newline| newline + 1)
}

/// A value over several lines, after a line with this indentation. Lists without objects stay on one line.
pub(super) fn spread(value: &Value, indent: &str, unit: &str) -> String {
    let deeper = format!("{indent}{unit}");
    let joined = |items: Vec<String>| items.join(&format!(",\n{deeper}"));
    match value {
        Value::Object(entries) if !entries.is_empty() => {
            let entry = |(key, value): (&String, &Value)| {
                format!("{}: {}", Value::from(key.as_str()), spread(value, &deeper, unit))
            };
            format!("{{\n{deeper}{}\n{indent}}}", joined(entries.iter().map(entry).collect()))
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            let items = items.iter().map(|item| spread(item, &deeper, unit)).collect();
            format!("[\n{deeper}{}\n{indent}]", joined(items))
        }
        _ => value.to_string(),
    }
}
