//! Turns, expectations and recordings.

use std::fs;
use std::thread;

use serde_json::{Value, json};
use tempfile::TempDir;
use tenter_models::{ScriptServer, ServerOptions};

use crate::raw_client::{Client, messages, prompt, serve, serve_with};

const SCRIPT: &str = r#"version: 1
turns:
  - expect: { contains: "Fix the script" }
    call: { tool: Bash, input: { command: "sh -n a.sh" } }
  - expect: { tool_result_contains: "Syntax error", contains: "house rules" }
    say: Done.
"#;

fn with_result(result: &str, context: &str) -> Value {
    messages(&json!([
        {"role": "user", "content": "Fix the script"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_0001_1", "name": "Bash",
            "input": {"command": "sh -n a.sh; : Syntax error"}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_0001_1", "content": [{"type": "text", "text": result}]},
            {"type": "text", "text": context},
        ]},
        {"role": "system", "content": "A late word."},
    ]))
}

fn ask(server: &ScriptServer, request: &Value) -> String {
    let reply = Client::new(server).post("/v1/messages", request).json();
    reply["content"][0]["text"].as_str().unwrap_or("(no text)").to_owned()
}

#[test]
fn script_is_played_to_its_end() {
    let server = serve(SCRIPT);
    ask(&server, &messages(&prompt("Fix the script")));
    assert_eq!(ask(&server, &with_result("a.sh: Syntax error", "the house rules")), "Done.");
    assert_eq!(ask(&server, &with_result("", "")), "The script has ended.");
    let report = server.finish();
    assert!(report.is_complete());
    assert_eq!(report.to_string(), "2 of 2 turns played; 1 request after the end of the script");
}

#[test]
fn titles_and_probes_use_no_turn() {
    let server = serve(SCRIPT);
    let mut title = messages(&prompt("Fix the script"));
    title["tools"] = json!([]);
    assert_eq!(ask(&server, &title), "ok");
    title["tools"] = json!([{"type": "web_search_20250305", "name": "web_search"}]);
    assert_eq!(ask(&server, &title), "ok");
    let schema =
        json!({"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]});
    title["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
    assert_eq!(ask(&server, &title), r#"{"title":"ok"}"#);
    assert_eq!(ask(&server, &messages(&prompt("Fix the script"))), "(no text)");
    assert_eq!(server.finish().side_requests, 3);
}

#[test]
fn model_text_meets_no_expectation() {
    let server = serve(SCRIPT);
    ask(&server, &messages(&prompt("Fix the script")));
    let mismatch = "turn 2 does not match the script: \
        the request does not contain \"house rules\"; no tool result contains \"Syntax error\"";
    assert_eq!(ask(&server, &with_result("all is well", "nothing")), mismatch);
    let report = server.finish();
    assert!(!report.is_complete());
    assert_eq!(report.to_string(), format!("{mismatch}\n1 of 2 turns played"));
}

#[test]
fn concurrent_requests_use_one_turn_each() {
    let turns: Vec<Value> = (0..20).map(|turn| json!({"say": turn.to_string()})).collect();
    let server = serve(&json!({"version": 1, "turns": turns}).to_string());
    let mut received: Vec<usize> = thread::scope(|scope| {
        let asked: Vec<_> = (0..20).map(|_| scope.spawn(|| ask(&server, &messages(&prompt("hi"))))).collect();
        asked.into_iter().map(|thread| thread.join().unwrap().parse().unwrap()).collect()
    });
    received.sort_unstable();
    assert_eq!(received, (0..20).collect::<Vec<_>>());
}

#[test]
fn requests_are_recorded_without_keys() {
    let folder = TempDir::new().unwrap();
    let record = Some(folder.path().join("requests"));
    let server = serve_with(SCRIPT, ServerOptions { record, ..ServerOptions::default() });
    let mut client = Client::new(&server);
    client.send("HEAD / HTTP/1.1\r\nx-api-key: sk-secret\r\n\r\n");
    assert!(client.line().contains("200"));
    let request = messages(&prompt("Fix the script"));
    ask(&server, &request);
    ask(&server, &messages(&prompt("Something else")));
    Client::new(&server).post("/v1/elsewhere?key=sk-secret", &json!({}));
    assert!(!server.finish().is_complete());
    let record = |number: usize| -> Value {
        let text = fs::read_to_string(folder.path().join(format!("requests/{number:03}.json"))).unwrap();
        assert!(!text.contains("sk-secret"));
        serde_json::from_str(&text).unwrap()
    };
    let call = json!({"tool": "Bash", "input": {"command": "sh -n a.sh"}});
    assert_eq!(
        record(2),
        json!({"v": 1, "number": 2, "api": "anthropic", "method": "POST", "path": "/v1/messages", "part": "turn",
            "turn": 1, "reply": {"say": null, "call": [call]}, "request": request})
    );
    let parts: Vec<Value> = (1..=4).map(|number| record(number)["part"].clone()).collect();
    assert_eq!(parts, ["probe", "turn", "mismatch", "unknown"]);
}

#[test]
fn failed_recording_is_reported() {
    let folder = TempDir::new().unwrap();
    let record = folder.path().join("requests");
    let options = ServerOptions { record: Some(record.clone()), ..ServerOptions::default() };
    let server = serve_with("version: 1\nturns: [ { say: one } ]", options);
    fs::create_dir(record.join("001.json")).unwrap();
    assert_eq!(ask(&server, &messages(&prompt("hi"))), "one");
    let report = server.finish();
    assert_eq!((report.unrecorded.len(), report.is_complete()), (1, false));
}
