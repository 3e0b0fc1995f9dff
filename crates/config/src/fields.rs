//! A table as a set of fields: which keys it may have, and the value of each.

use crate::place::Place;
use crate::problem::{Expected, Finding, Findings, ProblemKind};
use crate::suggest;
use crate::tree::{Key, Node, Value};

/// The fields of one table.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    path: &'static str,
    entries: &'a [(Key, Node)],
}

/// One of them. An empty value is a value like any other, and of the wrong type: `matcher:` with nothing
/// behind it is half a thought.
#[derive(Clone)]
pub(crate) struct Field<'a> {
    /// The key with the keys above it, as messages name it.
    pub(crate) path: String,
    pub(crate) key_place: Place,
    pub(crate) node: &'a Node,
}

impl<'a> Fields<'a> {
    /// The fields of a hook; none if it is no table.
    pub(crate) fn from_hook(node: &'a Node) -> Option<Self> {
        let Value::Table(entries) = &node.value else { return None };
        Some(Self { path: "", entries })
    }

    /// The fields of a value that must be a table; messages put `path` before their keys.
    pub(crate) fn from_field(field: &Field<'a>, path: &'static str) -> Result<Self, Finding> {
        let Value::Table(entries) = &field.node.value else {
            return Err(field.wrong_type(Expected::Table));
        };
        Ok(Self { path, entries })
    }

    /// Reports every key that is not in this list of words.
    pub(crate) fn check(&self, known: &'static str, findings: &mut Findings) {
        for (key, _) in self.entries.iter().filter(|(key, _)| !has_word(known, &key.text)) {
            let nearest = || suggest::nearest(&key.text, known.split(' '));
            let suggestion = suggest::meaning(self.path, &key.text).or_else(nearest);
            findings
                .add(key.place, ProblemKind::UnknownKey { key: self.path_of(&key.text), suggestion, known });
        }
    }

    /// The field of that key. If it occurs twice the table is refused elsewhere, so the first will do here.
    pub(crate) fn get(&self, name: &str) -> Option<Field<'a>> {
        let (key, node) = self.entries.iter().find(|(key, _)| key.text == name)?;
        Some(Field { path: self.path_of(name), key_place: key.place, node })
    }

    /// All of them, for tables whose keys are the user's own.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'a str, Field<'a>)> {
        let fields = *self;
        self.entries.iter().map(move |(key, node)| {
            (key.text.as_str(), Field { path: fields.path_of(&key.text), key_place: key.place, node })
        })
    }

    /// The value of that key. `None` if it is absent, or wrong and reported.
    pub(crate) fn read<T>(
        &self,
        name: &str,
        findings: &mut Findings,
        value: impl FnOnce(&Field<'a>) -> Result<T, Finding>,
    ) -> Option<T> {
        findings.keep(value(&self.get(name)?))
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

/// Whether a list of words with spaces between them has this one.
pub(crate) fn has_word(list: &str, word: &str) -> bool {
    list.split(' ').any(|known| known == word)
}

impl<'a> Field<'a> {
    /// The same field with another value: one item of its list.
    pub(crate) fn item(&self, node: &'a Node) -> Self {
        Self { node, ..self.clone() }
    }

    pub(crate) fn wrong_type(&self, expected: Expected) -> Finding {
        let found = self.node.describe();
        self.problem(ProblemKind::WrongType { key: self.path.clone(), expected, found })
    }

    pub(crate) fn problem(&self, kind: ProblemKind) -> Finding {
        Finding::at(self.node.place, kind)
    }
}
