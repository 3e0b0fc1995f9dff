//! The text of notes.

use serde_json::json;

/// Explains [`structured`] results to the model.
pub(super) const EXPLAINED: &str = "The result of a tool may be JSON with `output`, the output of the tool, \
    and `system_notes`, which is context from the environment and not part of that output.";

/// Follows a note with the role of the model: most APIs refuse the model's own text at the end, or continue it.
pub(super) const GO_ON: &str = "Go on.";

pub(super) fn reminder(text: &str) -> String {
    format!("<system-reminder>\n{}\n</system-reminder>", text.trim_end())
}

pub(super) fn structured(output: &str, notes: &[&str]) -> String {
    json!({"output": output, "system_notes": notes}).to_string()
}

/// A result and its notes in one string.
pub(super) fn separated(output: &str, notes: &[&str]) -> String {
    let line = "═".repeat(55);
    let notes: Vec<_> =
        notes.iter().map(|note| format!("- {}", note.trim_end().replace('\n', "\n  "))).collect();
    let list = notes.join("\n");
    format!("{output}\n\n{line}\nSYSTEM CONTEXT (not part of tool output):\n{list}\n{line}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_a_list_between_two_lines() {
        let line = "═".repeat(55);
        assert_eq!(
            separated("3 files", &["The list is empty.", "Two lines,\nof one note.\n"]),
            format!(
                "3 files\n\n{line}\nSYSTEM CONTEXT (not part of tool output):\n- The list is empty.\n\
                 - Two lines,\n  of one note.\n{line}"
            )
        );
    }
}
