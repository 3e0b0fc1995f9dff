//! Patterns: one, or several of which one must match.

use tenter_contract::Pattern;

use super::{empty, text_or};
use crate::fields::Field;
use crate::problem::{Expected, Finding, ProblemKind};
use crate::tree::Value;

/// One or several patterns. Neither an empty list nor an empty pattern is taken: whether it would match
/// nothing or everything is a matter of taste, and guards are not.
pub(crate) fn patterns(field: &Field<'_>) -> Result<Vec<Pattern>, Finding> {
    let patterns = text_patterns(field)?;
    match patterns.iter().find(|pattern| pattern.is_negated()) {
        Some(_) => {
            let detail = "look-around is not supported for what has several names".to_owned();
            Err(field.problem(ProblemKind::BadPattern { key: field.path.clone(), detail }))
        }
        None => Ok(patterns),
    }
}

/// The same for what has one text, such as a command: there a look-ahead can say what does not match. A path or an
/// agent has several names, and one of them is always another.
pub(crate) fn text_patterns(field: &Field<'_>) -> Result<Vec<Pattern>, Finding> {
    read(field, |field| text_or(field, Expected::TextOrList).map(str::to_owned))
}

/// The same for exit codes, where numbers need no quotes.
pub(crate) fn number_patterns(field: &Field<'_>) -> Result<Vec<Pattern>, Finding> {
    read(field, |field| {
        if let Value::Int(number) = field.node.value {
            return Ok(number.to_string());
        }
        text_or(field, Expected::TextOrList).map(str::to_owned)
    })
}

fn read(
    field: &Field<'_>,
    source: impl Fn(&Field<'_>) -> Result<String, Finding>,
) -> Result<Vec<Pattern>, Finding> {
    let fields = if let Value::List(items) = &field.node.value {
        items.iter().map(|node| field.item(node)).collect()
    } else {
        vec![field.clone()]
    };
    if fields.is_empty() {
        return Err(empty(field));
    }
    fields.iter().map(|field| pattern(field, &source(field)?)).collect()
}

/// What to write instead of a regular expression that the engine refuses.
pub(crate) fn hint(detail: &str) -> &'static str {
    if detail.contains("look-around") {
        "of look-around, only `(?!…)` right behind a `^` at the beginning is supported, for tools, commands, prompts, branches and variables: name what is meant (`Bash|Write|mcp__*`), or match more and let the hook say nothing about the rest"
    } else {
        "put `\\` before brackets that are meant as text, or write a glob without slashes"
    }
}

fn pattern(field: &Field<'_>, source: &str) -> Result<Pattern, Finding> {
    if source.is_empty() {
        return Err(empty(field));
    }
    Pattern::parse(source).map_err(|error| {
        field.problem(ProblemKind::BadPattern { key: field.path.clone(), detail: error.detail })
    })
}
