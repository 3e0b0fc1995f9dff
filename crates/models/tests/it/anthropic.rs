//! Anthropic's Messages, as Claude Code uses them.

use serde_json::{Value, json};

use crate::raw_client::{Client, messages, prompt, serve};

const CALLS: &str = r#"version: 1
turns:
  - say: "I will look around, and tell you in more than one piece."
    call:
      - { tool: Bash, input: { command: "ls", description: "List what there is in the project's folder" } }
      - { tool: Read, input: { file_path: "{project}/a" } }
  - say: Done.
"#;

#[test]
fn full_reply_is_a_message() {
    let server = serve(CALLS);
    let mut client = Client::new(&server);
    let reply = client.post("/v1/messages?beta=true", &messages(&prompt("hello, model")));
    assert_eq!(reply.status, 200);
    assert_eq!(
        reply.json(),
        json!({
            "id": "msg_0001", "type": "message", "role": "assistant", "model": "claude-x",
            "content": [
                {"type": "text", "text": "I will look around, and tell you in more than one piece."},
                {"type": "tool_use", "id": "toolu_0001_1", "name": "Bash",
                 "input": {"command": "ls", "description": "List what there is in the project's folder"}},
                {"type": "tool_use", "id": "toolu_0001_2", "name": "Read", "input": {"file_path": "/p/a"}},
            ],
            "stop_reason": "tool_use", "stop_sequence": null,
            "usage": {"input_tokens": 3, "output_tokens": 75,
                "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0},
        })
    );
    let reply = client.post("/v1/messages", &messages(&prompt("hello")));
    assert_eq!(reply.json()["stop_reason"], "end_turn");
}

#[test]
fn stream_gives_the_same_message() {
    let server = serve(CALLS);
    let mut client = Client::new(&server);
    let mut request = messages(&prompt("hello, model"));
    request["stream"] = true.into();
    let events = client.post("/v1/messages", &request).events();
    assert!(events.iter().all(|(name, data)| data["type"] == *name));
    let whole = Client::new(&serve(CALLS)).post("/v1/messages", &messages(&prompt("hello, model"))).json();
    assert_eq!(assemble(&events), whole);
}

/// The message that a client builds from the events.
fn assemble(events: &[(String, Value)]) -> Value {
    let mut message = Value::Null;
    let mut input = String::new();
    for (name, data) in events {
        let index = usize::try_from(data["index"].as_u64().unwrap_or(0)).unwrap();
        match name.as_str() {
            "message_start" => message = data["message"].clone(),
            "content_block_start" => {
                input.clear();
                message["content"].as_array_mut().unwrap().push(data["content_block"].clone());
            }
            "content_block_delta" => match data["delta"]["type"].as_str().unwrap() {
                "text_delta" => {
                    let text = &mut message["content"][index]["text"];
                    *text = format!("{}{}", text.as_str().unwrap(), data["delta"]["text"].as_str().unwrap())
                        .into();
                }
                "input_json_delta" => {
                    input.push_str(data["delta"]["partial_json"].as_str().unwrap());
                }
                other => panic!("{other}"),
            },
            "content_block_stop" => {
                if !input.is_empty() {
                    message["content"][index]["input"] = serde_json::from_str(&input).unwrap();
                }
            }
            "message_delta" => {
                message["stop_reason"] = data["delta"]["stop_reason"].clone();
                message["usage"]["output_tokens"] = data["usage"]["output_tokens"].clone();
            }
            "message_stop" => return message,
            other => panic!("{other}"),
        }
    }
    panic!("the stream has no end")
}

#[test]
fn token_counts_and_probes() {
    let server = serve(CALLS);
    let mut client = Client::new(&server);
    let counted = client.post("/v1/messages/count_tokens?beta=true", &messages(&prompt("hello, model")));
    assert_eq!(counted.json(), json!({"input_tokens": 3}));
    assert_eq!(client.post("/api/event_logging/batch", &json!({"events": []})).json(), json!({}));
    client.send("GET /v1/models HTTP/1.1\r\n\r\n");
    assert_eq!(client.reply().json()["data"][0]["display_name"], "Scripted");
    client.send("GET / HTTP/1.1\r\n\r\n");
    assert_eq!(client.reply().json(), json!({}));
    assert_eq!(server.finish().played, 0);
}

#[test]
fn chunked_requests_and_http_1_0() {
    let server = serve("version: 1\nturns: [ { say: one }, { say: two } ]");
    let mut client = Client::new(&server);
    let request = messages(&prompt("hi")).to_string();
    let (one, two) = request.split_at(10);
    client.send(&format!(
        "POST /v1/messages HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{one}\r\n{:x}\r\n{two}\r\n0\r\n\r\n",
        one.len(),
        two.len()
    ));
    assert_eq!(client.reply().json()["content"][0]["text"], "one");
    let mut request = messages(&prompt("hi"));
    request["stream"] = true.into();
    let request = request.to_string();
    client.send(&format!("POST /v1/messages HTTP/1.0\r\ncontent-length: {}\r\n\r\n{request}", request.len()));
    let reply = client.reply();
    assert_eq!(assemble(&reply.events())["content"][0]["text"], "two");
}
