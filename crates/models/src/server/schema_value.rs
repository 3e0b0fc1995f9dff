//! A value that matches a schema. Agents send side requests (a title, the difficulty of a prompt) that expect JSON, and
//! repeat them until they get it.

use serde_json::{Map, Value};

/// Deep enough for every schema that agents send.
const DEPTH_LIMIT: usize = 16;

/// The smallest value that matches: required fields only.
pub(crate) fn minimal_value(schema: &Value) -> Value {
    at(schema, 0)
}

fn at(schema: &Value, depth: usize) -> Value {
    if depth > DEPTH_LIMIT {
        return Value::Null;
    }
    if let Some(value) = schema.get("const").or_else(|| schema["enum"].get(0)) {
        return value.clone();
    }
    if let Some(choice) = ["anyOf", "oneOf", "allOf"].iter().find_map(|key| schema[*key].get(0)) {
        return at(choice, depth + 1);
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or("object");
    match kind.to_ascii_lowercase().as_str() {
        "string" => "ok".into(),
        "integer" | "number" => schema.get("minimum").cloned().unwrap_or_else(|| 1.into()),
        "boolean" => false.into(),
        "array" => {
            let least = usize::from(schema["minItems"].as_u64().is_some_and(|least| least > 0));
            vec![at(&schema["items"], depth + 1); least].into()
        }
        "null" => Value::Null,
        _ => {
            let required = schema["required"].as_array().map(Vec::as_slice).unwrap_or_default();
            let field = |name: &str| (name.to_owned(), at(&schema["properties"][name], depth + 1));
            Value::Object(required.iter().filter_map(Value::as_str).map(field).collect::<Map<_, _>>())
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn minimal_value_has_the_required_fields() {
        for (schema, expected) in [
            (
                json!({"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}),
                json!({"title": "ok"}),
            ),
            (
                json!({"type": "OBJECT", "properties": {"why": {"type": "STRING"}, "score": {"type": "INTEGER"}, "more": {}},
                    "required": ["why", "score"]}),
                json!({"why": "ok", "score": 1}),
            ),
            (json!({"enum": ["user", "model"]}), json!("user")),
            (json!({"const": 7}), json!(7)),
            (json!({"anyOf": [{"type": "null"}, {"type": "string"}]}), json!(null)),
            (json!({"type": ["boolean", "null"]}), json!(false)),
            (json!({"type": "array", "items": {"type": "number", "minimum": 3}, "minItems": 1}), json!([3])),
            (json!({"type": "array"}), json!([])),
            (json!({}), json!({})),
            (json!(true), json!({})),
        ] {
            assert_eq!(minimal_value(&schema), expected, "{schema}");
        }
    }
}
