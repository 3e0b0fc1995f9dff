//! JSON with comments: by the places its parser names, laid out as the rest of the file is.

use jsonc_parser::ast::{Object, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde_json::{Map, Value as Json};

use super::{NewEntry, in_style};

fn under_event(entry: &NewEntry) -> Json {
    Json::Object(Map::from_iter([(entry.event.clone(), Json::Array(vec![entry.keys()]))]))
}

/// A file of its own.
pub(super) fn alone(entry: &NewEntry) -> String {
    let file = serde_json::json!({"version": 1, "hooks": under_event(entry)});
    format!("{}\n", serde_json::to_string_pretty(&file).unwrap_or_default())
}

pub(super) fn on_one_line(entry: &NewEntry) -> String {
    entry.keys().to_string()
}

pub(super) fn ways(entry: &NewEntry, text: &str) -> Vec<String> {
    let options =
        ParseOptions { allow_comments: true, allow_trailing_commas: true, ..ParseOptions::default() };
    let Ok(parsed) = parse_to_ast(text, &CollectOptions::default(), &options) else { return Vec::new() };
    let Some(Node::Object(root)) = parsed.value else { return Vec::new() };
    let unit = unit(text, &root);
    let hooks = match find(&root, "hooks") {
        Some(Node::Object(hooks)) => Some(hooks),
        Some(_) => return Vec::new(),
        None => None,
    };
    let list = hooks.and_then(|hooks| find(hooks, &entry.event));
    let way = match (hooks, list) {
        (_, Some(Node::Array(list))) => {
            let children = list.elements.iter().map(|child| (child.start(), child.end())).collect();
            Container { inside: (list.range.start + 1, list.range.end - 1), children }.with(
                text,
                unit,
                None,
                &entry.keys(),
            )
        }
        (_, Some(_)) => return Vec::new(),
        (Some(hooks), None) => {
            Container::of(hooks).with(text, unit, Some(&entry.event), &Json::Array(vec![entry.keys()]))
        }
        (None, None) => Container::of(&root).with(text, unit, Some("hooks"), &under_event(entry)),
    };
    vec![way]
}

fn find<'n, 'a>(object: &'n Object<'a>, key: &str) -> Option<&'n Node<'a>> {
    object.properties.iter().find(|property| property.name.as_str() == key).map(|property| &property.value)
}

/// An object or an array, by its places in the text.
struct Container {
    /// Between the brackets.
    inside: (usize, usize),
    children: Vec<(usize, usize)>,
}

impl Container {
    fn of(object: &Object<'_>) -> Self {
        let children = object.properties.iter().map(|child| (child.start(), child.end())).collect();
        Self { inside: (object.range.start + 1, object.range.end - 1), children }
    }

    /// The text with one more child at the end.
    fn with(&self, text: &str, unit: &str, key: Option<&str>, value: &Json) -> String {
        let (start, end) = self.inside;
        let base = indent(text, start);
        let deep = self.children.last().map(|(start, _)| *start).filter(|start| own_line(text, *start));
        let own = deep.map_or_else(|| format!("{base}{unit}"), |start| indent(text, start).to_owned());
        let key = key.map(|key| format!("{}: ", Json::from(key))).unwrap_or_default();
        let on_one_line = !self.children.is_empty() && deep.is_none() && !text[start..end].contains('\n');
        let new = if on_one_line {
            format!(" {key}{value}")
        } else {
            format!("\n{own}{key}{}", pretty(value, &own, unit))
        };
        let new = in_style(&new, text);
        let Some((_, last)) = self.children.last().copied() else {
            let closing = in_style(&format!("\n{base}"), text);
            let kept = text[start..end].trim_end();
            return format!("{}{kept}{new}{closing}{}", &text[..start], &text[end..]);
        };
        // Behind what is said about the last child, before the line of the closing bracket.
        let place = text[..end].trim_end().len();
        match comma_after(text, last) {
            Some(_) => format!("{}{new},{}", &text[..place], &text[place..]),
            None => format!("{},{}{new}{}", &text[..last], &text[last..place], &text[place..]),
        }
    }
}

/// A value over several lines, its first at the end of a line that is so deep.
fn pretty(value: &Json, own: &str, unit: &str) -> String {
    let deeper = format!("{own}{unit}");
    let joined = |items: Vec<String>| items.join(&format!(",\n{deeper}"));
    match value {
        Json::Object(entries) if !entries.is_empty() => {
            let entry = |(key, value): (&String, &Json)| {
                format!("{}: {}", Json::from(key.as_str()), pretty(value, &deeper, unit))
            };
            format!("{{\n{deeper}{}\n{own}}}", joined(entries.iter().map(entry).collect()))
        }
        Json::Array(items) if items.iter().any(Json::is_object) => {
            let items = items.iter().map(|item| pretty(item, &deeper, unit)).collect();
            format!("[\n{deeper}{}\n{own}]", joined(items))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => {
            value.to_string()
        }
    }
}

/// The comma after a place, if nothing but spaces and comments stands between.
fn comma_after(text: &str, place: usize) -> Option<usize> {
    let mut rest = &text[place..];
    loop {
        rest = rest.trim_start();
        let comment = if rest.starts_with("//") {
            rest.find('\n')
        } else if rest.starts_with("/*") {
            rest.find("*/").map(|end| end + 2)
        } else {
            return rest.starts_with(',').then(|| text.len() - rest.len());
        };
        rest = &rest[comment?..];
    }
}

/// By how much a child stands to the right of its parent.
fn unit<'t>(text: &'t str, root: &Object<'_>) -> &'t str {
    let first = root.properties.iter().map(Ranged::start).find(|start| own_line(text, *start));
    first.map(|start| indent(text, start)).filter(|unit| !unit.is_empty()).unwrap_or("  ")
}

/// The spaces at the beginning of the line that a place is in.
fn indent(text: &str, place: usize) -> &str {
    let line = &text[line_start(text, place)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Whether only spaces stand before a place in its line.
fn own_line(text: &str, place: usize) -> bool {
    let start = line_start(text, place);
    start > 0 && text[start..place].trim().is_empty()
}

fn line_start(text: &str, place: usize) -> usize {
    text[..place].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Every text into which the entry may have been put: without it, without what was made for it, and without
/// the comma before or behind.
pub(super) fn without(entry: &NewEntry, text: &str) -> Vec<String> {
    let one_line = |value: &Json| value.to_string();
    let values = [
        ("\"hooks\": ".to_owned(), under_event(entry)),
        (format!("{}: ", Json::from(entry.event.as_str())), Json::Array(vec![entry.keys()])),
        (String::new(), entry.keys()),
    ];
    let mut texts = Vec::new();
    for (key, value) in &values {
        let mut pieces = vec![format!("{key}{}", one_line(value))];
        for line in text.lines().filter(|line| line.contains(key.as_str())) {
            let own = &line[..line.len() - line.trim_start().len()];
            for unit in ["  ", "    ", "\t"] {
                pieces.push(in_style(&format!("{key}{}", pretty(value, own, unit)), text));
            }
        }
        pieces.sort();
        pieces.dedup();
        for piece in pieces {
            for (at, _) in text.match_indices(&piece) {
                let (before, after) = (text[..at].trim_end(), &text[at + piece.len()..]);
                // The container was empty.
                texts.push(format!("{before}{}", after.trim_start()));
                texts.push(format!("{before}{}", after.strip_prefix(',').unwrap_or(after)));
                if let Some(comma) = before.rfind(',') {
                    texts.push(format!("{}{}{after}", &before[..comma], &before[comma + 1..]));
                }
            }
        }
    }
    texts
}
