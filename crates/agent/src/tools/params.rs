//! The parameters of a tool: one table for the schema and for the errors of an invalid input.

use serde_json::{Map, Value, json};
use tenter_contract::similar;

#[derive(Clone, Copy, Debug)]
pub(super) struct Param {
    pub(super) name: &'static str,
    pub(super) form: ParamType,
    pub(super) required: bool,
    /// The description, for the schema and for the error of a missing parameter.
    pub(super) about: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum ParamType {
    Text,
    Name,
    Words,
    /// A number without fraction, within these bounds.
    Whole {
        least: u64,
        most: u64,
    },
    Flag,
    OneOf(&'static [&'static str]),
    /// A list with this schema of its items, which the tool checks.
    List(fn() -> Value),
}

impl ParamType {
    /// A number from 1.
    pub(super) const COUNT: Self = Self::Whole { least: 1, most: u64::MAX };
}

impl Param {
    pub(super) const FILE_PATH: Self = Self::required(
        "file_path",
        ParamType::Name,
        "The file; a relative path starts at the current folder.",
    );

    /// A parameter that must be present.
    pub(super) const fn required(name: &'static str, form: ParamType, about: &'static str) -> Self {
        Self { name, form, required: true, about }
    }

    pub(super) const fn optional(name: &'static str, form: ParamType, about: &'static str) -> Self {
        Self { name, form, required: false, about }
    }

    fn schema(&self) -> Value {
        let mut schema = match self.form {
            ParamType::Text => json!({ "type": "string" }),
            ParamType::Name | ParamType::Words => json!({ "type": "string", "minLength": 1 }),
            ParamType::Whole { least, most: u64::MAX } => json!({ "type": "integer", "minimum": least }),
            ParamType::Whole { least, most } => {
                json!({ "type": "integer", "minimum": least, "maximum": most })
            }
            ParamType::Flag => json!({ "type": "boolean" }),
            ParamType::OneOf(words) => json!({ "type": "string", "enum": words }),
            ParamType::List(items) => json!({ "type": "array", "items": items() }),
        };
        schema["description"] = self.about.into();
        schema
    }

    fn problem(&self, value: &Value) -> Option<String> {
        if self.accepts(value) {
            return None;
        }
        let wanted = match self.form {
            ParamType::Text => "text".to_owned(),
            ParamType::Name | ParamType::Words => "text that is not empty".to_owned(),
            ParamType::Whole { least, most: u64::MAX } => format!("a whole number, {least} or more"),
            ParamType::Whole { least, most } => format!("a whole number from {least} to {most}"),
            ParamType::Flag => "`true` or `false`".to_owned(),
            ParamType::OneOf(words) => format!("one of {}", listed(words.iter().copied())),
            ParamType::List(_) => "a list".to_owned(),
        };
        Some(format!("`{}` must be {wanted}; it is {}.", self.name, describe(value)))
    }

    fn accepts(&self, value: &Value) -> bool {
        match self.form {
            ParamType::Text => value.is_string(),
            ParamType::Name => value.as_str().is_some_and(|text| !text.is_empty()),
            ParamType::Words => value.as_str().is_some_and(|text| !text.trim().is_empty()),
            ParamType::Whole { least, most } => whole(value).is_some_and(|it| (least..=most).contains(&it)),
            ParamType::Flag => value.is_boolean(),
            ParamType::OneOf(words) => value.as_str().is_some_and(|text| words.contains(&text)),
            ParamType::List(_) => value.is_array(),
        }
    }
}

/// The schema of an input with these parameters.
pub(super) fn schema(params: &[Param]) -> Value {
    let properties: Map<String, Value> =
        params.iter().map(|key| (key.name.to_owned(), key.schema())).collect();
    let required: Vec<&str> = params.iter().filter(|key| key.required).map(|key| key.name).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// A valid input. A key with `null` counts as missing.
#[derive(Clone, Copy, Debug)]
pub(super) struct ToolInput<'a> {
    params: &'static [Param],
    input: &'a Map<String, Value>,
}

impl<'a> ToolInput<'a> {
    /// Checks an input. The error lists all problems.
    pub(super) fn check(
        tool: &str,
        params: &'static [Param],
        input: &'a Map<String, Value>,
    ) -> Result<Self, String> {
        let present = |key: &Param| input.get(key.name).filter(|value| !value.is_null());
        let mut problems: Vec<String> = Vec::new();
        for key in params {
            match present(key) {
                None if key.required => {
                    problems.push(format!("`{tool}` needs `{}`: {}", key.name, key.about));
                }
                None => {}
                Some(value) => problems.extend(key.problem(value)),
            }
        }
        let names = || params.iter().map(|key| key.name);
        for unknown in input.keys().filter(|name| !names().any(|known| known == name.as_str())).take(3) {
            let meant = similar::nearest(unknown, names().filter(|name| !input.contains_key(*name)));
            let meant = meant.map_or(".".to_owned(), |name| format!("; did you mean `{name}`?"));
            let known = listed(names());
            let unknown: String = unknown.chars().take(80).collect();
            problems.push(format!("`{tool}` has no key `{unknown}`{meant} It takes {known}."));
        }
        if problems.is_empty() { Ok(Self { params, input }) } else { Err(problems.join("\n")) }
    }

    pub(super) fn text(&self, name: &str) -> Option<&'a str> {
        self.value(name)?.as_str()
    }

    /// A required text.
    pub(super) fn required(&self, name: &str) -> &'a str {
        self.text(name).unwrap_or_default()
    }

    pub(super) fn whole(&self, name: &str) -> Option<u64> {
        whole(self.value(name)?)
    }

    pub(super) fn count(&self, name: &str) -> Option<usize> {
        self.whole(name).map(|number| usize::try_from(number).unwrap_or(usize::MAX))
    }

    pub(super) fn flag(&self, name: &str, default: bool) -> bool {
        self.value(name).and_then(Value::as_bool).unwrap_or(default)
    }

    pub(super) fn list(&self, name: &str) -> &'a [Value] {
        self.value(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    fn value(&self, name: &str) -> Option<&'a Value> {
        debug_assert!(self.params.iter().any(|key| key.name == name), "`{name}` is not in the schema");
        self.input.get(name).filter(|value| !value.is_null())
    }
}

/// A number without fraction, which some models write as `10.0`.
fn whole(value: &Value) -> Option<u64> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
    let from_float = |number: f64| {
        (number.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&number)).then_some(number as u64)
    };
    value.as_u64().or_else(|| value.as_f64().and_then(from_float))
}

pub(super) fn listed<'a>(words: impl Iterator<Item = &'a str>) -> String {
    words.map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn describe(value: &Value) -> String {
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

    const PARAMS: &[Param] = &[
        Param::required("path", ParamType::Name, "the file."),
        Param::optional("limit", ParamType::Whole { least: 1, most: 10 }, "how many."),
        Param::optional("mode", ParamType::OneOf(&["a", "b"]), "which."),
        Param::optional("deep", ParamType::Flag, "how."),
        Param::optional("line", ParamType::Words, "what."),
    ];

    #[test]
    fn problems_name_the_key_and_the_value() {
        for (input, expected) in [
            (json!({}), "`T` needs `path`: the file."),
            (json!({ "path": null }), "`T` needs `path`: the file."),
            (json!({ "path": "" }), "`path` must be text that is not empty; it is empty."),
            (json!({ "path": 3 }), "`path` must be text that is not empty; it is `3`."),
            (json!({ "path": "x", "line": " \n" }), "`line` must be text that is not empty; it is blank."),
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
            assert_eq!(
                ToolInput::check("T", PARAMS, input.as_object().unwrap()).unwrap_err(),
                expected,
                "{input}"
            );
        }
    }

    #[test]
    fn valid_input_is_read() {
        let input = json!({ "path": "x", "limit": 2.0, "deep": true, "mode": null });
        let input = ToolInput::check("T", PARAMS, input.as_object().unwrap()).unwrap();
        assert_eq!((input.required("path"), input.whole("limit")), ("x", Some(2)));
        assert_eq!((input.flag("deep", false), input.text("mode")), (true, None));
    }

    #[test]
    fn schema_of_params() {
        assert_eq!(
            schema(&PARAMS[..2]),
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
