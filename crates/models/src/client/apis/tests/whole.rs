//! Replies in one piece, from servers that do not stream although they were asked to.

use super::*;
use crate::client::reply_stream::{ReplyError, ReplyStream};

/// What becomes of an answer that comes in pieces of that size.
fn listened(api: Api, answer: &str, size: usize) -> Result<Reply, ReplyError> {
    let mut stream = ReplyStream::new(api);
    let mut on_piece = |_: ReplyPiece<'_>| ();
    for piece in answer.as_bytes().chunks(size) {
        stream.take(piece, &mut on_piece)?;
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
fn a_reply_in_one_piece_is_read_in_every_api() {
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
                assert_eq!(listened(api, &text, size).unwrap(), expected, "{} by {size}", api.name());
            }
        }
    }
    let (api, gemini) = &answers()[3];
    let in_a_list = json!([gemini]).to_string();
    assert_eq!(listened(*api, &in_a_list, 5).unwrap(), expected);
}

#[test]
fn a_piece_without_its_end_is_cut_and_one_of_something_else_is_none() {
    for (api, answer) in answers() {
        let text = answer.to_string();
        let cut = listened(api, &text[..text.len() / 2], 64).unwrap_err();
        assert!(matches!(cut, ReplyError::Cut { .. }), "{}: {cut:?}", api.name());
        for (answer, words) in [
            (r#"{"hello": "world"}"#, "one piece of JSON without `"),
            ("[]", "an empty list"),
            ("{\"a\": 1}\n{\"b\": 2}\n", "neither a stream nor one piece of JSON"),
        ] {
            let none = listened(api, answer, 64).unwrap_err();
            let ReplyError::Garbage { why, begins } = &none else { panic!("{}: {none:?}", api.name()) };
            assert!(why.contains(words) && answer.starts_with(begins.as_str()), "{}: {why}", api.name());
        }
    }
}

#[test]
fn an_error_in_one_piece_is_what_the_server_says() {
    for api in Api::ALL {
        let told = listened(api, r#"{"error": {"code": 503, "message": "loading"}}"#, 64).unwrap_err();
        assert!(matches!(&told, ReplyError::Reported { message, .. } if message == "loading"), "{told:?}");
    }
}
