//! Hides the keys of models from the model, the screen and files: `[key hidden]` replaces them.

use std::fmt;

use serde_json::Value;

use crate::tools::{ToolDisplay, ToolOutput};

const INSTEAD: &str = "[key hidden]";

/// Shorter values are placeholders such as `none` that occur in ordinary text.
const SHORTEST: usize = 8;

/// Keys that are hidden wherever they are read.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct HiddenKeys(Vec<String>);

impl HiddenKeys {
    /// Keys to hide. Values that are too short for a key are left out.
    pub fn new<'a>(keys: impl IntoIterator<Item = &'a str>) -> Self {
        let keys = keys.into_iter().map(str::trim).filter(|key| key.len() >= SHORTEST);
        let mut keys: Vec<String> = keys.map(str::to_owned).collect();
        // The longest first, because one key may start with another.
        keys.sort_by_key(|key| std::cmp::Reverse(key.len()));
        Self(keys)
    }

    /// Hides them in a text.
    pub fn hide(&self, text: &mut String) {
        for key in &self.0 {
            if text.contains(key) {
                *text = text.replace(key, INSTEAD);
            }
        }
    }

    /// Hides them in every text of a value.
    pub fn hide_in(&self, value: &mut Value) {
        match value {
            Value::String(text) => self.hide(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.hide_in(value)),
            Value::Object(values) => values.values_mut().for_each(|value| self.hide_in(value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Hides them in the output of a tool.
    pub(crate) fn hide_in_output(&self, output: &mut ToolOutput) {
        let ToolOutput { output, stdout, stderr, display, failed: _, exit_code: _ } = output;
        self.hide(output);
        stdout.iter_mut().chain(stderr).for_each(|text| self.hide(text));
        match display {
            ToolDisplay::Line(text) | ToolDisplay::Text(text) => self.hide(text),
            ToolDisplay::Change(change) => self.hide(&mut change.diff),
            // Written by the model itself.
            ToolDisplay::Todos(_) | ToolDisplay::Nothing => {}
        }
    }
}

impl fmt::Debug for HiddenKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HiddenKeys({})", self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keys_are_hidden_and_nothing_else() {
        let keys = HiddenKeys::new(["sk-01234", "sk-0123456789\n", "none", ""]);
        for (text, expected) in [
            ("KEY=sk-0123456789;sk-01234", "KEY=[key hidden];[key hidden]"),
            ("there is none of sk-0123", "there is none of sk-0123"),
            ("", ""),
        ] {
            let mut text = text.to_owned();
            keys.hide(&mut text);
            assert_eq!(text, expected);
        }
        let mut value = json!({"a": ["sk-01234", 1, null], "b": {"c": "x sk-01234"}});
        keys.hide_in(&mut value);
        assert_eq!(value, json!({"a": ["[key hidden]", 1, null], "b": {"c": "x [key hidden]"}}));
        assert_eq!(format!("{keys:?}"), "HiddenKeys(2)");
    }

    #[test]
    fn keys_are_hidden_in_tool_output() {
        let key = "sk-0123456789";
        let diff = crate::tools::Change {
            path: "a".into(),
            created: true,
            added: 1,
            removed: 0,
            diff: format!("+{key}"),
        };
        for display in [
            ToolDisplay::Text(key.to_owned()),
            ToolDisplay::Line(key.to_owned()),
            ToolDisplay::Change(diff),
            ToolDisplay::Nothing,
        ] {
            let text = || Some(key.to_owned());
            let mut output = ToolOutput { stdout: text(), stderr: text(), ..ToolOutput::done(key, display) };
            HiddenKeys::new([key]).hide_in_output(&mut output);
            assert!(!format!("{output:?}").contains(key), "{output:?}");
        }
    }
}
