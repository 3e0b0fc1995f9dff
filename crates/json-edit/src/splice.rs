//! Splices that add and remove children. Removing an added child gives the text from before; the one exception is a
//! container of spaces, which comes back empty.

use std::ops::Range;

use jsonc_parser::ast::Value as Node;
use jsonc_parser::common::Range as Span;
use jsonc_parser::tokens::TokenAndRange;

use serde_json::Value;

use super::{Child, style};

pub(super) struct Parsed<'a> {
    pub(super) text: &'a str,
    pub(super) root: &'a Node<'a>,
    pub(super) tokens: &'a [TokenAndRange<'a>],
}

/// An object or an array, by its places.
pub(super) struct Container {
    /// Between the brackets.
    pub(super) inside: Range<usize>,
    /// Properties or elements.
    pub(super) children: Vec<Span>,
}

/// A piece of text in the place of another.
#[derive(Debug)]
pub(super) struct Splice {
    place: Range<usize>,
    text: String,
}

impl Splice {
    pub(super) fn new(place: Range<usize>, text: impl Into<String>) -> Self {
        Self { place, text: text.into() }
    }
}

/// The text with the splices, which are in the order of their places.
pub(super) fn apply(text: &str, splices: Vec<Splice>) -> String {
    let mut edited = String::with_capacity(text.len());
    let mut copied = 0;
    for splice in splices {
        edited.push_str(&text[copied..splice.place.start]);
        edited.push_str(&splice.text);
        copied = splice.place.end;
    }
    edited.push_str(&text[copied..]);
    edited
}

/// Adds a child after the last one.
pub(super) fn append(parsed: &Parsed<'_>, container: &Container, child: Child<'_>) -> Vec<Splice> {
    let text = parsed.text;
    let (newline, unit) = (style::newline(text), style::unit(text, parsed.root));
    let base = style::indent(text, container.inside.start);
    let new = match child {
        Child::Property(key, value) => format!("{}: {value}", Value::from(key)),
        Child::Element(value) => value.to_owned(),
        Child::Spread(key, value) => return append_spread(parsed, container, key, value),
    };
    if text[container.inside.clone()].trim().is_empty() {
        let laid_out = match child {
            Child::Element(_) => new,
            _ => format!("{newline}{base}{unit}{new}{newline}{base}"),
        };
        return vec![Splice::new(container.inside.clone(), laid_out)];
    }
    // After the comments of the last child, before the line of the closing bracket.
    let place = text[..container.inside.end].trim_end().len();
    let last = container.children.last();
    let separator = match (last, child) {
        (Some(last), _) if style::own_line(text, last.start) => {
            format!("{newline}{}", style::indent(text, last.start))
        }
        (_, Child::Element(_)) if !parsed.after_line_comment(container.inside.end) => " ".to_owned(),
        _ => format!("{newline}{base}{unit}"),
    };
    insert(parsed, container, place, &format!("{separator}{new}"))
}

/// Inserts a text after the last child and its comments, with the comma that it needs.
fn insert(parsed: &Parsed<'_>, container: &Container, place: usize, new: &str) -> Vec<Splice> {
    match container.children.last() {
        None => vec![Splice::new(place..place, new)],
        Some(last) if parsed.comma_after(last.end).is_some() => {
            vec![Splice::new(place..place, format!("{new},"))]
        }
        Some(last) => vec![Splice::new(last.end..last.end, ","), Splice::new(place..place, new)],
    }
}

fn append_spread(
    parsed: &Parsed<'_>,
    container: &Container,
    key: Option<&str>,
    value: &Value,
) -> Vec<Splice> {
    let (text, inside) = (parsed.text, &container.inside);
    let (newline, unit) = (style::newline(text), style::unit(text, parsed.root));
    let base = style::indent(text, inside.start);
    let key = key.map(|key| format!("{}: ", Value::from(key))).unwrap_or_default();
    let sibling = container.children.last().map(|last| last.start);
    let own_line = sibling.filter(|start| style::own_line(text, *start));
    let indent = own_line.map_or(format!("{base}{unit}"), |start| style::indent(text, start).to_owned());
    let shares_line = sibling.is_some() && own_line.is_none() && !text[inside.clone()].contains('\n');
    let new = if shares_line {
        format!(" {key}{value}")
    } else {
        format!("\n{indent}{key}{}", style::spread(value, &indent, unit)).replace('\n', newline)
    };
    let place = text[..inside.end].trim_end().len();
    if container.children.is_empty() {
        return vec![Splice::new(place.max(inside.start)..inside.end, format!("{new}{newline}{base}"))];
    }
    insert(parsed, container, place, &new)
}

/// Removes a child, with the spaces before it and the comma that joined it to its siblings.
pub(super) fn remove(parsed: &Parsed<'_>, container: &Container, index: usize) -> Option<Vec<Splice>> {
    let text = parsed.text;
    let child = container.children.get(index)?;
    let comma = parsed.comma_after(child.end);
    let end = comma.map_or(child.end, |comma| comma + 1);
    let (inside, before) = (&container.inside, text[..child.start].trim_end().len());
    let alone = container.children.len() == 1;
    if alone
        && before == inside.start
        && text[child.end..inside.end].trim_matches([',', ' ', '\t', '\r', '\n']).is_empty()
    {
        return Some(vec![Splice::new(inside.clone(), "")]);
    }
    // The line break after a line comment must stay if something follows that the comment would swallow.
    let needs_its_line =
        parsed.after_line_comment(child.start) && !style::rest_of_line(text, end).trim().is_empty();
    let first_in_line = index == 0 && !style::own_line(text, child.start);
    let start = if needs_its_line || (first_in_line && comma.is_some()) { child.start } else { before };
    let mut splices = Vec::new();
    match (comma, index.checked_sub(1).and_then(|previous| container.children.get(previous))) {
        (Some(comma), _) => {
            splices.push(Splice::new(start..child.end, ""));
            let rest = style::rest_of_line(text, end);
            let spaces = rest.len() - rest.trim_start().len();
            let and_spaces = if start == child.start && spaces < rest.len() { spaces } else { 0 };
            splices.push(Splice::new(comma..end + and_spaces, ""));
        }
        (None, previous) => {
            let joined = previous.and_then(|previous| parsed.comma_after(previous.end));
            splices.extend(joined.map(|comma| Splice::new(comma..comma + 1, "")));
            // The comma may be among the spaces before the child.
            let start = joined.map_or(start, |comma| start.max(comma + 1));
            splices.push(Splice::new(start..child.end, ""));
        }
    }
    Some(splices)
}
