//! What a tool reads of its input: one table gives the schema, and what is said about an input that does not fit.

use serde_json::{Map, Value, json};
use tenter_contract::similar;

/// A key of a tool's input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) form: Form,
    pub(super) required: bool,
    /// What it is for, said to the model in the schema and again when it is missing.
    pub(super) about: &'static str,
}

/// What a key may hold.
#[derive(Clone, Copy, Debug)]
pub(super) enum Form {
    /// Any text.
    Text,
    /// Text that is not empty.
    Name,
    /// Text of more than blanks.
    Words,
    /// A number without fraction, within these bounds.
    Whole { least: u64, most: u64 },
    /// `true` or `false`.
    Flag,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A list, of which each tool says more.
    List(fn() -> Value),
}

impl Key {
    /// One that must be there.
    pub(super) const fn needed(name: &'static str, form: Form, about: &'static str) -> Self {
        Self { name, form, required: true, about }
    }

    /// One that may be there.
    pub(super) const fn optional(name: &'static str, form: Form, about: &'static str) -> Self {
        Self { name, form, required: false, about }
    }

    fn schema(&self) -> Value {
        let mut schema = match self.form {
            Form::Text => json!({ "type": "string" }),
            Form::Name | Form::Words => json!({ "type": "string", "minLength": 1 }),
            Form::Whole { least, most: u64::MAX } => json!({ "type": "integer", "minimum": least }),
            Form::Whole { least, most } => json!({ "type": "integer", "minimum": least, "maximum": most }),
            Form::Flag => json!({ "type": "boolean" }),
            Form::OneOf(words) => json!({ "type": "string", "enum": words }),
            Form::List(items) => json!({ "type": "array", "items": items() }),
        };
        schema["description"] = self.about.into();
        schema
    }

    /// What is wrong with a value.
    fn objection(&self, value: &Value) -> Option<String> {
        let name = self.name;
        let wanted = match (self.form, value) {
            (Form::Text, Value::String(_))
            | (Form::Flag, Value::Bool(_))
            | (Form::List(_), Value::Array(_)) => {
                return None;
            }
            (Form::Name, Value::String(text)) if !text.is_empty() => return None,
            (Form::Words, Value::String(text)) if !text.trim().is_empty() => return None,
            (Form::Whole { least, most }, value)
                if whole(value).is_some_and(|number| (least..=most).contains(&number)) =>
            {
                return None;
            }
            (Form::OneOf(words), Value::String(text)) if words.contains(&text.as_str()) => return None,
            (Form::Text, _) => "a text".to_owned(),
            (Form::Name | Form::Words, _) => "a text that is not empty".to_owned(),
            (Form::Whole { least, most: u64::MAX }, _) => format!("a whole number, {least} or more"),
            (Form::Whole { least, most }, _) => format!("a whole number from {least} to {most}"),
            (Form::Flag, _) => "`true` or `false`".to_owned(),
            (Form::OneOf(words), _) => format!("one of {}", listed(words.iter().copied())),
            (Form::List(_), _) => "a list".to_owned(),
        };
        Some(format!("`{name}` must be {wanted}; it is {}.", what_it_is(value)))
    }
}

/// The schema of an input that has these keys.
pub(super) fn schema(keys: &[Key]) -> Value {
    let properties: Map<String, Value> = keys.iter().map(|key| (key.name.to_owned(), key.schema())).collect();
    let required: Vec<&str> = keys.iter().filter(|key| key.required).map(|key| key.name).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// An input that fits its keys. A key that is `null` is not there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Given<'a> {
    keys: &'static [Key],
    input: &'a Map<String, Value>,
}

impl<'a> Given<'a> {
    /// Looks at an input; what does not fit is said, all of it.
    pub(super) fn to(
        tool: &str,
        keys: &'static [Key],
        input: &'a Map<String, Value>,
    ) -> Result<Self, String> {
        let given = |key: &Key| input.get(key.name).filter(|value| !value.is_null());
        let mut objections: Vec<String> = Vec::new();
        for key in keys {
            match given(key) {
                None if key.required => {
                    objections.push(format!("`{tool}` needs `{}`: {}", key.name, key.about));
                }
                None => {}
                Some(value) => objections.extend(key.objection(value)),
            }
        }
        let names = || keys.iter().map(|key| key.name);
        for strange in input.keys().filter(|name| !names().any(|known| known == name.as_str())).take(3) {
            let meant = similar::nearest(strange, names().filter(|name| !input.contains_key(*name)));
            let meant = meant.map_or(".".to_owned(), |name| format!("; did you mean `{name}`?"));
            let known = listed(names());
            let strange: String = strange.chars().take(80).collect();
            objections.push(format!("`{tool}` has no key `{strange}`{meant} It takes {known}."));
        }
        if objections.is_empty() { Ok(Self { keys, input }) } else { Err(objections.join("\n")) }
    }

    /// A text that may be there.
    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.value(name)?.as_str()
    }

    /// A text that must be there, and so is.
    pub(super) fn needed(&self, name: &str) -> &'a str {
        self.text(name).unwrap_or_default()
    }

    /// A number.
    pub(super) fn whole(&self, name: &str) -> Option<u64> {
        whole(self.value(name)?)
    }

    /// A count of things in memory.
    pub(super) fn count(&self, name: &str) -> Option<usize> {
        self.whole(name).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    /// Whether it is there and true.
    pub(super) fn flag(&self, name: &str) -> bool {
        self.flag_or(name, false)
    }

    /// Whether it is true, if it is there.
    pub(super) fn flag_or(&self, name: &str, otherwise: bool) -> bool {
        self.value(name).and_then(Value::as_bool).unwrap_or(otherwise)
    }

    /// A list.
    pub(super) fn list(&self, name: &str) -> &'a [Value] {
        self.value(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    fn value(&self, name: &str) -> Option<&'a Value> {
        debug_assert!(self.keys.iter().any(|key| key.name == name), "`{name}` is not in the schema");
        self.input.get(name).filter(|value| !value.is_null())
    }
}

/// A number without fraction, which some models write as `10.0`.
fn whole(value: &Value) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "looked at before")]
    let of_float = |number: f64| {
        (number.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&number)).then_some(number as u64)
    };
    value.as_u64().or_else(|| value.as_f64().and_then(of_float))
}

/// Words between backticks: `` `a`, `b` ``.
pub(super) fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn what_it_is(value: &Value) -> String {
    match value {
        Value::Null => "nothing".to_owned(),
        Value::Bool(flag) => format!("`{flag}`"),
        Value::Number(number) => format!("`{number}`"),
        Value::String(text) if text.is_empty() => "empty".to_owned(),
        Value::String(text) if text.trim().is_empty() => "blank".to_owned(),
        Value::String(text) if text.chars().count() <= 40 => format!("the text `{text}`"),
        Value::String(_) => "a long text".to_owned(),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEYS: &[Key] = &[
        Key::needed("path", Form::Name, "the file."),
        Key::optional("limit", Form::Whole { least: 1, most: 10 }, "how many."),
        Key::optional("mode", Form::OneOf(&["a", "b"]), "which."),
        Key::optional("deep", Form::Flag, "how."),
        Key::optional("line", Form::Words, "what."),
    ];

    #[test]
    fn what_does_not_fit_is_said_so_that_it_can_be_mended() {
        for (input, said) in [
            (json!({}), "`T` needs `path`: the file."),
            (json!({ "path": null }), "`T` needs `path`: the file."),
            (json!({ "path": "" }), "`path` must be a text that is not empty; it is empty."),
            (json!({ "path": 3 }), "`path` must be a text that is not empty; it is `3`."),
            (json!({ "path": "x", "line": " \n" }), "`line` must be a text that is not empty; it is blank."),
            (json!({ "path": "x", "limit": 0 }), "`limit` must be a whole number from 1 to 10; it is `0`."),
            (
                json!({ "path": "x", "limit": 1.5 }),
                "`limit` must be a whole number from 1 to 10; it is `1.5`.",
            ),
            (
                json!({ "path": "x", "limit": "2" }),
                "`limit` must be a whole number from 1 to 10; it is the text `2`.",
            ),
            (json!({ "path": "x", "mode": "c" }), "`mode` must be one of `a`, `b`; it is the text `c`."),
            (json!({ "path": "x", "deep": [] }), "`deep` must be `true` or `false`; it is a list."),
            (
                json!({ "path": "x", "limits": 2 }),
                "`T` has no key `limits`; did you mean `limit`? It takes `path`, `limit`, `mode`, `deep`, `line`.",
            ),
            (
                json!({ "pth": "x" }),
                "`T` needs `path`: the file.\n\
                 `T` has no key `pth`; did you mean `path`? It takes `path`, `limit`, `mode`, `deep`, `line`.",
            ),
        ] {
            assert_eq!(Given::to("T", KEYS, input.as_object().unwrap()).unwrap_err(), said, "{input}");
        }
    }

    #[test]
    fn what_fits_is_read() {
        let input = json!({ "path": "x", "limit": 2.0, "deep": true, "mode": null });
        let given = Given::to("T", KEYS, input.as_object().unwrap()).unwrap();
        assert_eq!((given.needed("path"), given.whole("limit")), ("x", Some(2)));
        assert_eq!((given.flag("deep"), given.text("mode")), (true, None));
    }

    #[test]
    fn the_schema_says_the_same() {
        assert_eq!(
            schema(&KEYS[..2]),
            json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string", "minLength": 1, "description": "the file." },
                    "limit": { "type": "integer", "minimum": 1, "maximum": 10, "description": "how many." },
                },
                "required": ["path"],
                "additionalProperties": false,
            })
        );
    }
}
