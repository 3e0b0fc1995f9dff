//! Warnings for agents that do not accept comments or a byte order mark in JSON.

use serde_json::Value;

use tenter_json_edit::BOM;

/// For an agent that reads strict JSON only.
pub(crate) fn strict_json_warning(agent: &str, text: &str) -> Option<String> {
    mark_warning(agent, text).or_else(|| comment_warning(agent, text))
}

/// For an agent that accepts a byte order mark, and strict JSON after it.
pub(crate) fn comment_warning(agent: &str, text: &str) -> Option<String> {
    let strict = text.trim_start_matches(BOM);
    let error = serde_json::from_str::<Value>(strict).err()?;
    Some(format!(
        "{agent} reads nothing of this file, and runs no hook of it, because it is not strict JSON: take the comment or the comma at the end of a list out of line {}",
        line_to_fix(strict, error.line())
    ))
}

/// For an agent that rejects a byte order mark.
pub(crate) fn mark_warning(agent: &str, text: &str) -> Option<String> {
    text.starts_with(BOM).then(|| {
        format!(
            "{agent} reads nothing of this file, and runs no hook of it, because it begins with a byte order mark, which most editors do not show: save it as UTF-8 without BOM"
        )
    })
}

/// The line to change: an extra comma is reported at the bracket that follows it.
fn line_to_fix(text: &str, reported: usize) -> usize {
    let lines: Vec<&str> = text.lines().take(reported).map(str::trim).collect();
    let closes = lines.last().is_some_and(|line| line.starts_with(['}', ']']));
    let before =
        lines.iter().rev().skip(1).position(|line| !line.is_empty()).map(|above| reported - 1 - above);
    let has_comma = |line: &usize| lines.get(line - 1).is_some_and(|line| line.ends_with(','));
    before.filter(has_comma).filter(|_| closes).unwrap_or(reported)
}

/// A warning if the switch at this path turns hooks off.
pub(crate) fn switch_warning(settings: &Value, path: &str, off: bool, effect: &str) -> Option<String> {
    let key = path[1..].replace('/', ".");
    (settings.pointer(path) == Some(&Value::Bool(off)))
        .then(|| format!("`{key}` is {off} in this file: {effect}; remove that line"))
}
