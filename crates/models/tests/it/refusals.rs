//! Malformed and too large requests are refused, and the next client is served.

use serde_json::{Value, json};

use crate::raw_client::{Client, messages, prompt, serve};

#[test]
fn refusal_has_the_format_of_the_api() {
    let server = serve("version: 1\nturns: [ { say: one } ]");
    let large =
        format!("POST /v1/messages HTTP/1.1\r\ncontent-length: 40000000\r\n\r\n{}", "x".repeat(1 << 20));
    let header = format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "x".repeat(70_000));
    for (bytes, status, kind, why) in [
        ("hello\r\n\r\n", 400, "invalid_request_error", "this is not an HTTP request"),
        (
            "POST /v1/messages HTTP/1.1\r\ncontent-length: 2\r\n\r\n{x",
            400,
            "invalid_request_error",
            "not a JSON object",
        ),
        (
            "POST /v1/messages HTTP/1.1\r\ncontent-length: 2\r\n\r\n[]",
            400,
            "invalid_request_error",
            "not a JSON object",
        ),
        ("GET /v1/messages HTTP/1.1\r\n\r\n", 404, "not_found_error", "has no GET /v1/messages"),
        (&large, 413, "request_too_large", "larger than"),
        (&header, 431, "invalid_request_error", "head of the request"),
    ] {
        let mut client = Client::new(&server);
        client.send(bytes);
        let reply = client.reply();
        let error: Value = reply.json();
        assert_eq!(
            (reply.status, &error["type"], &error["error"]["type"]),
            (status, &json!("error"), &json!(kind))
        );
        assert!(error["error"]["message"].as_str().unwrap().contains(why), "{error}");
    }
    let reply = Client::new(&server).post("/v1/messages", &messages(&prompt("hi")));
    assert_eq!(reply.json()["content"][0]["text"], "one");
    let report = server.finish();
    assert!(report.is_complete());
    assert_eq!(report.to_string(), "1 of 1 turns played; 6 requests refused");
}

#[test]
fn connection_survives_an_invalid_body() {
    let server = serve("version: 1\nturns: [ { say: one } ]");
    let mut client = Client::new(&server);
    client.send("POST /v1/messages HTTP/1.1\r\ncontent-length: 2\r\n\r\n{x");
    assert_eq!(client.reply().status, 400);
    assert_eq!(client.post("/v1/messages", &messages(&prompt("hi"))).status, 200);
}

#[test]
fn silent_client_does_not_block_the_end() {
    let server = serve("version: 1\nturns: [ { say: one } ]");
    let _silent = Client::new(&server);
    assert_eq!(server.finish().to_string(), "turn 1 was never requested\n0 of 1 turns played");
}
