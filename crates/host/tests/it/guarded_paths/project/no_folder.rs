//! Calls whose payload names no folder.

use serde_json::{Map, Value};

use super::Call;

impl Call {
    /// The same call about another file, and no folder anywhere.
    pub(crate) fn without_folder(&self, path: &str) -> Value {
        without(&self.payload, self.cwd.as_deref(), &self.path, path)
    }
}

fn without(value: &Value, cwd: Option<&str>, old: &str, new: &str) -> Value {
    let is_cwd = |value: &Value| value.as_str().is_some_and(|text| Some(text) == cwd);
    match value {
        Value::String(text) if text == old => new.into(),
        Value::Array(items) => {
            items.iter().filter(|it| !is_cwd(it)).map(|it| without(it, cwd, old, new)).collect()
        }
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(_, field)| !is_cwd(field));
            kept.map(|(key, field)| (key.clone(), without(field, cwd, old, new)))
                .collect::<Map<_, _>>()
                .into()
        }
        _ => value.clone(),
    }
}
