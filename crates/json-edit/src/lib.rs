//! Edits JSON with comments as text: an agent's settings and hook files.
//!
//! Such files belong to their user. Key order, indentation, comments, line ends and a missing last newline are kept,
//! because every edit is a small splice at a place that the parser names. The syntax tree of `jsonc-parser` (`cst`) can
//! edit too, but it changes the layout of containers that become empty or full, so that an added item cannot be removed
//! again without a trace.

mod splice;
mod style;

#[cfg(test)]
mod tests;

use jsonc_parser::ast::{ObjectProp, Value as Node};
use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, ParseResult, parse_to_ast};
use serde_json::Value;
use tenter_contract::ports::SettingsError;

use splice::{Container, Parsed};

/// JSON with comments that parses. It may hold no value at all.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonText {
    /// A byte order mark or nothing.
    mark: &'static str,
    text: String,
}

/// A step from a container to one of its children.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    /// Of an object.
    Key(&'a str),
    /// Of an array.
    Item(usize),
}

/// A new child of a container.
#[derive(Clone, Copy, Debug)]
pub enum Child<'a> {
    /// For an object: the key, and the value as JSON text.
    Property(&'a str, &'a str),
    /// For an array, as JSON text.
    Element(&'a str),
    /// For either, over several lines unless its siblings share a line: the key in an object, and the value.
    Spread(Option<&'a str>, &'a Value),
}

/// A byte order mark.
pub const BOM: &str = "\u{FEFF}";

impl JsonText {
    /// Reads a text.
    pub fn parse(text: &str) -> Result<Self, SettingsError> {
        let (mark, text) = text.strip_prefix(BOM).map_or(("", text), |rest| (BOM, rest));
        parsed(text)?;
        Ok(Self { mark, text: text.to_owned() })
    }

    /// The text.
    pub fn into_text(self) -> String {
        format!("{}{}", self.mark, self.text)
    }

    /// Its value, without comments; none if there are only comments and spaces, or if an edit has broken the text.
    pub fn value(&self) -> Option<Value> {
        parsed(&self.text).ok().and_then(|parsed| parsed.value).map(Value::from)
    }

    /// Whether it holds nothing but an empty object.
    pub fn is_bare(&self) -> bool {
        self.text.split_whitespace().collect::<String>() == "{}"
    }

    /// Adds an empty object to a text without a value, after its comments.
    pub fn start_object(&mut self) {
        let newline = style::newline(&self.text);
        if self.text.trim().is_empty() {
            self.text.clear();
        } else if !self.text.ends_with('\n') {
            self.text.push_str(newline);
        }
        self.text.push_str("{}");
        self.text.push_str(newline);
    }

    /// Adds a child at the end of a container.
    pub fn append(&mut self, path: &[Step<'_>], child: Child<'_>) -> Result<(), SettingsError> {
        self.edit(|parsed| Ok(splice::append(parsed, &parsed.container(path)?, child)))
    }

    /// Replaces a value.
    pub fn replace(&mut self, path: &[Step<'_>], value: &str) -> Result<(), SettingsError> {
        self.edit(|parsed| {
            let range = parsed.find(path)?.range();
            Ok(vec![splice::Splice::new(range.start..range.end, value)])
        })
    }

    /// Removes a child from its container, with its comma.
    pub fn remove(&mut self, path: &[Step<'_>]) -> Result<(), SettingsError> {
        let (last, parent) = path.split_last().ok_or(SettingsError::WouldDamage)?;
        self.edit(|parsed| {
            let container = parsed.container(parent)?;
            let index = parsed.index(parent, *last)?;
            splice::remove(parsed, &container, index).ok_or(SettingsError::WouldDamage)
        })
    }

    fn edit(
        &mut self,
        plan: impl FnOnce(&Parsed<'_>) -> Result<Vec<splice::Splice>, SettingsError>,
    ) -> Result<(), SettingsError> {
        let result = parsed(&self.text)?;
        let (Some(root), Some(tokens)) = (result.value, result.tokens) else {
            return Err(SettingsError::WouldDamage);
        };
        let splices = plan(&Parsed { text: &self.text, root: &root, tokens: &tokens })?;
        self.text = splice::apply(&self.text, splices);
        Ok(())
    }
}

/// Comments and trailing commas are accepted; the rest of JSON5 is an error for agents too.
pub fn parse_options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn parsed(text: &str) -> Result<ParseResult<'_>, SettingsError> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    parse_to_ast(text, &collect, &parse_options()).map_err(|error| {
        let detail = error.to_string();
        let mut letters = detail.chars();
        let first = letters.next().map(|letter| letter.to_ascii_lowercase());
        SettingsError::NotJson { detail: first.into_iter().chain(letters).collect() }
    })
}

impl<'a> Parsed<'a> {
    fn find(&self, path: &[Step<'_>]) -> Result<&'a Node<'a>, SettingsError> {
        path.iter().try_fold(self.root, |node, step| child(node, *step))
    }

    fn container(&self, path: &[Step<'_>]) -> Result<Container, SettingsError> {
        let node = self.find(path)?;
        let range = node.range();
        let children = match node {
            Node::Object(object) => object.properties.iter().map(Ranged::range).collect(),
            Node::Array(array) => array.elements.iter().map(Ranged::range).collect(),
            Node::StringLit(_) | Node::NumberLit(_) | Node::BooleanLit(_) | Node::NullKeyword(_) => {
                return Err(SettingsError::WouldDamage);
            }
        };
        Ok(Container { inside: range.start + 1..range.end - 1, children })
    }

    fn index(&self, parent: &[Step<'_>], step: Step<'_>) -> Result<usize, SettingsError> {
        match (self.find(parent)?, step) {
            (Node::Object(object), Step::Key(key)) => only(&object.properties, key).map(|(index, _)| index),
            (Node::Array(_), Step::Item(index)) => Ok(index),
            (_, Step::Key(_) | Step::Item(_)) => Err(SettingsError::WouldDamage),
        }
    }

    /// The comma after a place, if only spaces and comments come between.
    fn comma_after(&self, place: usize) -> Option<usize> {
        let next =
            self.tokens.iter().filter(|token| !is_comment(token)).find(|token| token.start() >= place)?;
        (next.token == Token::Comma).then(|| next.start())
    }

    /// Whether the token before a place is a comment to the end of its line.
    fn after_line_comment(&self, place: usize) -> bool {
        let before = self.tokens.iter().rev().find(|token| token.start() < place);
        before.is_some_and(|token| matches!(token.token, Token::CommentLine(_)))
    }
}

fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}

fn child<'n, 'a>(node: &'n Node<'a>, step: Step<'_>) -> Result<&'n Node<'a>, SettingsError> {
    match (node, step) {
        (Node::Object(object), Step::Key(key)) => {
            only(&object.properties, key).map(|(_, property)| &property.value)
        }
        (Node::Array(array), Step::Item(index)) => {
            array.elements.get(index).ok_or(SettingsError::WouldDamage)
        }
        (_, Step::Key(_) | Step::Item(_)) => Err(SettingsError::WouldDamage),
    }
}

/// The one property with this key. Of two, agents take the last, people the first.
fn only<'n, 'a>(
    properties: &'n [ObjectProp<'a>],
    key: &str,
) -> Result<(usize, &'n ObjectProp<'a>), SettingsError> {
    let mut found = properties.iter().enumerate().filter(|(_, property)| property.name.as_str() == key);
    match (found.next(), found.next()) {
        (Some(one), None) => Ok(one),
        (Some(_), Some(_)) => Err(SettingsError::Twice { key: key.to_owned() }),
        (None, _) => Err(SettingsError::WouldDamage),
    }
}
