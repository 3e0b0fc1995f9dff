//! JSON with comments is JSON to us, and to some agents it is not.

use serde_json::Value;

/// What keeps an agent that wants strict JSON from reading a file.
pub(crate) fn not_strict(agent: &str, text: &str) -> Option<String> {
    let strict = text.trim_start_matches('\u{feff}');
    let error = serde_json::from_str::<Value>(strict).err()?;
    Some(format!(
        "{agent} reads nothing of this file, and runs no hook of it, because it is not strict JSON: take the comment or the comma at the end of a list out of line {}",
        line_to_mend(strict, error.line())
    ))
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
