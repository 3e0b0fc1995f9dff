//! Converts JSON values to a script, with an error for everything else.

use serde_json::{Map, Value};
use tenter_contract::similar;

use super::{Expectation, Script, ScriptCall, ScriptError, Turn, failure};

pub(super) type Fields = Map<String, Value>;

pub(super) fn script(value: &Value, project: &str) -> Result<Script, ScriptError> {
    let place = "script";
    let fields = fields(value, place, &["version", "turns"])?;
    if fields.get("version") != Some(&Value::from(1)) {
        return Err(ScriptError::new(
            place,
            "the version is missing or unknown",
            "start it with `version: 1`",
        ));
    }
    let turns = match fields.get("turns") {
        Some(Value::Array(turns)) => turns.as_slice(),
        Some(Value::Null) | None => &[],
        Some(_) => {
            return Err(ScriptError::new(
                place,
                "`turns` is not a list",
                "write each turn as an item: `- say: …`",
            ));
        }
    };
    if turns.is_empty() {
        return Err(ScriptError::new(place, "it has no turns", "add one: `turns: [ { say: \"Done.\" } ]`"));
    }
    let reader = Reader { project };
    let turn = |(index, value)| reader.turn(value, &format!("turn {}", index + 1));
    Ok(Script { turns: turns.iter().enumerate().map(turn).collect::<Result<_, _>>()? })
}

struct Reader<'a> {
    project: &'a str,
}

impl Reader<'_> {
    fn turn(&self, value: &Value, place: &str) -> Result<Turn, ScriptError> {
        let fields = fields(value, place, &["expect", "say", "call", "fails"])?;
        let turn = Turn {
            expect: fields.get("expect").map_or(Ok(Expectation::default()), |it| self.expect(it, place))?,
            say: fields.get("say").map(|say| self.text(say, &format!("{place}, `say`"))).transpose()?,
            calls: match fields.get("call") {
                None => Vec::new(),
                Some(Value::Array(calls)) => {
                    calls.iter().map(|call| self.call(call, place)).collect::<Result<_, _>>()?
                }
                Some(call) => vec![self.call(call, place)?],
            },
            fails: fields.get("fails").map(|it| failure::parse(it, place)).transpose()?,
        };
        if turn.say.is_none() && turn.calls.is_empty() && turn.fails.is_none() {
            let hint = "give it `say`, `call` or `fails`";
            return Err(ScriptError::new(place, "the model says nothing and calls nothing", hint));
        }
        Ok(turn)
    }

    fn call(&self, value: &Value, place: &str) -> Result<ScriptCall, ScriptError> {
        let place = format!("{place}, `call`");
        let fields = fields(value, &place, &["tool", "input"])?;
        let example = "write `call: { tool: Bash, input: { command: ls } }`";
        let tool =
            fields.get("tool").ok_or_else(|| ScriptError::new(&place, "the tool is missing", example))?;
        let input = match fields.get("input") {
            None => Map::new(),
            Some(Value::Object(input)) => {
                input.iter().map(|(key, value)| (key.clone(), self.fill(value))).collect()
            }
            Some(_) => return Err(ScriptError::new(&place, "`input` is not a mapping", example)),
        };
        Ok(ScriptCall { tool: self.text(tool, &format!("{place}, `tool`"))?, input })
    }

    fn expect(&self, value: &Value, place: &str) -> Result<Expectation, ScriptError> {
        let place = format!("{place}, `expect`");
        let fields = fields(value, &place, &["contains", "lacks", "tool_result_contains"])?;
        let list = |key: &str| {
            let place = format!("{place}, `{key}`");
            match fields.get(key) {
                None => Ok(Vec::new()),
                Some(Value::Array(items)) => items.iter().map(|item| self.text(item, &place)).collect(),
                Some(item) => self.text(item, &place).map(|text| vec![text]),
            }
        };
        Ok(Expectation {
            contains: list("contains")?,
            lacks: list("lacks")?,
            tool_result_contains: list("tool_result_contains")?,
        })
    }

    fn text(&self, value: &Value, place: &str) -> Result<String, ScriptError> {
        match value {
            Value::String(text) if text.is_empty() => {
                Err(ScriptError::new(place, "it is empty", "write some text, or leave the key out"))
            }
            Value::String(text) => Ok(self.fill_text(text)),
            _ => Err(ScriptError::new(place, "it is not text", "put the value in quotes")),
        }
    }

    fn fill(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill_text(text)),
            Value::Array(items) => items.iter().map(|item| self.fill(item)).collect(),
            Value::Object(fields) => {
                Value::Object(fields.iter().map(|(key, value)| (key.clone(), self.fill(value))).collect())
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        }
    }

    fn fill_text(&self, text: &str) -> String {
        text.replace("{project}", self.project)
    }
}

/// The fields of a mapping that has no others than these.
pub(super) fn fields<'a>(value: &'a Value, place: &str, known: &[&str]) -> Result<&'a Fields, ScriptError> {
    let listed = known.join(", ");
    let Value::Object(fields) = value else {
        return Err(ScriptError::new(place, "it is not a mapping", &format!("its keys are {listed}")));
    };
    match fields.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(fields),
        Some(key) => {
            let hint = match similar::nearest(key, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("its keys are {listed}"),
            };
            Err(ScriptError::new(place, &format!("unknown key `{key}`"), &hint))
        }
    }
}
