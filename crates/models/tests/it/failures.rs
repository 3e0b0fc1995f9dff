//! Servers that are busy, stall, break off, send garbage or refuse, and users who stop a request.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tenter_models::Api;
use tenter_models::client::{
    FailureCause, ModelError, ModelSpec, Reply, RetryPolicy, ScriptedModel, StopFlag,
};

use crate::chat::{Chat, patience};
use crate::raw_client::serve;

fn in_every_api(script: &str, check: impl Fn(&mut Chat<ScriptedModel>, &str)) {
    for api in Api::ALL {
        check(&mut Chat::script(api, script), api.name());
    }
}

fn failed(chat: &mut Chat<ScriptedModel>) -> ModelError {
    chat.ask().unwrap_err()
}

/// The partial reply of an error with this cause.
fn of_cause<'a>(error: &'a ModelError, cause: &FailureCause, api: &str) -> &'a Reply {
    assert_eq!(&error.cause, cause, "{api}: {error:?}");
    &error.received
}

#[test]
fn busy_server_states_the_pause() {
    let script = "version: 1\nturns:\n\
        - fails: { status: 429, headers: { retry-after-ms: 20 }, message: slow down }\n\
        - fails: { status: 529, headers: { retry-after: 0 } }\n\
        - say: Done.\n";
    in_every_api(script, |chat, api| {
        assert_eq!(chat.ask().unwrap().text(), "Done.", "{api}");
        assert_eq!(chat.received[..2], ["(in 1 s: 429: slow down)", "(in 0 s: 529: The script fails here.)"]);
    });
}

#[test]
fn tries_for_a_busy_server_are_limited() {
    let turn = "- { fails: { status: 529, headers: { retry-after-ms: 1 }, message: Overloaded } }\n";
    let script = format!("version: 1\nturns:\n{}", turn.repeat(3));
    in_every_api(&script, |chat, api| {
        let error = failed(chat);
        assert!(matches!(error.cause, FailureCause::Busy(3, _)), "{api}: {error:?}");
        assert!(
            error.to_string().ends_with("is busy (529: Overloaded), asked 3 times; try again in 1 ms"),
            "{error}"
        );
    });
}

#[test]
fn longer_pauses_are_an_error() {
    let script =
        "version: 1\nturns: [ { fails: { status: 429, headers: { retry-after: 300 } } }, { say: x } ]";
    in_every_api(script, |chat, api| {
        let error = failed(chat).to_string();
        assert!(error.contains("asked once; try again in 5 min"), "{api}: {error}");
    });
}

#[test]
fn permanent_errors_are_not_retried() {
    for (fails, words) in [
        ("{ status: 529, headers: { x-should-retry: false } }", "refuses the request (529"),
        (
            "{ status: 400, message: 'max_tokens is too large' }",
            "refuses the request (400: max_tokens is too large)",
        ),
        ("{ status: 404, message: 'model: nope' }", "check the name of the model"),
        (
            "{ status: 413, message: 'request too large' }",
            "too long for this model (request too large); shorten it",
        ),
        ("{ status: 400, message: 'prompt is too long: 2 > 1' }", "too long for this model"),
    ] {
        let script = format!("version: 1\nturns: [ {{ fails: {fails} }}, {{ say: never }} ]");
        in_every_api(&script, |chat, api| {
            let error = failed(chat).to_string();
            assert!(error.contains(words), "{api}: {error}");
            assert!(chat.received.is_empty(), "{api}: {:?}", chat.received);
        });
    }
}

#[test]
fn silent_server_leaves_a_partial_reply() {
    for (events, words) in [(0, false), (5, true)] {
        let say = "Enough words for several pieces of the stream, so that some of them are received before it ends. \
            And then some more, and some more, and some more, and some more, and some more, and some more.";
        let script = format!("version: 1\nturns: [ {{ say: '{say}', fails: {{ stall: {events} }} }} ]");
        for api in Api::ALL {
            let impatient = RetryPolicy { silence: Duration::from_millis(400), ..patience() };
            let error = failed(&mut Chat::script_with(api, &script, impatient));
            let received = of_cause(&error, &FailureCause::Stalled(impatient.silence), api.name());
            // Under load, less may have come in that time than the server sent.
            assert!(words || received.blocks.is_empty(), "{}: {received:?}", api.name());
            assert!(say.starts_with(&received.text()), "{}: {received:?}", api.name());
            assert!(error.to_string().contains("for 400 ms; try again"), "{error}");
        }
    }
}

#[test]
fn broken_reply_is_kept_after_the_second_try() {
    let broken = "- { say: 'These are more words than one piece of the stream has, and they break off somewhere.', \
        call: { tool: Bash, input: { command: 'rm -rf everything that there is in this folder' } }, fails: { cut: 5 } }\n";
    let script = format!("version: 1\nturns:\n{broken}{broken}- say: never\n");
    in_every_api(&script, |chat, api| {
        let error = failed(chat);
        let received = of_cause(&error, &FailureCause::Cut, api);
        assert!(received.text().starts_with("These are more words"), "{api}: {received:?}");
        assert_eq!(error.received().map(Reply::text), Some(received.text()));
        // Gemini's calls come whole; of the others' there was only the beginning.
        assert!(received.calls().count() <= usize::from(api == "gemini"), "{api}: {received:?}");
    });
}

#[test]
fn error_in_a_stream_keeps_the_text() {
    let block = json!({"type": "text", "text": "So far"});
    let words = json!({"type": "content_block_start", "index": 0, "content_block": block});
    let error = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let script = |events: &[&Value]| {
        let stream: Vec<_> = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        json!({"version": 1, "turns": [{"fails": {"garbage": stream.concat()}}, {"fails": {"garbage": stream.concat()}}, {"say": "Done."}]})
            .to_string()
    };
    let mut chat = Chat::script(Api::Anthropic, &script(&[&words, &error]));
    let cut = failed(&mut chat);
    assert_eq!(cut.received().map(Reply::text).as_deref(), Some("So far"));
    assert!(cut.to_string().contains("broke off (529: Overloaded); try again"), "{cut}");
    // Before the first text, it counts like a status: it is retried as often as for a busy server.
    let mut chat = Chat::script(Api::Anthropic, &script(&[&error]));
    assert_eq!(chat.ask().unwrap().text(), "Done.");
    assert_eq!(chat.received[0], "(in 1 s: 529: Overloaded)");
}

#[test]
fn empty_broken_reply_is_retried() {
    let script = "version: 1\nturns: [ { say: lost, fails: { cut: 0 } }, { say: Done. } ]";
    in_every_api(script, |chat, api| {
        assert_eq!(chat.ask().unwrap().text(), "Done.", "{api}");
        assert!(chat.received[0].starts_with("(in 1 s: "), "{api}: {:?}", chat.received);
    });
}

#[test]
fn retry_voids_the_text_so_far() {
    let script = "version: 1\nturns:\n\
        - { say: 'These are more words than one piece of the stream has, and they are lost.', fails: { cut: 5 } }\n\
        - say: Done.\n";
    in_every_api(script, |chat, api| {
        let reply = chat.ask().unwrap();
        assert_eq!(reply.text(), "Done.", "{api}");
        let taken_back = chat.received.iter().position(|received| received.starts_with("(in 1 s, anew: "));
        let taken_back = taken_back.unwrap_or_else(|| panic!("{api}: {:?}", chat.received));
        assert_eq!(chat.received[taken_back + 1..].concat(), "Done.", "{api}");
    });
}

#[test]
fn garbage_is_shown_with_its_start() {
    for garbage in ["<html><body>Welcome to the hotel</body></html>", "data: not json\\n\\n", "data: 7\\n\\n"]
    {
        let script = format!("version: 1\nturns: [ {{ fails: {{ garbage: \"{garbage}\" }} }} ]");
        in_every_api(&script, |chat, api| {
            let error = failed(chat);
            let FailureCause::Garbage(start) = &error.cause else { panic!("{api}: {error:?}") };
            assert!(garbage.contains(start.as_str()) && !start.is_empty(), "{api}: {start}");
        });
    }
}

#[test]
fn server_without_streaming_is_supported() {
    let text = json!({"type": "text", "text": "Done."});
    let said = json!({"type": "message", "content": [{"type": "output_text", "text": "Done."}]});
    for (api, answer) in [
        (Api::Anthropic, json!({"type": "message", "content": [text], "stop_reason": "end_turn"})),
        (Api::OpenAiChat, json!({"choices": [{"message": {"content": "Done."}, "finish_reason": "stop"}]})),
        (Api::OpenAiResponses, json!({"object": "response", "output": [said]})),
        (
            Api::Gemini,
            json!({"candidates": [{"content": {"parts": [{"text": "Done."}]}, "finishReason": "STOP"}]}),
        ),
    ] {
        let script = json!({"version": 1, "turns": [{"fails": {"garbage": answer.to_string()}}]}).to_string();
        let mut chat = Chat::script(api, &script);
        assert_eq!(chat.ask().unwrap().text(), "Done.", "{}", api.name());
    }
}

#[test]
fn stopped_request_keeps_the_text() {
    let script = "version: 1\nturns: [ { say: 'Words that are received, and then nothing, for as long as anybody waits.', \
        fails: { stall: 5 } }, { say: Again. } ]";
    for api in Api::ALL {
        let mut chat = Chat::script(api, script);
        let error = chat.ask_and(|_, stop| stop.set()).unwrap_err();
        let received = of_cause(&error, &FailureCause::Stopped, api.name());
        assert!(received.text().starts_with("Words"), "{}: {received:?}", api.name());
        chat.stop = StopFlag::new();
        assert_eq!(chat.ask().unwrap().text(), "Again.", "{}", api.name());
    }
}

#[test]
fn pauses_and_new_requests_can_be_stopped() {
    let script =
        "version: 1\nturns: [ { fails: { status: 429, headers: { retry-after: 4 } } }, { say: never } ]";
    let mut chat = Chat::script(Api::Anthropic, script);
    let error = chat.ask_and(|_, stop| stop.set()).unwrap_err();
    assert!(error.cause == FailureCause::Stopped && error.received().is_none(), "{error:?}");
    assert_eq!(chat.ask().unwrap_err().cause, FailureCause::Stopped);
}

#[test]
fn unreachable_server_is_named() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let spec = format!("http://me:secret@127.0.0.1:{port}/v1?key=secret#m");
    let model = ModelSpec::parse(&spec).unwrap().with_policy(patience()).connect(&[]).unwrap();
    let mut chat = Chat::new(model);
    let error = chat.ask().unwrap_err();
    assert_eq!(
        (&error.cause, &error.place),
        (&FailureCause::Unreachable, &format!("http://127.0.0.1:{port}"))
    );
    assert!(chat.received[0].starts_with("(in 1 s: "), "once more, and no more: {:?}", chat.received);
    assert_eq!(chat.received.len(), 1);
    assert!(!format!("{error} {error:?} {}", chat.model.name()).contains("secret"));
}

#[test]
fn key_goes_to_its_server_only() {
    const KEY: &str = "sk-very-secret-0123";
    for (spec, base, variable, header) in [
        ("anthropic:claude-x", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY", format!("x-api-key: {KEY}")),
        ("openai:gpt-x", "OPENAI_BASE_URL", "OPENAI_API_KEY", format!("authorization: Bearer {KEY}")),
        ("gemini:gemini-x", "GOOGLE_GEMINI_BASE_URL", "GOOGLE_API_KEY", format!("x-goog-api-key: {KEY}")),
        ("", "UNUSED_BASE_URL", "TENTER_MODEL_KEY", format!("authorization: Bearer {KEY}")),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let server = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).unwrap() == 1 {
                head.push(byte[0]);
            }
            let body = format!(r#"{{"error":{{"message":"no such key: {KEY}"}}}}"#);
            write!(stream, "HTTP/1.1 401 No\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
            // Closing a connection with unread bytes would discard the response.
            stream.shutdown(Shutdown::Write).unwrap();
            io::copy(&mut stream, &mut io::sink()).unwrap();
            String::from_utf8(head).unwrap()
        });
        let spec = if spec.is_empty() { format!("{address}/v1#m") } else { spec.to_owned() };
        let mut environment = vec![(base.into(), address.into()), (variable.into(), KEY.into())];
        // Keys of other providers are not sent.
        let others = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "TENTER_MODEL_KEY"];
        environment.extend(
            others
                .iter()
                .filter(|it| **it != variable && !(variable == "GOOGLE_API_KEY" && **it == "GEMINI_API_KEY"))
                .map(|it| ((*it).into(), "other-key".into())),
        );
        let spec = ModelSpec::parse(&spec).unwrap().with_policy(patience());
        let error = Chat::new(spec.connect(&environment).unwrap()).ask().unwrap_err();
        let head = server.join().unwrap();
        assert!(head.contains(&header) && !head.contains("other-key"), "{head}");
        assert!(!head.lines().next().unwrap().contains(KEY), "not in the address: {head}");
        assert!(!format!("{error}{error:?}{spec:?}").contains(KEY), "{error:?}");
        assert!(
            error
                .to_string()
                .ends_with(&format!("(401: no such key: [key]); set {variable} to one that is valid"))
        );
    }
}

#[test]
fn invalid_key_is_reported_and_not_shown() {
    let environment = [("ANTHROPIC_API_KEY".into(), "sk-broken\nkey".into())];
    let model = ModelSpec::parse("anthropic:claude-x").unwrap().connect(&environment);
    // A machine without certificates fails earlier.
    let Ok(model) = model else { return };
    let error = Chat::new(model).ask().unwrap_err();
    assert!(error.to_string().contains("its key cannot be sent") && !format!("{error:?}").contains("broken"));
}

#[test]
fn redirect_is_not_followed() {
    let elsewhere = serve("version: 1\nturns: [ { say: stolen } ]");
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1#m", listener.local_addr().unwrap());
    let target = elsewhere.url();
    thread::spawn(move || {
        // A request may arrive in two pieces, and the client may try again.
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = write!(
                stream,
                "HTTP/1.1 307 Go\r\nLocation: {target}/v1/chat/completions\r\nContent-Length: 0\r\n\r\n"
            );
        }
    });
    let model = ModelSpec::parse(&address).unwrap().with_policy(patience()).connect(&[]).unwrap();
    let error = Chat::new(model).ask().unwrap_err();
    assert!(error.to_string().contains("redirects to another address"), "{error}");
    assert_eq!(elsewhere.finish().played, 0);
}

/// A server of Chat Completions that repeats a piece until the client leaves.
fn repeating(first: &'static str, piece: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/v1#m", listener.local_addr().unwrap());
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.read(&mut [0; 4096]);
        let _ = write!(stream, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{first}");
        while stream.write_all(piece.as_bytes()).is_ok() {}
    });
    address
}

#[test]
fn endless_reply_keeps_its_first_text() {
    let delta = |delta: &Value| format!("data: {}\n\n", json!({"choices": [{"delta": delta}]}));
    let text = |length: usize| delta(&json!({"content": "x".repeat(length)}));
    let call = |arguments: &str| {
        delta(&json!({"tool_calls": [{"function": {"name": "Bash", "arguments": arguments}}]}))
    };
    for (first, piece, why, kept) in [
        ("", text(4096), "it has more than 4 MiB", 8192),
        ("", call("{}"), "it has more than 1000 parts", 0),
        ("data: {\"choices\": []}\n\n", "data: x".to_owned(), "an event has no end", 0),
        ("", ": ping\n\n".to_owned(), "it has no events", 0),
        ("[", "0,".to_owned().repeat(4096), "it has more than 8 MiB", 0),
    ] {
        let address = repeating(first, piece.repeat(1 + 4096 / piece.len()));
        let model = ModelSpec::parse(&address).unwrap().with_policy(patience()).connect(&[]).unwrap();
        let mut chat = Chat::new(model);
        let error = chat.ask().unwrap_err();
        assert!(error.to_string().contains(why), "{why}: {error}");
        assert_eq!(error.received().map_or(0, |reply| reply.text().len()), kept, "{why}");
        assert!(!chat.received.iter().any(|received| received.starts_with("(in ")), "asked again: {why}");
    }
}

#[test]
fn slow_endless_reply_is_left() {
    let address = repeating("", "data: {\"choices\": []}\n\n".to_owned());
    let hasty = RetryPolicy { longest_reply: Duration::from_millis(50), ..patience() };
    let model = ModelSpec::parse(&address).unwrap().with_policy(hasty).connect(&[]).unwrap();
    let error = Chat::new(model).ask().unwrap_err();
    assert!(error.to_string().contains("does not end (it takes more than 50 ms)"), "{error}");
}
