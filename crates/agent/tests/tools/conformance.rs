//! Promises of every tool.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tenter_agent::tools::{self, Tool};
use tenter_contract::ToolKind;

use crate::workspace::Place;

#[test]
fn names_kinds_and_parallel_runs() {
    let tools: Vec<_> =
        tools::own().iter().map(|tool| (tool.name().to_owned(), tool.kind(), tool.alone())).collect();
    let expected = [
        ("Read", ToolKind::Read, false),
        ("Write", ToolKind::Write, true),
        ("Edit", ToolKind::Edit, true),
        ("Bash", ToolKind::Shell, true),
        ("BashOutput", ToolKind::Other, false),
        ("KillShell", ToolKind::Other, false),
        ("Glob", ToolKind::Search, false),
        ("Grep", ToolKind::Search, false),
        ("TodoWrite", ToolKind::Other, true),
    ];
    assert_eq!(tools, expected.map(|(name, kind, alone)| (name.to_owned(), kind, alone)));
}

#[test]
fn schema_describes_every_key() {
    for tool in tools::own() {
        let schema = tool.schema();
        assert_eq!(schema["type"], "object", "{}", tool.name());
        assert_eq!(schema["additionalProperties"], false, "{}", tool.name());
        let properties = schema["properties"].as_object().unwrap();
        for (key, about) in properties {
            assert!(about["type"].is_string(), "{} {key}", tool.name());
            assert!(about["description"].as_str().unwrap().len() > 10, "{} {key}", tool.name());
        }
        for required in schema["required"].as_array().unwrap() {
            assert!(properties.contains_key(required.as_str().unwrap()), "{} {required}", tool.name());
        }
        assert!(tool.description().len() > 40, "{}", tool.name());
    }
}

#[test]
fn missing_and_unknown_keys_are_named() {
    let place = Place::new();
    for tool in tools::own() {
        let (name, schema) = (tool.name().to_owned(), tool.schema());
        let text = place.output(&name, &json!({}));
        for required in schema["required"].as_array().unwrap() {
            let wanted = format!("`{name}` needs `{}`: ", required.as_str().unwrap());
            assert!(text.starts_with("! ") && text.contains(&wanted), "{text}");
        }
        let text = place.output(&name, &json!({ "banana": 1 }));
        assert!(text.contains(&format!("`{name}` has no key `banana`. It takes")), "{text}");
        for key in schema["properties"].as_object().unwrap().keys() {
            let text = place.output(&name, &json!({ key: { "a": 1 } }));
            assert!(text.contains(&format!("`{key}` must be ")), "{text}");
        }
    }
    assert_eq!(std::fs::read_dir(&place.at.root).unwrap().count(), 0);
}

/// Values of every type, some of them valid.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        (0..3_u64).prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop_oneof![Just("file"), Just("."), Just(".."), Just(""), Just("*"), Just("content"), Just("\0")]
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::vec((".{0,8}", inner), 0..3)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// Inputs with some keys of a tool.
fn input(tool: &dyn Tool) -> impl Strategy<Value = Map<String, Value>> + use<> {
    let keys: Vec<String> = tool.schema()["properties"].as_object().unwrap().keys().cloned().collect();
    let key = prop_oneof![9 => prop::sample::select(keys), 1 => ".{0,8}"];
    prop::collection::vec((key, value()), 0..6).prop_map(|pairs| pairs.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_input_has_a_result(
        inputs in tools::own()
            .iter()
            // A random command could do harm.
            .filter(|tool| tool.kind() != ToolKind::Shell)
            .map(|tool| input(tool.as_ref()).boxed())
            .collect::<Vec<_>>()
    ) {
        let place = Place::with([("file", "content\n")]);
        let tools = tools::own();
        for (tool, input) in tools.iter().filter(|tool| tool.kind() != ToolKind::Shell).zip(inputs) {
            let outside = |key: &str| {
                let text = input.get(key).and_then(Value::as_str).unwrap_or_default();
                text.starts_with('/') || text.contains("..")
            };
            if ["file_path", "path", "pattern", "glob"].into_iter().any(outside) {
                continue;
            }
            let output = tool.run(&input, &place.at, &|| false);
            prop_assert!(!output.output.is_empty(), "{} {input:?}", tool.name());
        }
    }
}
