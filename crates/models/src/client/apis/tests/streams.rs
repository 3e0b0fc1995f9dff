//! Streams of providers, and random ones.

use super::*;

/// Reads a stream: the reply or the error, and the pieces on the way.
fn read(api: Api, stream: &[u8]) -> (Result<Reply, String>, Vec<String>) {
    let mut reader = reader(api);
    let mut events = SseReader::new(1 << 20);
    let mut found = Vec::new();
    let mut pieces = Vec::new();
    let mut on_piece = |piece: ReplyPiece<'_>| pieces.push(format!("{piece:?}"));
    let whole = events.read(stream, &mut found);
    found.extend(events.finish());
    for data in found {
        match reader.read_event(&data, &mut on_piece) {
            Ok(StreamState::Open) => {}
            Ok(StreamState::Complete) => {
                return (std::mem::take(reader.partial()).finish().map_err(|it| format!("{it:?}")), pieces);
            }
            Err(error) => return (Err(format!("{error:?}")), pieces),
        }
    }
    let complete = reader.may_end() && whole.is_ok();
    let reply = if complete {
        std::mem::take(reader.partial()).finish().map_err(|it| format!("{it:?}"))
    } else {
        Err(format!("cut: {:?}", std::mem::take(reader.partial()).usable()))
    };
    (reply, pieces)
}

fn stream(events: &[Value]) -> Vec<u8> {
    events.iter().flat_map(|event| format!("data: {event}\n\n").into_bytes()).collect()
}

fn call(id: &str, name: &str, input: &Value) -> Block {
    Block::Call(ToolUse::new(id, name, input.as_object().unwrap().clone()))
}

#[test]
fn anthropic_thoughts_calls_and_usage() {
    let events = [
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 5, "output_tokens": 1,
            "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20}}}),
        json!({"type": "ping"}),
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Let me "}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "see."}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "EqQB"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "redacted_thinking", "data": "xx"}}),
        json!({"type": "content_block_stop", "index": 1}),
        json!({"type": "content_block_start", "index": 2, "content_block": {"type": "text", "text": ""}}),
        json!({"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": "Look"}}),
        json!({"type": "content_block_stop", "index": 2}),
        json!({"type": "content_block_start", "index": 3, "content_block": {"type": "tool_use", "id": "t1", "name": "Read", "input": {}}}),
        json!({"type": "content_block_start", "index": 4, "content_block": {"type": "tool_use", "id": "t2", "name": "Glob", "input": {}}}),
        json!({"type": "content_block_delta", "index": 4, "delta": {"type": "input_json_delta", "partial_json": "{\"a\""}}),
        json!({"type": "content_block_delta", "index": 3, "delta": {"type": "input_json_delta", "partial_json": ""}}),
        json!({"type": "content_block_delta", "index": 4, "delta": {"type": "input_json_delta", "partial_json": ":1}"}}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 42}}),
        json!({"type": "message_stop"}),
    ];
    let (reply, pieces) = read(Api::Anthropic, &stream(&events));
    let expected = Reply {
        blocks: vec![
            Block::Kept(json!({"type": "thinking", "thinking": "Let me see.", "signature": "EqQB"})),
            Block::Kept(json!({"type": "redacted_thinking", "data": "xx"})),
            Block::Text("Look".to_owned()),
            call("t1", "Read", &json!({})),
            call("t2", "Glob", &json!({"a": 1})),
        ],
        stop: StopReason::Calls,
        usage: Usage { input: 125, output: 42, cache_read: 100, cache_written: 20 },
    };
    assert_eq!(reply, Ok(expected));
    assert_eq!(pieces, ["Text(\"Look\")", "Call { name: \"Read\" }", "Call { name: \"Glob\" }"]);
}

#[test]
fn responses_reasoning_and_complete_items() {
    let events = [
        json!({"type": "response.created", "response": {}}),
        json!({"type": "response.output_item.added", "output_index": 0, "item": {"type": "reasoning", "id": "rs_1", "summary": []}}),
        json!({"type": "response.output_item.done", "output_index": 0,
            "item": {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA", "status": null}}),
        json!({"type": "response.output_item.done", "output_index": 1,
            "item": {"type": "message", "content": [{"type": "output_text", "text": "Yes."}]}}),
        json!({"type": "response.output_item.done", "output_index": 2,
            "item": {"type": "function_call", "call_id": "c1", "name": "Read", "arguments": "{\"p\":1}"}}),
        json!({"type": "response.completed", "response": {"usage": {"input_tokens": 50, "output_tokens": 7,
            "input_tokens_details": {"cached_tokens": 40}}}}),
    ];
    let (reply, _) = read(Api::OpenAiResponses, &stream(&events));
    let expected = Reply {
        blocks: vec![
            Block::Kept(
                json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}),
            ),
            Block::Text("Yes.".to_owned()),
            call("c1", "Read", &json!({"p": 1})),
        ],
        stop: StopReason::Calls,
        usage: Usage { input: 50, output: 7, cache_read: 40, cache_written: 0 },
    };
    assert_eq!(reply, Ok(expected));
    let events = [
        json!({"type": "response.incomplete", "response": {"incomplete_details": {"reason": "max_output_tokens"}}}),
    ];
    assert_eq!(read(Api::OpenAiResponses, &stream(&events)).0.unwrap().stop, StopReason::Length);
    let events = [
        json!({"type": "response.failed", "response": {"error": {"code": "rate_limit_exceeded", "message": "slow"}}}),
    ];
    assert_eq!(
        read(Api::OpenAiResponses, &stream(&events)).0.unwrap_err(),
        "Reported { status: 429, message: \"slow\" }"
    );
}

#[test]
fn gemini_signatures_stay_with_their_parts() {
    let part = |part: Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}}]});
    let mut last = part(json!({"text": "", "thoughtSignature": "S2"}));
    last["candidates"][0]["finishReason"] = "STOP".into();
    last["usageMetadata"] = json!({"promptTokenCount": 9, "candidatesTokenCount": 2, "thoughtsTokenCount": 3,
        "cachedContentTokenCount": 4});
    let events = [
        part(json!({"text": "thinking aloud", "thought": true})),
        part(json!({"text": "Hel"})),
        part(json!({"text": "lo"})),
        part(
            json!({"functionCall": {"id": "f1", "name": "Read", "args": {"p": 1}}, "thoughtSignature": "S1"}),
        ),
        part(json!({"functionCall": {"name": "Glob"}})),
        last,
    ];
    let reply = read(Api::Gemini, &stream(&events)).0.unwrap();
    assert_eq!(reply.usage, Usage { input: 9, output: 5, cache_read: 4, cache_written: 0 });
    assert_eq!((reply.text().as_str(), &reply.stop), ("Hello", &StopReason::Calls));
    let own = reply.calls().nth(1).unwrap().id.clone();
    let items = vec![Item::Prompt("go".to_owned()), Item::Reply(reply)];
    let conversation = Conversation { items, ..Conversation::default() };
    assert_eq!(
        written(Api::Gemini, &conversation)["contents"][1]["parts"],
        json!([
            {"text": "Hello"},
            {"functionCall": {"id": "f1", "name": "Read", "args": {"p": 1}}, "thoughtSignature": "S1"},
            {"functionCall": {"id": own, "name": "Glob", "args": {}}},
            {"text": "", "thoughtSignature": "S2"},
        ])
    );
    let blocked = [json!({"promptFeedback": {"blockReason": "SAFETY"}})];
    assert_eq!(read(Api::Gemini, &stream(&blocked)).0.unwrap().stop, StopReason::Refused);
}

#[test]
fn chat_completion_dialects() {
    let delta = |delta: Value| json!({"choices": [{"index": 0, "delta": delta}]});
    let finish = |word: &str| json!({"choices": [{"index": 0, "delta": {}, "finish_reason": word}]});
    let asked = |call: Value| delta(json!({"tool_calls": [call]}));
    let function = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
    for (server, events, expected) in [
        (
            "numbers and pieces",
            vec![
                asked(json!({"index": 0, "id": "a", "function": function("Read", json!(""))})),
                asked(json!({"index": 1, "id": "b", "function": function("Glob", json!("{"))})),
                asked(json!({"index": 0, "function": {"arguments": "{\"p\":"}})),
                asked(json!({"index": 1, "function": {"arguments": "}"}})),
                asked(json!({"index": 0, "function": {"arguments": "1}"}})),
                finish("tool_calls"),
            ],
            "Read{\"p\":1} Glob{}",
        ),
        (
            "no numbers",
            vec![
                asked(json!({"id": "a", "function": function("Read", json!("{\"p\":1}"))})),
                asked(json!({"id": "b", "function": function("Glob", json!(""))})),
                finish("stop"),
            ],
            "Read{\"p\":1} Glob{}",
        ),
        (
            "neither numbers nor ids",
            vec![
                asked(json!({"function": function("Read", json!("{\"p\":"))})),
                asked(json!({"function": {"arguments": "1}"}})),
                asked(json!({"function": function("Glob", json!("{}"))})),
                finish("stop"),
            ],
            "Read{\"p\":1} Glob{}",
        ),
        (
            "the same number for all",
            vec![
                asked(json!({"index": 0, "id": "a", "function": function("Read", json!("{\"p\":1}"))})),
                asked(json!({"index": 0, "id": "b", "function": function("Glob", json!("{}"))})),
                finish("tool_calls"),
            ],
            "Read{\"p\":1} Glob{}",
        ),
        (
            "an object and a name that is repeated",
            vec![
                asked(json!({"index": 0, "id": "a", "function": function("Read", json!({"p": 1}))})),
                asked(json!({"index": 0, "id": "a", "function": {"name": "Read"}})),
                asked(json!({"index": 1, "id": null, "function": function("Glob", Value::Null)})),
                finish("tool_calls"),
            ],
            "Read{\"p\":1} Glob{}",
        ),
    ] {
        let reply = read(Api::OpenAiChat, &stream(&events)).0.unwrap();
        let calls: Vec<_> = reply.calls().map(|it| format!("{}{}", it.name, json!(it.input))).collect();
        assert_eq!(calls.join(" "), expected, "{server}");
        assert_eq!(reply.stop, StopReason::Calls, "{server}");
    }
    let thoughts = [
        delta(json!({"reasoning_content": "Let me "})),
        delta(json!({"reasoning_content": "see.", "content": null})),
        delta(json!({"content": "Yes."})),
        finish("stop"),
        json!({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 3, "prompt_tokens_details": {"cached_tokens": 8}}}),
    ];
    let reply = read(Api::OpenAiChat, &stream(&thoughts)).0.unwrap();
    assert_eq!(reply.blocks[0], Block::Kept(json!({"reasoning_content": "Let me see."})));
    assert_eq!(reply.usage, Usage { input: 10, output: 3, cache_read: 8, cache_written: 0 });
    let failing = [delta(json!({"content": "Y"})), json!({"error": {"code": 502, "message": "upstream"}})];
    assert_eq!(
        read(Api::OpenAiChat, &stream(&failing)).0.unwrap_err(),
        "Reported { status: 502, message: \"upstream\" }"
    );
}

/// Random events with the keys and values of the APIs.
fn any_stream() -> impl Strategy<Value = Vec<u8>> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0u64..5).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "message_start|content_block_start|content_block_delta|content_block_stop|message_delta|message_stop|error|\
         text|tool_use|thinking|text_delta|input_json_delta|tool_use|max_tokens|response.output_item.added|\
         response.output_item.done|response.output_text.delta|response.completed|response.failed|function_call|\
         message|reasoning|STOP|MAX_TOKENS|stop|tool_calls|length|\\{\"a\":|1\\}|[a-z]{0,3}"
            .prop_map(Value::from),
    ];
    let key = "type|index|content_block|delta|id|name|input|text|thinking|signature|partial_json|message|usage|\
        stop_reason|error|code|item|output_index|call_id|arguments|content|encrypted_content|response|\
        incomplete_details|reason|choices|tool_calls|function|finish_reason|reasoning_content|reasoning_details|\
        candidates|parts|functionCall|args|thoughtSignature|finishReason|usageMetadata|input_tokens|output_tokens|\
        cache_read_input_tokens|promptTokenCount";
    let value = leaf.prop_recursive(5, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..6).prop_map(|fields| fields.into_iter().collect()),
        ]
    });
    let event = prop_oneof![
        8 => value.prop_map(|value| format!("data: {value}\n\n").into_bytes()),
        1 => Just(b"data: [DONE]\n\n".to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..20),
    ];
    prop::collection::vec(event, 0..12).prop_map(|events| events.concat())
}

proptest! {
    #[test]
    fn any_stream_is_a_reply_or_an_error(stream in any_stream()) {
        for api in Api::ALL {
            if let (Ok(reply), _) = read(api, &stream) {
                // Every API accepts the reply.
                let items = vec![Item::Prompt("go".to_owned()), Item::Reply(reply)];
                let conversation = Conversation { items, ..Conversation::default() };
                for other in Api::ALL {
                    prop_assert!(written(other, &conversation).is_object());
                }
            }
        }
    }
}
