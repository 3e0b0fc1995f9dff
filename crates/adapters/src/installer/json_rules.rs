//! The JSON that agents accept, and warnings about settings that they do not read.

use serde_json::Value;

use tenter_json_edit::BOM;

/// What an agent accepts in JSON.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum JsonRules {
    /// Strict JSON only.
    Strict,
    /// A byte order mark, and strict JSON after it.
    Marked,
    /// Comments and extra commas, but no byte order mark.
    Commented,
}

impl JsonRules {
    /// Why the agent of this title does not read a text.
    pub(super) fn warning(self, agent: &str, text: &str) -> Option<String> {
        let because = |reason: String| {
            format!("{agent} reads nothing of this file, and runs no hook of it, because it {reason}")
        };
        if self != Self::Marked && text.starts_with(BOM) {
            let reason =
                "begins with a byte order mark, which most editors do not show: save it as UTF-8 without BOM";
            return Some(because(reason.to_owned()));
        }
        let strict = text.trim_start_matches(BOM);
        let error = serde_json::from_str::<Value>(strict).err().filter(|_| self != Self::Commented)?;
        let line = line_to_fix(strict, error.line());
        let reason = format!(
            "is not strict JSON: take the comment or the comma at the end of a list out of line {line}"
        );
        Some(because(reason))
    }
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
