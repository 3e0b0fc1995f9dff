//! JSON with comments, or after a byte order mark, is JSON to us, and to some agents it is not.

use serde_json::Value;

use super::BOM;

/// What keeps an agent that wants strict JSON from reading a file.
pub(crate) fn not_strict(agent: &str, text: &str) -> Option<String> {
    marked(agent, text).or_else(|| commented(agent, text))
}

/// What keeps an agent that takes a byte order mark, and wants strict JSON after it, from reading a file.
pub(crate) fn commented(agent: &str, text: &str) -> Option<String> {
    let strict = text.trim_start_matches(BOM);
    let error = serde_json::from_str::<Value>(strict).err()?;
    Some(format!(
        "{agent} reads nothing of this file, and runs no hook of it, because it is not strict JSON: take the comment or the comma at the end of a list out of line {}",
        line_to_mend(strict, error.line())
    ))
}

/// What keeps an agent from reading a file that some editors write: a mark before the first letter, which nobody sees.
pub(crate) fn marked(agent: &str, text: &str) -> Option<String> {
    text.starts_with(BOM).then(|| {
        format!(
            "{agent} reads nothing of this file, and runs no hook of it, because it begins with a byte order mark, which most editors do not show: save it as UTF-8 without BOM"
        )
    })
}

/// The line somebody must change: a comma too many is noticed only at the bracket that follows it.
fn line_to_mend(text: &str, noticed: usize) -> usize {
    let lines: Vec<&str> = text.lines().take(noticed).map(str::trim).collect();
    let closes = lines.last().is_some_and(|line| line.starts_with(['}', ']']));
    let before =
        lines.iter().rev().skip(1).position(|line| !line.is_empty()).map(|above| noticed - 1 - above);
    let has_comma = |line: &usize| lines.get(line - 1).is_some_and(|line| line.ends_with(','));
    before.filter(has_comma).filter(|_| closes).unwrap_or(noticed)
}
