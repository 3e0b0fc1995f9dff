//! Replies as one JSON value, from servers that do not stream.

use super::*;
use crate::client::FailureCause;
use crate::client::reply_stream::{ReplyError, ReplyStream};

/// Reads a response that arrives in pieces of that size.
fn read(api: Api, answer: &str, size: usize) -> Result<Reply, ReplyError> {
    let mut stream = ReplyStream::new(api);
    let mut on_piece = |_: ReplyPiece<'_>| ();
    for piece in answer.as_bytes().chunks(size) {
        stream.read(piece, &mut on_piece)?;
    }
    stream.end(&mut on_piece)
}

fn answers() -> [(Api, Value); 4] {
    let text = json!({"type": "text", "text": "I look."});
    let calls =
        json!({"id": "c1", "type": "function", "function": {"name": "Read", "arguments": "{\"p\":1}"}});
    let message = json!({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]});
    let call = json!({"type": "function_call", "call_id": "c1", "name": "Read", "arguments": "{\"p\":1}"});
    let parts =
        json!([{"text": "I look."}, {"functionCall": {"id": "c1", "name": "Read", "args": {"p": 1}}}]);
    [
        (
            Api::Anthropic,
            json!({"type": "message", "role": "assistant", "stop_reason": "tool_use",
                "content": [text, {"type": "tool_use", "id": "c1", "name": "Read", "input": {"p": 1}}],
                "usage": {"input_tokens": 9, "output_tokens": 4}}),
        ),
        (
            Api::OpenAiChat,
            json!({"object": "chat.completion", "choices": [{"index": 0, "finish_reason": "tool_calls",
                "message": {"role": "assistant", "content": "I look.", "tool_calls": [calls]}}],
                "usage": {"prompt_tokens": 9, "completion_tokens": 4}}),
        ),
        (
            Api::OpenAiResponses,
            json!({"object": "response", "status": "completed", "error": null, "output": [message, call],
                "usage": {"input_tokens": 9, "output_tokens": 4}}),
        ),
        (
            Api::Gemini,
            json!({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}],
                "usageMetadata": {"promptTokenCount": 9, "candidatesTokenCount": 4}}),
        ),
    ]
}

#[test]
fn json_reply_is_read_in_every_api() {
    let expected = Reply {
        blocks: vec![
            Block::Text("I look.".to_owned()),
            Block::Call(ToolUse::new("c1", "Read", Map::from_iter([("p".to_owned(), json!(1))]))),
        ],
        stop: StopReason::Calls,
        usage: Usage { input: 9, output: 4, ..Usage::default() },
    };
    for (api, answer) in answers() {
        for text in [answer.to_string(), format!("\u{feff}\n\n  {answer:#}\n")] {
            for size in [1, 7, text.len()] {
                assert_eq!(read(api, &text, size).unwrap(), expected, "{} by {size}", api.name());
            }
        }
    }
    let (api, gemini) = &answers()[3];
    let in_a_list = json!([gemini]).to_string();
    assert_eq!(read(*api, &in_a_list, 5).unwrap(), expected);
}

#[test]
fn incomplete_json_is_cut_and_other_json_garbage() {
    for (api, answer) in answers() {
        let text = answer.to_string();
        let cut = read(api, &text[..text.len() / 2], 64).unwrap_err();
        assert!(matches!(cut, ReplyError::Failed(FailureCause::Cut, ..)), "{}: {cut:?}", api.name());
        for (answer, words) in [
            (r#"{"hello": "world"}"#, "it is JSON without `"),
            ("[]", "an empty list"),
            ("{\"a\": 1}\n{\"b\": 2}\n", "neither a stream nor JSON"),
        ] {
            let none = read(api, answer, 64).unwrap_err();
            let ReplyError::Failed(FailureCause::Garbage(start), why, _) = &none else {
                panic!("{}: {none:?}", api.name())
            };
            assert!(why.contains(words) && answer.starts_with(start.as_str()), "{}: {why}", api.name());
        }
    }
}

#[test]
fn json_error_keeps_the_servers_message() {
    for api in Api::ALL {
        let error = read(api, r#"{"error": {"code": 503, "message": "loading"}}"#, 64).unwrap_err();
        assert!(matches!(&error, ReplyError::Reported(_, message) if message == "loading"), "{error:?}");
    }
}
