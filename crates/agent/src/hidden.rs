//! The keys of models, which neither the model nor a screen nor a file is given: `[key hidden]` stands in their place.

use std::fmt;

use serde_json::Value;

use crate::tools::{Ran, Shown};

/// What stands in the place of a key.
const INSTEAD: &str = "[key hidden]";

/// One that is shorter is a stand-in such as `none`, and would be found in every other word.
const SHORTEST: usize = 8;

/// Keys that are hidden wherever they are read.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct HiddenKeys(Vec<String>);

impl HiddenKeys {
    /// These, as far as they are long enough to be keys.
    pub fn of<'a>(keys: impl IntoIterator<Item = &'a str>) -> Self {
        let keys = keys.into_iter().map(str::trim).filter(|key| key.len() >= SHORTEST);
        let mut keys: Vec<String> = keys.map(str::to_owned).collect();
        // The longest first, so that no end of one stays because its beginning is another.
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

    /// Hides them in what came of a tool, for the model and for people.
    pub(crate) fn hide_in_ran(&self, ran: &mut Ran) {
        let Ran { output, stdout, stderr, display, failed: _, exit_code: _ } = ran;
        self.hide(output);
        stdout.iter_mut().chain(stderr).for_each(|text| self.hide(text));
        match display {
            Shown::Line(text) | Shown::Text(text) => self.hide(text),
            Shown::Change(change) => self.hide(&mut change.diff),
            // What the model itself has written.
            Shown::Todos(_) | Shown::Nothing => {}
        }
    }
}

/// Without what it hides.
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
    fn a_key_is_hidden_wherever_it_stands_and_nothing_else_is() {
        let keys = HiddenKeys::of(["sk-01234", "sk-0123456789\n", "none", ""]);
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
    fn what_came_of_a_tool_has_no_key_in_any_of_its_texts() {
        let key = "sk-0123456789";
        let diff = crate::tools::Change {
            path: "a".into(),
            created: true,
            added: 1,
            removed: 0,
            diff: format!("+{key}"),
        };
        for display in
            [Shown::Text(key.to_owned()), Shown::Line(key.to_owned()), Shown::Change(diff), Shown::Nothing]
        {
            let text = || Some(key.to_owned());
            let mut ran = Ran { stdout: text(), stderr: text(), ..Ran::done(key, display) };
            HiddenKeys::of([key]).hide_in_ran(&mut ran);
            assert!(!format!("{ran:?}").contains(key), "{ran:?}");
        }
    }
}
