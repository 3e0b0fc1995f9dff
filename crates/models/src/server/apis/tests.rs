use proptest::prelude::*;

use super::*;
use crate::script::ScriptCall;
use crate::server::script_state::ScriptStep;

#[test]
fn pieces_keep_characters_whole() {
    for text in ["", "short", &"ä".repeat(100), &"🙂".repeat(49), &"x".repeat(48)] {
        assert_eq!(pieces(text).concat(), text);
        assert!(pieces(text).iter().all(|piece| (1..PIECE + 4).contains(&piece.len())));
    }
}

#[test]
fn every_api_has_a_route_and_errors() {
    let paths = ["/v1/messages", "/v1beta/models/m:generateContent", "/v1/responses", "/v1/chat/completions"];
    for (api, path) in Api::ALL.into_iter().zip(paths) {
        assert!(
            matches!((api.served().route)("POST", path, ""), Some(Route::Reply { .. })),
            "{}",
            api.name()
        );
        assert_eq!((api.served().route)("POST", "/elsewhere", ""), None, "{}", api.name());
        assert_eq!((api.served().error)(404, "not here")["error"]["message"], "not here", "{}", api.name());
    }
}

#[test]
fn reply_needs_text_or_calls_only() {
    let call = ScriptCall { tool: "Bash".to_owned(), input: serde_json::Map::new() };
    for (say, calls) in
        [(Some("x".to_owned()), vec![]), (None, vec![call.clone()]), (None, vec![call.clone(), call])]
    {
        let reply = ScriptedReply { step: ScriptStep::Turn(1), say, calls, fails: None };
        for api in Api::ALL {
            let events = (api.served().events)(&reply, &AgentRequest::default(), 1);
            assert!(!events.is_empty(), "{}", api.name());
            let full_reply = (api.served().full_reply)(&reply, &AgentRequest::default(), 1).to_string();
            assert_eq!(full_reply.matches("Bash").count(), reply.calls.len(), "{}", api.name());
        }
    }
}

/// Any JSON, with the keys that the APIs look at.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "assistant|model|user|tool|tool_result|function_call|function_call_output|message|function|custom|namespace|\
            json_schema|[a-z]{0,4}".prop_map(Value::from),
    ];
    let key = "messages|contents|system|systemInstruction|tools|content|parts|role|type|functionResponse|response|\
        generateContentRequest|generationConfig|output_config|format|schema|required|properties|enum|anyOf|items|\
        input|instructions|output|call_id|text|response_format|json_schema|custom|name";
    leaf.prop_recursive(6, 60, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::vec((key, inner), 0..6).prop_map(|fields| fields.into_iter().collect()),
        ]
    })
}

proptest! {
    #[test]
    fn any_json_is_read_and_answered(body in any_json()) {
        for api in Api::ALL {
            let request = (api.served().read)(&body);
            let reply = super::super::script_state::ScriptState::new(crate::Script::default()).answer(&request);
            prop_assert!(!(api.served().events)(&reply, &request, 1).is_empty());
            prop_assert!(request.tokens() > 0);
        }
    }
}
