//! Every tool, passed everything its schema does not allow: it says what to send, and nothing has happened.

use serde_json::{Map, Value, json};

use super::{call, ghap, server, tools};

/// Texts that may be empty although they are required: nothing was asked for, so the best or nothing comes back.
const MAY_BE_EMPTY: [(&str, &str); 3] =
    [("search_experiences", "query"), ("retrieve_memories", "query"), ("assemble_context", "query")];

#[test]
fn whatever_a_schema_does_not_allow_is_a_validation_error_that_says_what_to_send() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), "s");
    // Tools that are about an entry get as far as looking at what they were passed.
    call(&server, "start_ghap", ghap("stays as it is"));
    let before = call(&server, "get_active_ghap", json!({}));
    for tool in tools::all() {
        let listed = tool.listed();
        let schema = &listed["inputSchema"];
        for (key, arguments) in wrong_objects(tool.name, schema) {
            let result = call(&server, tool.name, arguments.clone());
            let output: String = arguments.to_string().chars().take(200).collect();
            assert_eq!(result["error"]["type"], "validation_error", "{} {output}: {result}", tool.name);
            let message = result["error"]["message"].as_str().unwrap();
            let names_it = message.contains(&format!("`{key}`")) || message.contains("; there are: ");
            assert!(names_it && message.len() < 500, "{} {output}: {message}", tool.name);
        }
    }
    assert_eq!(call(&server, "get_active_ghap", json!({})), before);
    assert_eq!(call(&server, "list_memories", json!({}))["total"], 0);
    assert_eq!(call(&server, "list_journal_entries", json!({}))["count"], 0);
    assert_eq!(call(&server, "list_ghap_entries", json!({}))["count"], 0);
}

/// Objects that are wrong in one place each, with the name of that place.
fn wrong_objects(tool: &str, schema: &Value) -> Vec<(String, Value)> {
    let properties = schema["properties"].as_object().unwrap();
    let required: Vec<&str> =
        schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let right: Map<String, Value> =
        required.iter().map(|key| ((*key).to_owned(), right_value(&properties[*key]))).collect();
    let with = |key: &str, value: Value| {
        let mut object = right.clone();
        object.insert(key.to_owned(), value);
        Value::Object(object)
    };
    let mut wrong = Vec::new();
    if !properties.is_empty() {
        wrong.push(("no_such_parameter".to_owned(), with("no_such_parameter", json!(1))));
    }
    for key in &required {
        let mut without = right.clone();
        without.remove(*key);
        wrong.push(((*key).to_owned(), Value::Object(without)));
        wrong.push(((*key).to_owned(), with(key, Value::Null)));
        if properties[*key]["type"] == "string" && !MAY_BE_EMPTY.contains(&(tool, *key)) {
            wrong.extend(["", " \n"].map(|empty| ((*key).to_owned(), with(key, json!(empty)))));
        }
    }
    for (key, schema) in properties {
        wrong.extend(wrong_values(schema).into_iter().map(|value| (key.clone(), with(key, value))));
        if schema["type"] == "object" {
            let inside = wrong_objects(tool, schema).into_iter();
            wrong.extend(inside.map(|(inner, value)| (format!("{key}.{inner}"), with(key, value))));
        }
    }
    wrong
}

/// Values that a parameter does not take.
fn wrong_values(schema: &Value) -> Vec<Value> {
    let mut wrong = match schema["type"].as_str().unwrap() {
        "string" => vec![json!(7), json!(true), json!(["x"]), json!({"x": 1})],
        "integer" => vec![json!("7"), json!(true), json!(1.5), json!([1]), json!(1e300), json!({})],
        "number" => vec![json!("0.5"), json!(true), json!([0.5])],
        "boolean" => vec![json!("true"), json!(1), json!([true])],
        "array" => vec![json!("x"), json!(7), json!({}), json!([7]), json!(["x", null])],
        "object" => vec![json!("x"), json!(7), json!(["x"])],
        other => panic!("nothing is known of {other}"),
    };
    if schema.get("enum").is_some() {
        wrong.extend([json!("no-such-word"), json!(""), json!("x".repeat(5000))]);
    }
    if let Some(most) = schema["maxLength"].as_u64() {
        wrong.push(json!("x".repeat(usize::try_from(most).unwrap() + 1)));
    }
    if let Some(most) = schema["maxItems"].as_u64() {
        wrong.push(json!(vec!["x"; usize::try_from(most).unwrap() + 1]));
    }
    if schema["items"]["enum"].is_array() {
        wrong.push(json!(["no-such-word"]));
    }
    for (bound, beyond) in [("minimum", -1.0), ("maximum", 1.0)] {
        if let Some(bound) = schema[bound].as_f64() {
            wrong.push(json!(bound + beyond));
        }
    }
    wrong
}

fn right_value(schema: &Value) -> Value {
    match (schema["enum"][0].clone(), schema["type"].as_str().unwrap()) {
        (Value::Null, "array") => json!(["x"]),
        (Value::Null, "string") => json!("x"),
        (Value::Null, other) => panic!("no tool has asked for {other} so far"),
        (word, _) => word,
    }
}
