//! YAML, from the parser's events.

use std::collections::HashMap;

use granit_parser::{Event, Marker, Parser, ScalarStyle, Span, StrInput, Tag};

use super::{DEPTH_LIMIT, syntax, syntax_with, yaml_scalar};
use crate::place::{Place, counted};
use crate::problem::Finding;
use crate::source::Format;
use crate::tree::{Key, Node, Value};

/// All that aliases may add to a file, in values and bytes. Ten short lines of nested aliases can otherwise
/// ask for more memory than there is ("billion laughs").
const ALIAS_BUDGET: usize = 100_000;

/// Reads a YAML file of one document.
pub(super) fn read(text: &str) -> Result<Node, Finding> {
    let options = granit_parser::options! {
        flow_nesting_limit: DEPTH_LIMIT,
        block_nesting_limit: DEPTH_LIMIT,
    };
    let parser = Parser::new_from_str_with_options(text, options);
    Reader { parser, anchors: HashMap::new(), budget: ALIAS_BUDGET }.file()
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    anchors: HashMap<usize, Node>,
    budget: usize,
}

impl<'a> Reader<'a> {
    fn file(mut self) -> Result<Node, Finding> {
        let mut document = None;
        while let Some((event, span)) = self.next()? {
            match event {
                Event::DocumentStart(..) if document.is_some() => {
                    return Err(refused(
                        span,
                        "a second document begins here",
                        "keep one document per file, without `---` between hooks",
                    ));
                }
                Event::DocumentStart(..) => {
                    let (event, span) = self.expect_next()?;
                    document = Some(self.node(event, span, 0)?);
                }
                _ => {}
            }
        }
        Ok(document.unwrap_or(Node { value: Value::Null, place: Place::START }))
    }

    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, Finding> {
        match self.parser.next_event() {
            None => Ok(None),
            Some(Ok(found)) => Ok(Some(found)),
            Some(Err(error)) => Err(Finding::at(place(error.marker()), syntax(Format::Yaml, error.info()))),
        }
    }

    fn expect_next(&mut self) -> Result<(Event<'a>, Span), Finding> {
        self.next()?.ok_or_else(|| Finding::at(Place::START, syntax(Format::Yaml, "the file ends too early")))
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<Node, Finding> {
        let at = place(&span.start);
        if depth > DEPTH_LIMIT {
            return Err(refused(span, "too many levels", "hook files are flat: a hook needs four levels"));
        }
        let (value, anchor) = match event {
            Event::Alias(id) => return self.alias(id, span, depth),
            Event::Scalar(text, style, anchor, tag) => (scalar(&text, style, tag.as_deref(), span)?, anchor),
            Event::SequenceStart(_, anchor, tag) => {
                check_tag(tag.as_deref(), "seq", span)?;
                (Value::List(self.items(depth)?), anchor)
            }
            Event::MappingStart(_, anchor, tag) => {
                check_tag(tag.as_deref(), "map", span)?;
                (Value::Table(self.entries(depth)?), anchor)
            }
            _ => return Err(Finding::at(at, syntax(Format::Yaml, "a value is missing here"))),
        };
        let node = Node { value, place: at };
        // The parser uses 0 for "no anchor".
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn items(&mut self, depth: usize) -> Result<Vec<Node>, Finding> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.expect_next()?;
            if event == Event::SequenceEnd {
                return Ok(items);
            }
            items.push(self.node(event, span, depth + 1)?);
        }
    }

    fn entries(&mut self, depth: usize) -> Result<Vec<(Key, Node)>, Finding> {
        let mut entries = Vec::new();
        loop {
            let (event, span) = self.expect_next()?;
            if event == Event::MappingEnd {
                return Ok(entries);
            }
            let key = self.key(event, span)?;
            let (event, span) = self.expect_next()?;
            let value = self.node(event, span, depth + 1)?;
            entries.push((key, value));
        }
    }

    /// Keys are taken as they are written: `1:` is the key `1`, and will be unknown like any other.
    fn key(&mut self, event: Event<'a>, span: Span) -> Result<Key, Finding> {
        match event {
            Event::Scalar(text, ScalarStyle::Plain, ..) if text == "<<" => Err(refused(
                span,
                "the merge key `<<` is not part of YAML 1.2",
                "write the keys out, so that everybody sees what the hook is",
            )),
            Event::Scalar(text, _, anchor, _) => {
                let key = Key { text: text.into_owned(), place: place(&span.start) };
                if anchor != 0 {
                    let value = Value::Text(key.text.clone());
                    self.anchors.insert(anchor, Node { value, place: key.place });
                }
                Ok(key)
            }
            _ => Err(refused(span, "this key is no text", "a key is a word such as `name`")),
        }
    }

    fn alias(&mut self, id: usize, span: Span, depth: usize) -> Result<Node, Finding> {
        let Some(anchored) = self.anchors.get(&id) else {
            return Err(refused(span, "this alias is inside its own anchor", "write the value out"));
        };
        let left = self.budget.checked_sub(anchored.weight());
        if let Some(left) = left
            && depth + anchored.depth() <= DEPTH_LIMIT
        {
            self.budget = left;
            return Ok(Node { place: place(&span.start), ..anchored.clone() });
        }
        Err(refused(span, "the aliases of this file expand to too much", "write the values out"))
    }
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>, span: Span) -> Result<Value, Finding> {
    let Some(tag) = tag else {
        return Ok(match style {
            ScalarStyle::Plain => yaml_scalar::plain(text),
            _ => Value::Text(text.to_owned()),
        });
    };
    let plain = yaml_scalar::plain(text);
    match (tag.core_suffix(), plain) {
        (Some("str"), _) => Ok(Value::Text(text.to_owned())),
        (Some("null"), value @ Value::Null)
        | (Some("bool"), value @ Value::Bool(_))
        | (Some("int"), value @ Value::Int(_))
        | (Some("float"), value @ (Value::Float(_) | Value::Int(_))) => Ok(value),
        (_, _) => Err(foreign_tag(span)),
    }
}

fn check_tag(tag: Option<&Tag>, own: &str, span: Span) -> Result<(), Finding> {
    match tag {
        Some(tag) if tag.core_suffix() != Some(own) => Err(foreign_tag(span)),
        Some(_) | None => Ok(()),
    }
}

fn foreign_tag(span: Span) -> Finding {
    refused(
        span,
        "this tag means nothing in a hook file",
        "put the value in quotes: `\"!…\"`; without them a word that begins with `!` is a tag",
    )
}

fn refused(span: Span, detail: &str, advice: &'static str) -> Finding {
    Finding::at(place(&span.start), syntax_with(Format::Yaml, detail, advice))
}

fn place(marker: &Marker) -> Place {
    // The parser counts lines from 1 and columns from 0.
    Place { line: counted(marker.line().saturating_sub(1)), column: counted(marker.col()) }
}
