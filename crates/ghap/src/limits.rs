//! How long what is stated may be. Longer text is refused and never cut: half of a hypothesis is another one.

use crate::error::GhapError;

/// Goal, hypothesis, action and prediction, in characters.
pub const SHORT: usize = 1000;
/// Notes, results, surprises, root causes and lessons, in characters.
pub const LONG: usize = 2000;

/// The text without space around it, if it says something and is not too long.
pub fn required(name: &str, text: &str, limit: usize) -> Result<String, GhapError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(GhapError::validation(format!("`{name}` is empty")).with_hint("say it in a sentence"));
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
        .with_hint(format!("the limit is {limit}: say it shorter")))
}
