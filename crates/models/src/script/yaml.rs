//! YAML as JSON values: the part that scripts need.

use granit_parser::{Event, Marker, Parser, ScalarStyle, Span, StrInput};
use serde_json::{Map, Number, Value};

use super::ScriptError;

/// A script has six levels; tool inputs have some of their own.
const DEPTH_LIMIT: usize = 32;
/// The most frequent cause of a wrong value.
const QUOTES: &str = "put texts with `:`, `#` or `{` in quotes";

pub(super) fn read(text: &str) -> Result<Value, ScriptError> {
    let options = granit_parser::options! {
        flow_nesting_limit: DEPTH_LIMIT,
        block_nesting_limit: DEPTH_LIMIT,
    };
    Reader { parser: Parser::new_from_str_with_options(text, options) }.file()
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
}

impl<'a> Reader<'a> {
    fn file(mut self) -> Result<Value, ScriptError> {
        let mut document = None;
        while let Some((event, span)) = self.next()? {
            if !matches!(event, Event::DocumentStart(..)) {
                continue;
            }
            if document.is_some() {
                let hint = "keep one script per file";
                return Err(error_at(&span.start, "a second document starts here", hint));
            }
            let (event, span) = self.expect_next()?;
            document = Some(self.value(event, &span)?);
        }
        Ok(document.unwrap_or(Value::Null))
    }

    fn next(&mut self) -> Result<Option<(Event<'a>, Span)>, ScriptError> {
        self.parser.next_event().transpose().map_err(|error| error_at(error.marker(), &error.info(), QUOTES))
    }

    fn expect_next(&mut self) -> Result<(Event<'a>, Span), ScriptError> {
        let early = || ScriptError::at(1, 1, "the file ends too early", QUOTES);
        self.next()?.ok_or_else(early)
    }

    fn value(&mut self, event: Event<'a>, span: &Span) -> Result<Value, ScriptError> {
        match event {
            Event::Scalar(text, ScalarStyle::Plain, _, None) => Ok(plain(&text)),
            Event::Scalar(text, _, _, None) => Ok(Value::String(text.into_owned())),
            Event::SequenceStart(_, _, None) => self.items(),
            Event::MappingStart(_, _, None) => self.entries(),
            Event::Alias(_) => Err(error_at(&span.start, "scripts have no aliases", "write the value out")),
            _ => Err(error_at(&span.start, "scripts have no tags", "put the value in quotes")),
        }
    }

    fn items(&mut self) -> Result<Value, ScriptError> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.expect_next()?;
            if event == Event::SequenceEnd {
                return Ok(Value::Array(items));
            }
            items.push(self.value(event, &span)?);
        }
    }

    fn entries(&mut self) -> Result<Value, ScriptError> {
        let mut entries = Map::new();
        loop {
            let (event, span) = self.expect_next()?;
            let key = match event {
                Event::MappingEnd => return Ok(Value::Object(entries)),
                Event::Scalar(text, ..) => text.into_owned(),
                _ => {
                    return Err(error_at(
                        &span.start,
                        "this key is not text",
                        "a key is a word such as `say`",
                    ));
                }
            };
            if entries.contains_key(&key) {
                let detail = format!("duplicate key `{key}`");
                return Err(error_at(&span.start, &detail, "keep one of them"));
            }
            let (event, span) = self.expect_next()?;
            let value = self.value(event, &span)?;
            entries.insert(key, value);
        }
    }
}

/// A plain scalar of the core schema, without octal and hexadecimal numbers.
fn plain(text: &str) -> Value {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    // Rust's own parser would also take `inf` and `nan`.
    let numeric = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    let number = || match text.parse::<i64>() {
        Ok(whole) => Some(Number::from(whole)),
        Err(_) => text.parse().ok().and_then(Number::from_f64),
    };
    match text {
        "" | "~" | "null" => Value::Null,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => numeric.then(number).flatten().map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

/// The parser counts lines from 1 and columns from 0.
fn error_at(marker: &Marker, detail: &str, hint: &str) -> ScriptError {
    ScriptError::at(marker.line(), marker.col() + 1, detail, hint)
}
