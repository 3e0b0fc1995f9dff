//! Length limits. Longer text is refused and never cut, because half a hypothesis is another hypothesis.

use crate::error::GhapError;

/// Goal, hypothesis, action and prediction, in characters.
pub const SHORT: usize = 1000;
/// Notes, results, surprises, root causes and lessons, in characters.
pub const LONG: usize = 2000;

/// The trimmed text. Fails if it is empty or too long.
pub fn required(name: &str, text: &str, limit: usize) -> Result<String, GhapError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(GhapError::validation(format!("`{name}` is empty")).with_hint("write a sentence"));
    }
    within(name, text, limit)?;
    Ok(text.to_owned())
}

pub(crate) fn optional(name: &str, text: Option<&str>, limit: usize) -> Result<Option<String>, GhapError> {
    match text.map(str::trim) {
        None | Some("") => Ok(None),
        Some(text) => within(name, text, limit).map(|()| Some(text.to_owned())),
    }
}

fn within(name: &str, text: &str, limit: usize) -> Result<(), GhapError> {
    let length = text.chars().count();
    if length <= limit {
        return Ok(());
    }
    Err(GhapError::validation(format!("`{name}` has {length} characters"))
        .with_hint(format!("the limit is {limit}: shorten it")))
}
