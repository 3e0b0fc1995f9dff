//! The words of messages and hints.

use tenter_contract::{Placeholder, TemplateError, event_names};

use crate::source::Format;

/// The type a value should have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A text.
    Text,
    /// A text, or a list of texts.
    TextOrList,
    /// A text, or a table with more to say.
    TextOrTable,
    /// A list of texts.
    List,
    /// A table.
    Table,
    /// `true` or `false`.
    Bool,
    /// A whole number of 32 bits.
    WholeNumber,
    /// A whole number of 1 or more.
    PositiveNumber,
    /// A duration.
    Duration,
    /// A number of bytes.
    Size,
}

impl Expected {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Text => "a text",
            Self::TextOrList => "a text or a list of texts",
            Self::TextOrTable => "a text or a table",
            Self::List => "a list of texts",
            Self::Table => "a table",
            Self::Bool => "`true` or `false`",
            Self::WholeNumber => "a whole number",
            Self::PositiveNumber => "a whole number of 1 or more",
            Self::Duration => "a duration",
            Self::Size => "a number of bytes",
        }
    }
}

/// The events with the namespace of an unknown one.
pub(super) fn siblings(spelling: &str) -> String {
    let namespace = spelling.split_once(':').map_or("", |(namespace, _)| namespace);
    let siblings: Vec<&str> = event_names::EVENTS
        .iter()
        .map(|row| row.canonical)
        .filter(|canonical| canonical.split_once(':').is_some_and(|(own, _)| own == namespace))
        .collect();
    if siblings.is_empty() {
        "events look like `tool:pre`, `prompt:submit` or `session:start`".to_owned()
    } else {
        format!("write {}", either(&siblings))
    }
}

/// What to write for a value of the wrong type.
pub(super) fn format_example(expected: Expected, format: Format) -> &'static str {
    match expected {
        Expected::Text | Expected::TextOrTable => "write a text, in quotes",
        Expected::TextOrList => "write a text, in quotes, or several: `[\"one\", \"two\"]`",
        Expected::List => "write `[\"one\", \"two\"]`, each in quotes",
        Expected::Table => match format {
            Format::Yaml => "write `{ key: value }`, or its keys below it and indented",
            Format::Toml => "write `{ key = \"value\" }`",
            Format::Json => "write `{ \"key\": \"value\" }`",
        },
        Expected::Bool => "write `true` or `false`, without quotes",
        Expected::WholeNumber => "write a number such as `0`, `10` or `-100`, without quotes",
        Expected::PositiveNumber => "write a number such as `1` or `10`, without quotes",
        Expected::Duration => "write `10s`, `500ms` or `2m`; a bare number is seconds",
        Expected::Size => "write a number of bytes such as `65536`, `64KiB` or `1MiB`",
    }
}

pub(super) fn missing_key(key: &str, format: Format) -> String {
    match key {
        "name" => format!(
            "add one, such as `{}`; records and messages call the hook by it",
            format.entry("name", "\"no-force-push\"")
        ),
        "names" => "write it as a table: `builtin: { name: env, names: [\"NODE_ENV\"] }`".to_owned(),
        other => {
            let last = other.rsplit_once('.').map_or(other, |(_, last)| last);
            format!("add `{}`", format.entry(last, "\"…\""))
        }
    }
}

pub(super) fn template_hint(error: &TemplateError) -> String {
    match error {
        TemplateError::Unknown { suggestion: Some(known), .. } => format!("did you mean `{{{known}}}`?"),
        TemplateError::Unknown { suggestion: None, .. } => {
            let known = Placeholder::ALL.map(Placeholder::as_str);
            let of_tools: Vec<&str> = known.into_iter().filter(|name| name.starts_with("tool.")).collect();
            format!("between the braces, write {}", either(&of_tools))
        }
        TemplateError::Unquotable { name, inside } => match *inside {
            "single quotes" | "double quotes" => {
                format!("tenter quotes the value itself: write {{{name}}} without quotes around it")
            }
            "backticks" => format!("write `$(…)` in place of the backticks; {{{name}}} is safe there"),
            "a backslash escape" => format!("remove the backslash before {{{name}}}"),
            _ => format!("move {{{name}}} out of it; tenter cannot quote the value there"),
        },
    }
}

/// `` `a`, `b` and `c` ``.
pub(super) fn listed(words: &[&str]) -> String {
    joined(words, "and")
}

/// `` `a`, `b` or `c` ``.
pub(super) fn either(words: &[&str]) -> String {
    joined(words, "or")
}

fn joined(words: &[&str], conjunction: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, before)) => format!("{} {conjunction} {last}", before.join(", ")),
        None => String::new(),
    }
}
