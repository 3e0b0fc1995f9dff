//! OpenAI's Chat Completions, as Qwen Code and others use them.

use serde_json::{Value, json};
use tenter_models::{Api, ServerOptions};

use crate::raw_client::{Client, serve, serve_with};

const SCRIPT: &str = r#"version: 1
turns:
  - say: "I will look around, and tell you in more than one piece."
    call:
      - { tool: run_shell_command, input: { command: "ls", description: "List what there is in the project's folder" } }
      - { tool: patch, input: { text: "*** Begin Patch" } }
  - expect: { tool_result_contains: ["a.txt", "Done!"], contains: [Be kind, List the files], lacks: "I will look" }
    say: Done.
"#;

fn request(messages: &Value) -> Value {
    json!({
        "model": "qwen-x", "messages": messages,
        "tools": [
            {"type": "function", "function": {"name": "run_shell_command", "parameters": {"type": "object"}}},
            {"type": "custom", "custom": {"name": "patch"}},
        ],
    })
}

fn first() -> Value {
    request(&json!([
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": [{"type": "text", "text": "List the files"}]},
    ]))
}

fn second() -> Value {
    let mut request = first();
    request["messages"].as_array_mut().unwrap().extend([
        json!({"role": "assistant", "content": "I will look around, and tell you in more than one piece.", "tool_calls": [
            {"id": "call_0001_1", "type": "function", "function": {"name": "run_shell_command", "arguments": "{}"}}]}),
        json!({"role": "tool", "tool_call_id": "call_0001_1", "content": "a.txt\n"}),
        json!({"role": "tool", "tool_call_id": "call_0001_2", "content": [{"type": "text", "text": "Done!"}]}),
    ]);
    request
}

#[test]
fn full_reply_is_a_completion() {
    let server = serve(SCRIPT);
    let mut client = Client::new(&server);
    assert_eq!(
        client.post("/v1/chat/completions", &first()).json(),
        json!({
            "id": "chatcmpl_0001", "object": "chat.completion", "created": 0, "model": "qwen-x",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "logprobs": null, "message": {
                "role": "assistant", "refusal": null,
                "content": "I will look around, and tell you in more than one piece.",
                "tool_calls": [
                    {"id": "call_0001_1", "type": "function", "function": {"name": "run_shell_command",
                        "arguments": "{\"command\":\"ls\",\"description\":\"List what there is in the project's folder\"}"}},
                    {"id": "call_0001_2", "type": "custom", "custom": {"name": "patch", "input": "*** Begin Patch"}},
                ],
            }}],
            "usage": {"prompt_tokens": 6, "completion_tokens": 82, "total_tokens": 88},
        })
    );
    let reply = client.post("/chat/completions", &second()).json();
    let choice = &reply["choices"][0];
    assert_eq!((&choice["finish_reason"], &choice["message"]["content"]), (&json!("stop"), &json!("Done.")));
    assert!(server.finish().is_complete());
}

#[test]
fn stream_gives_the_same_completion() {
    for wants_usage in [false, true] {
        let server = serve(SCRIPT);
        let mut request = first();
        request["stream"] = true.into();
        request["stream_options"] = json!({"include_usage": wants_usage});
        let mut reply = Client::new(&server).post("/v1/chat/completions", &request);
        reply.body = reply.body.strip_suffix("data: [DONE]\n\n").unwrap().to_owned();
        let mut chunks: Vec<Value> = reply.events().into_iter().map(|(_, chunk)| chunk).collect();
        let whole = Client::new(&serve(SCRIPT)).post("/v1/chat/completions", &first()).json();
        if wants_usage {
            let last = chunks.pop().unwrap();
            assert_eq!((&last["choices"], &last["usage"]), (&json!([]), &whole["usage"]));
        }
        assert!(chunks.iter().all(|chunk| chunk.get("usage").is_none()));
        let mut expected = whole["choices"][0].clone();
        expected["message"].as_object_mut().unwrap().remove("refusal");
        assert_eq!(assemble(&chunks), expected);
    }
}

/// The completion that a client builds from the chunks.
fn assemble(chunks: &[Value]) -> Value {
    let mut message = json!({"role": null, "content": "", "tool_calls": []});
    let mut finish = Value::Null;
    let append = |text: &mut Value, more: &Value| {
        *text = format!("{}{}", text.as_str().unwrap(), more.as_str().unwrap_or_default()).into();
    };
    for chunk in chunks {
        assert_eq!((&chunk["object"], &finish), (&json!("chat.completion.chunk"), &Value::Null));
        let choice = &chunk["choices"][0];
        let delta = &choice["delta"];
        if let Some(role) = delta.get("role") {
            message["role"] = role.clone();
        }
        append(&mut message["content"], &delta["content"]);
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            let index = usize::try_from(call["index"].as_u64().unwrap()).unwrap();
            let calls = message["tool_calls"].as_array_mut().unwrap();
            if index == calls.len() {
                let mut call = call.clone();
                call.as_object_mut().unwrap().remove("index");
                calls.push(call);
            } else {
                let kind = calls[index]["type"].as_str().unwrap().to_owned();
                let key = if kind == "custom" { "input" } else { "arguments" };
                append(&mut calls[index][&kind][key], &call[&kind][key]);
            }
        }
        finish = choice["finish_reason"].clone();
    }
    json!({"index": 0, "message": message, "finish_reason": finish, "logprobs": null})
}

#[test]
fn models_are_listed_and_titles_use_no_turn() {
    let server = serve(SCRIPT);
    let mut client = Client::new(&server);
    client.send("GET /v1/models HTTP/1.1\r\n\r\n");
    assert_eq!(client.reply().json()["data"][0]["id"], "scripted");
    for (format, said) in [
        (json!(null), "ok"),
        (json!({"type": "json_object"}), "{}"),
        (json!({"type": "json_schema", "json_schema": {"schema": {"enum": ["user", "model"]}}}), "\"user\""),
    ] {
        let question =
            json!({"model": "m", "messages": [{"role": "user", "content": "?"}], "response_format": format});
        let reply = client.post("/v1/chat/completions", &question).json();
        assert_eq!(reply["choices"][0]["message"]["content"], said);
    }
    let report = server.finish();
    assert_eq!((report.played, report.side_requests), (0, 3));
}

#[test]
fn error_has_the_format_of_the_api() {
    let server = serve_with(SCRIPT, ServerOptions { api: Some(Api::OpenAiChat), ..ServerOptions::default() });
    let reply = Client::new(&server).post("/v1/responses", &json!({}));
    assert_eq!(reply.status, 404);
    let why = "the scripted model has no POST /v1/responses";
    assert_eq!(
        reply.json(),
        json!({"error": {"message": why, "type": "invalid_request_error", "param": null, "code": "not_found"}})
    );
}
