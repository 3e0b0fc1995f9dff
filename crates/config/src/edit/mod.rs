//! Adds a hook to a hook file and keeps every other byte.
//!
//! Each format knows ways to add an entry (`yaml`, `toml`, `json`). None of them is trusted: a way counts only if the
//! file then loads with that hook and all the hooks that it had before. Otherwise the user gets a text to paste. An
//! added hook can be removed again if adding it once more gives the same bytes.

mod json;
mod toml;
mod yaml;

use serde_json::Value as Json;
use tenter_contract::{HookSource, HookSpec};

use crate::file::{Loaded, load};
use crate::source::{Format, SourceText};

/// A hook that is about to be written into a file.
#[derive(Clone, Debug, PartialEq)]
pub struct NewEntry {
    /// Its name.
    pub name: String,
    /// Its event, by the canonical name.
    pub event: String,
    /// The lines after the name.
    pub lines: Vec<EntryLine>,
}

/// A line of an entry.
#[derive(Clone, Debug, PartialEq)]
pub enum EntryLine {
    /// For people; JSON has no place for it.
    Comment(String),
    /// A key and its value.
    Key(String, Json),
}

impl NewEntry {
    fn keys(&self) -> Json {
        let name = ("name".to_owned(), Json::from(self.name.as_str()));
        let keys = self.lines.iter().filter_map(|line| match line {
            EntryLine::Comment(_) => None,
            EntryLine::Key(key, value) => Some((key.clone(), value.clone())),
        });
        Json::Object(std::iter::once(name).chain(keys).collect())
    }

    /// The lines after the name, with the format's sign between key and value and its spelling of a text.
    fn lines(&self, indent: &str, sign: &str, text: fn(&str) -> String) -> String {
        let line = |line: &EntryLine| match line {
            EntryLine::Comment(comment) => format!("{indent}# {comment}\n"),
            EntryLine::Key(key, value) => format!("{indent}{key}{sign}{}\n", inline(value, sign, text)),
        };
        self.lines.iter().map(line).collect()
    }
}

fn inline(value: &Json, sign: &str, text: fn(&str) -> String) -> String {
    match value {
        Json::String(value) => text(value),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| inline(item, sign, text)).collect();
            format!("[{}]", items.join(", "))
        }
        Json::Object(entries) => {
            let entries =
                entries.iter().map(|(key, value)| format!("{key}{sign}{}", inline(value, sign, text)));
            format!("{{ {} }}", entries.collect::<Vec<_>>().join(", "))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => value.to_string(),
    }
}

impl EntryLine {
    /// A key and its value.
    pub fn key(key: &str, value: impl Into<Json>) -> Self {
        Self::Key(key.to_owned(), value.into())
    }
}

/// The rest of a file without an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Without {
    /// Nothing: the file was made for it.
    Nothing,
    /// The text as it was before.
    Text(String),
}

impl NewEntry {
    /// A hook file with nothing else in it.
    pub fn alone(&self, format: Format) -> String {
        match format {
            Format::Yaml => format!("version: 1\nhooks:\n{}", yaml::under_event(self)),
            Format::Toml => format!("version = 1\n\n{}", toml::table(self)),
            Format::Json => json::alone(self),
        }
    }

    /// What a person puts into the list of its event where we cannot: the hook on one line.
    pub fn to_paste(&self, format: Format) -> String {
        match format {
            Format::Yaml => yaml::on_one_line(self),
            Format::Toml => toml::on_one_line(self),
            Format::Json => json::on_one_line(self),
        }
    }

    /// The text of a file with this hook in it: as the last of its event, or under an event of its own. `None`
    /// if there is no way that leaves all else as it was.
    pub fn added_to(&self, source: &SourceText<'_>) -> Option<String> {
        if let Some(new) = self.after_nothing(source) {
            return Some(new);
        }
        let old = load(source);
        self.ways(source).into_iter().find(|new| {
            let new = load(&SourceText { text: new, ..*source });
            self.adds_only_this(&old, &new)
        })
    }

    /// The file before [`Self::added_to`]; `None` if later changes make that unknown. Two texts may have become the same,
    /// so `kept` is the text from before. Without it, empty lists and a file with only a version are removed, and a last
    /// line has its end.
    pub fn taken_out_of(&self, source: &SourceText<'_>, kept: Option<&str>) -> Option<Without> {
        let gives_this =
            |text: &str| self.added_to(&SourceText { text, ..*source }).as_deref() == Some(source.text);
        match kept {
            Some(kept) if gives_this(kept) => return Some(Without::Text(kept.to_owned())),
            None if source.text == self.alone(source.format) => return Some(Without::Nothing),
            Some(_) | None => {}
        }
        let mut before = match source.format {
            Format::Yaml => yaml::without(self, source.text),
            Format::Toml => toml::without(self, source.text),
            Format::Json => json::without(self, source.text),
        };
        before.extend(without_piece(source.text, &in_style(&self.alone(source.format), source.text)));
        before.into_iter().find(|text| gives_this(text)).map(Without::Text)
    }

    /// A whole hook file after a text without content: an empty one, or only remarks.
    fn after_nothing(&self, source: &SourceText<'_>) -> Option<String> {
        let remark = |line: &str| match source.format {
            Format::Yaml => line.starts_with('#') || line == "---",
            Format::Toml => line.starts_with('#'),
            Format::Json => false,
        };
        let text = source.text.trim_start_matches('\u{feff}');
        let says_nothing = text.lines().map(str::trim).all(|line| line.is_empty() || remark(line));
        let gap = if source.text.is_empty() || source.text.ends_with('\n') { "" } else { "\n" };
        let piece = in_style(&format!("{gap}{}", self.alone(source.format)), source.text);
        let new = format!("{}{piece}", source.text);
        let loaded = load(&SourceText { text: &new, ..*source });
        (says_nothing && loaded.hooks.len() == 1 && loaded.problems.is_empty()).then_some(new)
    }

    fn ways(&self, source: &SourceText<'_>) -> Vec<String> {
        match source.format {
            Format::Yaml => yaml::ways(self, source.text),
            Format::Toml => toml::ways(self, source.text),
            Format::Json => json::ways(self, source.text),
        }
    }

    fn adds_only_this(&self, old: &Loaded, new: &Loaded) -> bool {
        let plain = |hook: &HookSpec| HookSpec { source: HookSource::default(), ..hook.clone() };
        let others: Vec<HookSpec> =
            new.hooks.iter().filter(|hook| hook.id.name != self.name).map(plain).collect();
        others == old.hooks.iter().map(plain).collect::<Vec<_>>()
            && new.hooks.len() == old.hooks.len() + 1
            && new.problems.len() == old.problems.len()
            && new.dialect == old.dialect
            && (&new.disabled, &new.overrides, &new.imports) == (&old.disabled, &old.overrides, &old.imports)
    }
}

/// A piece of ours, with the line ends of the file.
fn in_style(piece: &str, text: &str) -> String {
    if text.contains("\r\n") { piece.replace('\n', "\r\n") } else { piece.to_owned() }
}

/// A text without a piece of it, for every place of the piece.
fn without_piece(text: &str, piece: &str) -> Vec<String> {
    let places = text.match_indices(piece).map(|(at, _)| at);
    places.map(|at| format!("{}{}", &text[..at], &text[at + piece.len()..])).collect()
}

#[cfg(test)]
mod tests;
