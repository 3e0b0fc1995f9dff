//! Whatever line comes: one answer with its id, or none to what wants none, and the server goes on.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{answer_text, serve, server};

/// Some JSON, not deep.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[a-z]{1,8}", inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

/// An id a user may wait for.
fn any_id() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        ".{0,8}".prop_map(Value::from)
    ]
}

fn any_method() -> impl Strategy<Value = Value> {
    let words =
        ["ping", "initialize", "tools/list", "tools/call", "resources/read", "prompts/get", "no/such"];
    prop_oneof![4 => prop::sample::select(words.to_vec()).prop_map(Value::from), 1 => any_json()]
}

/// The id of an answer, of which there is at most one, on one line.
fn answered(answer: Option<&str>) -> Option<Value> {
    let answer = answer?;
    assert!(!answer.contains('\n'), "{answer}");
    let answer: Value = serde_json::from_str(answer).unwrap();
    assert_eq!(answer["jsonrpc"], "2.0");
    assert!(answer.get("result").is_some() != answer.get("error").is_some(), "{answer}");
    Some(answer["id"].clone())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn every_request_is_answered_with_its_id_and_nothing_else_is(
        id in prop::option::of(prop_oneof![3 => any_id(), 1 => any_json()]),
        method in prop::option::of(any_method()),
        params in prop::option::of(any_json()),
        version in prop_oneof![3 => Just(json!("2.0")), 1 => any_json()],
    ) {
        let folder = tempfile::tempdir().unwrap();
        let server = server(folder.path(), "s");
        let fields = [("jsonrpc", Some(version)), ("id", id.clone()), ("method", method.clone()), ("params", params)];
        let fields = fields.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
        let message = Value::Object(fields.collect());
        let expected = match (&id, &method) {
            (None, Some(Value::String(_))) => None,
            (Some(id), _) if id.is_string() || id.is_number() => Some(id.clone()),
            _ => Some(Value::Null),
        };
        prop_assert_eq!(answered(answer_text(&server, &message.to_string()).as_deref()), expected, "{}", message);
    }

    #[test]
    fn a_request_that_is_broken_behind_its_id_is_answered_with_it(id in any_id(), junk in "[^\"]{0,40}|.{0,40}") {
        prop_assume!(!junk.contains("id"));
        let folder = tempfile::tempdir().unwrap();
        let server = server(folder.path(), "s");
        let line = format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping","params":{junk}}}"#);
        prop_assert_eq!(answered(answer_text(&server, &line).as_deref()), Some(id), "{}", line);
    }

    #[test]
    fn bytes_of_any_kind_end_nothing(lines in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..60), 0..6)) {
        let folder = tempfile::tempdir().unwrap();
        let server = server(folder.path(), "s");
        let mut bytes = lines.join(&b'\n');
        bytes.extend_from_slice(b"\n{\"jsonrpc\":\"2.0\",\"id\":\"last\",\"method\":\"ping\"}\n");
        let mut written = Vec::new();
        serve(&server, std::io::Cursor::new(bytes), &mut written).unwrap();
        let last = String::from_utf8(written).unwrap();
        prop_assert_eq!(answered(last.lines().last()), Some(json!("last")));
    }
}

#[test]
fn a_great_many_requests_at_once_are_all_answered_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), "s");
    let lines: Vec<String> = (0..600)
        .map(|number| {
            let call = json!({"name": "list_memories", "arguments": {"limit": 1}});
            let (method, params) = if number % 3 == 0 { ("tools/call", call) } else { ("ping", json!({})) };
            // Ids come twice: a client that sends them so gets two answers.
            json!({"jsonrpc": "2.0", "id": number / 2, "method": method, "params": params}).to_string()
        })
        .collect();
    let mut written = Vec::new();
    serve(&server, std::io::Cursor::new(lines.join("\n")), &mut written).unwrap();
    let ids: Vec<Value> =
        String::from_utf8(written).unwrap().lines().map(|line| answered(Some(line)).unwrap()).collect();
    assert_eq!(ids, (0..600).map(|number| json!(number / 2)).collect::<Vec<_>>());
}

#[test]
fn a_line_of_five_million_bytes_is_answered_in_a_few_words() {
    let folder = tempfile::tempdir().unwrap();
    let server = server(folder.path(), "s");
    let long = "x".repeat(5_000_000);
    let mut all = BTreeMap::new();
    for (name, value) in [("category", json!(long)), ("content", json!(long)), ("tags", json!([long]))] {
        let mut arguments = json!({"content": "x", "category": "fact"});
        arguments[name] = value;
        let params = json!({"name": "store_memory", "arguments": arguments});
        let message = json!({"jsonrpc": "2.0", "id": name, "method": "tools/call", "params": params});
        let answer = answer_text(&server, &message.to_string()).unwrap();
        assert!(answer.len() < 1000 && answer.contains("validation_error"), "{}", &answer[..200]);
        all.insert(name, answered(Some(&answer)));
    }
    assert!(all.iter().all(|(name, id)| *id == Some(json!(name))), "{all:?}");
}
