//! Google's Gemini, as Gemini CLI uses it.

use serde_json::{Value, json};
use tenter_models::{Api, ServerOptions};

use crate::raw_client::{Client, messages, prompt, serve, serve_with};

const SCRIPT: &str = r#"version: 1
turns:
  - say: "I will look around, and tell you in more than one piece."
    call: { tool: run_shell_command, input: { command: ls } }
  - expect: { tool_result_contains: "a.txt", contains: [Be kind, List the files], lacks: "I will look" }
    say: Done.
"#;

fn generate(contents: &Value) -> Value {
    json!({
        "contents": contents,
        "systemInstruction": {"parts": [{"text": "Be kind."}]},
        "tools": [{"functionDeclarations": [{"name": "run_shell_command"}]}],
    })
}

fn first() -> Value {
    generate(&json!([{"role": "user", "parts": [{"text": "List the files"}]}]))
}

fn second() -> Value {
    generate(&json!([
        {"role": "user", "parts": [{"text": "List the files"}]},
        {"role": "model", "parts": [{"text": "I will look around, and tell you in more than one piece."},
            {"functionCall": {"name": "run_shell_command", "args": {"command": "ls"}}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": "run_shell_command", "response": {"output": "a.txt\n"}}}]},
    ]))
}

#[test]
fn full_and_streamed_replies() {
    let server = serve(SCRIPT);
    let mut client = Client::new(&server);
    let events =
        client.post("/v1beta/models/gemini-x:streamGenerateContent?alt=sse&key=k", &first()).events();
    let parts: Vec<&Value> = events
        .iter()
        .flat_map(|(_, data)| data["candidates"][0]["content"]["parts"].as_array().unwrap())
        .collect();
    let text: String = parts.iter().filter_map(|part| part["text"].as_str()).collect();
    assert_eq!(text, "I will look around, and tell you in more than one piece.");
    let call = json!({"id": "call_0001_1", "name": "run_shell_command", "args": {"command": "ls"}});
    assert_eq!(parts.last().unwrap()["functionCall"], call);
    let finished: Vec<bool> =
        events.iter().map(|(_, data)| data["candidates"][0]["finishReason"] == "STOP").collect();
    assert_eq!(finished, [false, false, true]);

    let reply = client.post("/v1beta/models/gemini-x:generateContent", &second()).json();
    assert_eq!(
        reply,
        json!({
            "candidates": [{"content": {"role": "model", "parts": [{"text": "Done."}]}, "index": 0, "finishReason": "STOP"}],
            "modelVersion": "gemini-x", "responseId": "resp_0002",
            "usageMetadata": {"promptTokenCount": 12, "candidatesTokenCount": 3, "totalTokenCount": 15},
        })
    );
    assert!(server.finish().is_complete());
}

#[test]
fn stream_without_events_is_an_array() {
    let server = serve(SCRIPT);
    let reply = Client::new(&server).post("/v1beta/models/gemini-x:streamGenerateContent", &first()).json();
    assert_eq!(reply.as_array().unwrap().len(), 3);
}

#[test]
fn side_requests_use_no_turn() {
    let server = serve(SCRIPT);
    let mut client = Client::new(&server);
    let path = "/v1beta/models/gemini-x:countTokens";
    assert_eq!(client.post(path, &first()).json(), json!({"totalTokens": 6}));
    let wrapped = json!({"generateContentRequest": first()});
    assert_eq!(client.post(path, &wrapped).json(), json!({"totalTokens": 6}));
    let mut search = first();
    search["tools"] = json!([{"googleSearch": {}}]);
    client.post("/v1beta/models/gemini-x:generateContent", &search);
    let report = server.finish();
    assert_eq!((report.played, report.side_requests), (0, 1));
}

#[test]
fn only_the_selected_api_is_served() {
    let server = serve_with(SCRIPT, ServerOptions { api: Some(Api::Gemini), ..ServerOptions::default() });
    let reply = Client::new(&server).post("/v1/messages", &messages(&prompt("hi")));
    assert_eq!(reply.status, 404);
    let why = "the scripted model has no POST /v1/messages";
    assert_eq!(reply.json(), json!({"error": {"code": 404, "message": why, "status": "NOT_FOUND"}}));
}
