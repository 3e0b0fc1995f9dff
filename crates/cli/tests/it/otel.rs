//! `tenter audit export`, in builds that have it: the requests conform to OTLP.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use serde_json::{Value, json};

use crate::world::{World, bash};

const HOOKS: &str = r#"version: 1
hooks:
  tool:pre:
    - { name: broken, matcher: Bash, command: "exit 3" }
    - { name: no-force-push, matcher: Bash, when: { command: "*--force*" }, deny: "Use --force-with-lease." }
"#;

/// A machine with two past sessions.
fn world() -> World {
    let world = World::with_hooks(HOOKS);
    for (session, id, command) in [("s1", "t1", "ls"), ("s1", "t2", "git push --force"), ("s2", "t3", "ls")] {
        let payload = bash(command).replace("\"s1\"", &format!("{session:?}")).replace("toolu_1", id);
        assert_eq!(world.claude(&payload).run().code, Some(0));
    }
    assert_eq!(world.claude("not JSON").run().code, Some(2));
    world
}

/// Serves these answers in order, and passes on the head and the body of each request.
fn collector(answers: Vec<(&'static str, &'static str)>) -> (String, Receiver<(String, Value)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (served, requests) = channel();
    thread::spawn(move || {
        for (status, body) in answers {
            let (stream, _) = listener.accept().unwrap();
            let mut reader = BufReader::new(stream);
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                assert_ne!(reader.read_line(&mut head).unwrap(), 0, "{head}");
            }
            let head = head.to_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
            let mut sent = vec![0; length.parse().unwrap()];
            reader.read_exact(&mut sent).unwrap();
            let length = body.len();
            let answer =
                format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}");
            reader.get_mut().write_all(answer.as_bytes()).unwrap();
            served.send((head, serde_json::from_slice(&sent).unwrap())).unwrap();
        }
    });
    (address, requests)
}

/// The spans of a request, checked against OTLP.
fn spans(request: &Value) -> Vec<Value> {
    let resource = &request["resourceSpans"][0];
    let service = attributes(&resource["resource"]);
    assert_eq!(service["service.name"], json!({"stringValue": "tenter"}));
    let scope = &resource["scopeSpans"][0];
    assert_eq!(scope["scope"]["name"], "tenter");
    let spans = scope["spans"].as_array().unwrap().clone();
    spans.iter().for_each(check);
    spans
}

fn check(span: &Value) {
    let hex = |key: &str, digits: usize| {
        let id = span[key].as_str().unwrap_or_else(|| panic!("{key}: {span}"));
        let lower = id.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
        assert!(id.len() == digits && lower && id.bytes().any(|byte| byte != b'0'), "{key}: {id}");
    };
    hex("traceId", 32);
    hex("spanId", 16);
    if span.get("parentSpanId").is_some() {
        hex("parentSpanId", 16);
    }
    assert!((0..=5).contains(&span["kind"].as_u64().unwrap()), "{span}");
    assert!(!span["name"].as_str().unwrap().is_empty());
    let time = |key: &str| span[key].as_str().unwrap().parse::<u64>().unwrap();
    assert!(time("startTimeUnixNano") <= time("endTimeUnixNano"), "{span}");
    assert!(time("startTimeUnixNano") > 1_600_000_000_000_000_000, "{span}");
    if let Some(status) = span.get("status") {
        assert!([1, 2].contains(&status["code"].as_u64().unwrap()), "{span}");
    }
    for value in attributes(span).values() {
        let (kind, value) = value.as_object().unwrap().iter().next().unwrap();
        match kind.as_str() {
            "stringValue" => assert!(value.is_string()),
            "boolValue" => assert!(value.is_boolean()),
            "intValue" => assert!(value.as_str().unwrap().parse::<i64>().is_ok(), "{value}"),
            "arrayValue" => assert!(value["values"].is_array()),
            other => panic!("no attribute of OTLP: {other}"),
        }
    }
}

fn attributes(span: &Value) -> BTreeMap<String, Value> {
    let all = span["attributes"].as_array().unwrap();
    let attributes: BTreeMap<String, Value> =
        all.iter().map(|it| (it["key"].as_str().unwrap().to_owned(), it["value"].clone())).collect();
    assert_eq!(attributes.len(), all.len(), "each key occurs once");
    attributes
}

#[test]
fn collector_gets_spans_of_events_and_hooks() {
    let world = world();
    let (address, collector) = collector(vec![("200 OK", "{}")]);
    let ran = world.tenter(&["audit", "export", "--otlp", &address]).run();
    assert_eq!((ran.code, ran.stdout), (Some(0), format!("8 spans exported to {address}/v1/traces\n")));
    let (head, request) = collector.recv().unwrap();
    assert!(head.starts_with("post /v1/traces http/1.1"), "{head}");
    assert!(head.contains("content-type: application/json"), "{head}");
    let spans = spans(&request);
    let named = |name: &str| spans.iter().filter(|span| span["name"] == name).collect::<Vec<_>>();
    let events = named("tool:pre Bash");
    let [first, second, other] = events[..] else { panic!("{events:?}") };
    assert_eq!(first["traceId"], second["traceId"], "one trace per session");
    assert_ne!(first["traceId"], other["traceId"]);
    let broken = named("hook broken");
    assert_eq!(broken.len(), 3);
    for (hook, event) in broken.iter().zip(&events) {
        assert_eq!((&hook["parentSpanId"], &hook["traceId"]), (&event["spanId"], &event["traceId"]));
        assert_eq!(hook["status"], json!({"code": 2, "message": "failed with exit code 3"}));
        assert_eq!(attributes(hook)["tenter.exit_code"], json!({"intValue": "3"}));
    }
    let denied = attributes(second);
    assert_eq!(denied["tenter.decision"], json!({"stringValue": "deny"}));
    assert_eq!(denied["tenter.decided_by"], json!({"stringValue": "no-force-push"}));
    assert_eq!(denied["session.id"], json!({"stringValue": "s1"}));
    assert_eq!(second.get("status"), None, "a deny is no error");
    let undecodable = named("agent:undecodable");
    assert_eq!(undecodable[0]["status"]["code"], 2);
    assert!(!request.to_string().contains("git push"), "what was in a call is not exported");
}

#[test]
fn record_has_the_same_span_everywhere() {
    let world = world();
    let export = |file: &str| {
        let ran = world.tenter(&["audit", "export", "--otlp", file, "--session", "s1"]).run();
        assert_eq!(ran.code, Some(0), "{ran:?}");
    };
    export("a.jsonl");
    export("b.jsonl");
    export("b.jsonl");
    let read = |file: &str| fs::read_to_string(world.project().join(file)).unwrap();
    assert_eq!(read("a.jsonl").repeat(2), read("b.jsonl"));
    assert_eq!(spans(&serde_json::from_str(&read("a.jsonl")).unwrap()).len(), 5);
}

#[test]
fn busy_collector_is_retried_and_refusal_reported() {
    let world = world();
    let export = |address: &str| {
        let call = world.tenter(&["audit", "export", "--session", "s2"]);
        call.env("OTEL_EXPORTER_OTLP_ENDPOINT", address)
            .env("OTEL_EXPORTER_OTLP_HEADERS", "x-key=a%20b")
            .run()
    };
    let busy = ("503 Busy\r\nRetry-After: 0", "");
    let (address, served) = collector(vec![busy, busy, ("200 OK", "{}")]);
    assert_eq!(export(&address).code, Some(0));
    for (head, request) in served {
        assert!(head.contains("x-key: a b"), "{head}");
        assert_eq!(spans(&request).len(), 2);
    }
    let (address, served) = collector(vec![("401 Unauthorized", "who are you")]);
    let refused = export(&address);
    assert_eq!(served.iter().count(), 1);
    let expected = format!(
        "error: the collector `{address}/v1/traces` cannot be used: it answered 401: who are you\nhint: "
    );
    assert!(refused.code == Some(2) && refused.stderr.starts_with(&expected), "{refused:?}");
    let partly = r#"{"partialSuccess": {"rejectedSpans": "1", "errorMessage": "too old"}}"#;
    let (address, served) = collector(vec![("200 OK", partly)]);
    let partial = export(&address);
    assert_eq!(served.iter().count(), 1);
    assert!(
        partial.code == Some(1) && partial.stdout.ends_with("has not taken 1 spans: too old\n"),
        "{partial:?}"
    );
}

#[test]
fn missing_target_names_the_option() {
    let ran = World::new().tenter(&["audit", "export"]).run();
    assert_eq!(ran.code, Some(2));
    assert!(
        ran.stderr.contains("hint: run `tenter audit export --otlp http://127.0.0.1:4318`"),
        "{}",
        ran.stderr
    );
}

#[test]
fn follow_exports_new_records() {
    let world = world();
    let (address, collector) = collector(vec![("200 OK", "{}"), ("200 OK", "{}")]);
    let mut following =
        world.tenter(&["audit", "export", "--otlp", &address, "--follow", "--since", "1h"]).start();
    let before = collector.recv().unwrap();
    let added = bash("make").replace("toolu_1", "t9").replace("\"s1\"", "\"s9\"");
    assert_eq!(world.claude(&added).run().code, Some(0));
    let after = collector.recv().unwrap();
    following.kill().unwrap();
    following.wait().unwrap();
    assert_eq!(spans(&before.1).len(), 8);
    let session = |span: &Value| attributes(span)["session.id"].clone();
    let sessions: Vec<Value> = spans(&after.1).iter().map(session).collect();
    assert_eq!(sessions, vec![json!({"stringValue": "s9"}); 2]);
}
