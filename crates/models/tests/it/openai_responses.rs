//! OpenAI's Responses, as Codex uses them.

use serde_json::{Value, json};

use crate::raw_client::{Client, serve};

const SCRIPT: &str = r#"version: 1
turns:
  - say: "I will look around, and tell you in more than one piece."
    call:
      - { tool: exec_command, input: { cmd: "ls", justification: "List what there is in the project's folder" } }
      - { tool: apply_patch, input: { input: "*** Begin Patch\n*** Add File: a\n+b\n*** End Patch" } }
      - { tool: spawn_agent, input: { message: hi } }
  - expect: { tool_result_contains: ["a.txt", "Done!"], contains: [Be kind, List the files, house rules], lacks: "I will look" }
    say: Done.
"#;

fn request(input: &Value) -> Value {
    json!({
        "model": "gpt-x", "instructions": "Be kind.", "input": input, "store": false,
        "tools": [
            {"type": "function", "name": "exec_command", "parameters": {"type": "object"}},
            {"type": "custom", "name": "apply_patch", "format": {"type": "grammar"}},
            {"type": "namespace", "name": "agents", "tools": [{"type": "function", "name": "spawn_agent"}]},
            {"type": "web_search"},
        ],
    })
}

fn prompt() -> Value {
    json!({"type": "message", "role": "user", "content": [{"type": "input_text", "text": "List the files"}]})
}

fn first() -> Value {
    request(&json!([prompt()]))
}

/// The request after the calls of [`SCRIPT`], with results in any order.
fn second(first_result: &str, second_result: &str) -> Value {
    request(&json!([
        prompt(),
        {"type": "reasoning", "summary": []},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text",
            "text": "I will look around, and tell you in more than one piece."}]},
        {"type": "function_call", "name": "exec_command", "call_id": "call_0001_1", "arguments": "{\"cmd\":\"ls\"}"},
        {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": "house rules"}]},
        {"type": "function_call_output", "call_id": "call_0001_1", "output": first_result},
        {"type": "custom_tool_call", "name": "apply_patch", "call_id": "call_0001_2", "input": "*** Begin Patch"},
        {"type": "custom_tool_call_output", "call_id": "call_0001_2",
            "output": [{"type": "input_text", "text": second_result}]},
    ]))
}

#[test]
fn full_reply_is_a_response() {
    let server = serve(SCRIPT);
    let reply = Client::new(&server).post("/v1/responses", &first()).json();
    assert_eq!(
        reply,
        json!({
            "id": "resp_0001", "object": "response", "created_at": 0, "status": "completed", "model": "gpt-x",
            "output": [
                {"type": "message", "id": "msg_0001", "status": "completed", "role": "assistant",
                 "content": [{"type": "output_text", "annotations": [],
                     "text": "I will look around, and tell you in more than one piece."}]},
                {"type": "function_call", "id": "fc_0001_1", "status": "completed", "call_id": "call_0001_1",
                 "name": "exec_command",
                 "arguments": "{\"cmd\":\"ls\",\"justification\":\"List what there is in the project's folder\"}"},
                {"type": "custom_tool_call", "id": "ctc_0001_2", "status": "completed", "call_id": "call_0001_2",
                 "name": "apply_patch", "input": "*** Begin Patch\n*** Add File: a\n+b\n*** End Patch"},
                {"type": "function_call", "id": "fc_0001_3", "status": "completed", "call_id": "call_0001_3",
                 "name": "spawn_agent", "namespace": "agents", "arguments": "{\"message\":\"hi\"}"},
            ],
            "usage": {"input_tokens": 6, "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": 183, "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": 189},
            "error": null, "incomplete_details": null, "parallel_tool_calls": true, "metadata": {},
        })
    );
}

#[test]
fn stream_gives_the_same_response() {
    let server = serve(SCRIPT);
    let mut request = first();
    request["stream"] = true.into();
    let events = Client::new(&server).post("/v1/responses", &request).events();
    for (number, (name, data)) in events.iter().enumerate() {
        assert_eq!((&data["type"], &data["sequence_number"]), (&json!(name), &json!(number)));
    }
    let whole = Client::new(&serve(SCRIPT)).post("/v1/responses", &first()).json();
    assert_eq!(assemble(&events), whole["output"]);
    let (name, last) = events.last().unwrap();
    assert_eq!((name.as_str(), &last["response"]), ("response.completed", &whole));
}

/// The items that a client builds from the events, from their pieces and as complete items.
fn assemble(events: &[(String, Value)]) -> Value {
    let mut items: Vec<Value> = Vec::new();
    for (name, data) in events {
        let place = data["output_index"].as_u64().map(|index| usize::try_from(index).unwrap());
        let append = |text: &mut Value| {
            *text = format!("{}{}", text.as_str().unwrap(), data["delta"].as_str().unwrap()).into();
        };
        match name.as_str() {
            "response.output_item.added" => {
                assert_eq!(place, Some(items.len()));
                items.push(data["item"].clone());
            }
            "response.content_part.added" => items[place.unwrap()]["content"] = json!([data["part"]]),
            "response.output_text.delta" => append(&mut items[place.unwrap()]["content"][0]["text"]),
            "response.function_call_arguments.delta" => append(&mut items[place.unwrap()]["arguments"]),
            "response.custom_tool_call_input.delta" => append(&mut items[place.unwrap()]["input"]),
            "response.output_item.done" => {
                let item = &mut items[place.unwrap()];
                assert_eq!(item["status"], "in_progress");
                item["status"] = "completed".into();
                assert_eq!(*item, data["item"]);
            }
            "response.created"
            | "response.in_progress"
            | "response.output_text.done"
            | "response.content_part.done"
            | "response.function_call_arguments.done"
            | "response.custom_tool_call_input.done"
            | "response.completed" => {}
            other => panic!("{other}"),
        }
    }
    items.into()
}

#[test]
fn expectations_see_texts_and_the_last_results() {
    let server = serve(SCRIPT);
    let mut client = Client::new(&server);
    client.post("/responses", &first());
    let reply = client.post("/responses", &second("a.txt\n", "Done!")).json();
    assert_eq!(reply["output"][0]["content"][0]["text"], "Done.");
    assert!(server.finish().is_complete());

    let server = serve(SCRIPT);
    let mut client = Client::new(&server);
    client.post("/responses", &first());
    client.post("/responses", &second("a.txt\n", "Failed."));
    let unmet = server.finish().mismatch.unwrap();
    assert_eq!(unmet.missing, ["no tool result contains \"Done!\""]);
}

#[test]
fn text_prompt_and_schema() {
    let server = serve(SCRIPT);
    let mut client = Client::new(&server);
    let title = json!({"model": "gpt-x", "input": "A title, please", "text": {"format": {"type": "json_schema",
        "name": "t", "schema": {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}}}});
    let reply = client.post("/v1/responses", &title).json();
    assert_eq!(reply["output"][0]["content"][0]["text"], r#"{"title":"ok"}"#);
    let counted = client.post("/v1/responses/input_tokens", &title).json();
    assert_eq!(counted, json!({"object": "response.input_tokens", "input_tokens": 4}));
    let report = server.finish();
    assert_eq!((report.played, report.side_requests), (0, 1));
}

#[test]
fn text_tool_gets_several_values_as_json() {
    let server = serve("version: 1\nturns: [ { call: { tool: apply_patch, input: { a: b, c: 1 } } } ]");
    let reply = Client::new(&server).post("/v1/responses", &first()).json();
    assert_eq!(reply["output"][0]["input"], r#"{"a":"b","c":1}"#);
}

#[test]
fn tools_added_later_are_offered() {
    let server = serve("version: 1\nturns: [ { call: { tool: exec, input: { code: \"text(1)\" } } } ]");
    let request = json!({"model": "gpt-x", "input": [
        {"type": "additional_tools", "role": "developer", "tools": [{"type": "custom", "name": "exec"}]},
        prompt(),
    ]});
    let reply = Client::new(&server).post("/v1/responses", &request).json();
    assert_eq!(reply["output"][0]["input"], "text(1)");
}
