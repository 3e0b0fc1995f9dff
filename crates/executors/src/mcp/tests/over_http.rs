//! Streamable HTTP: a server that answers with JSON, with events, or with malice.

use std::io::Write;
use std::time::Duration;

use serde_json::{Value, json};
use tenter_contract::{EventKind, FailureClass, HookReport, McpTransport};

use super::{SECRET, deny, echo, fails, hook, run};
use crate::http::tests::server::{Request, TestServer, answer};

fn at(url: &str) -> McpTransport {
    let headers = vec![("X-Api-Key".to_owned(), "${PASSWORD}".to_owned())];
    McpTransport::Http { url: url.to_owned(), headers }
}

fn asked(server: &TestServer) -> HookReport {
    run(&hook(EventKind::ToolPre, at(&format!("{}/mcp", server.url)), echo("x")))
}

/// How a server wraps its messages.
#[derive(Clone, Copy)]
enum Wrapping {
    Json,
    Events,
}

/// What a proper server does, as far as one tool goes.
fn proper(request: &Request, out: &mut dyn Write, wrapping: Wrapping) {
    if request.line.starts_with("DELETE") {
        return answer(out, "405 Method Not Allowed", &[], "");
    }
    let message: Value = serde_json::from_slice(&request.body).unwrap();
    let id = &message["id"];
    let (result, session) = match message["method"].as_str() {
        Some("initialize") => {
            let version = "2025-06-18";
            (json!({ "protocolVersion": version, "capabilities": {} }), vec![("Mcp-Session-Id", "s-1")])
        }
        Some("tools/call") => {
            (json!({ "content": [{ "type": "text", "text": "{\"deny\":\"no\"}" }] }), vec![])
        }
        _ => return answer(out, "202 Accepted", &[], ""),
    };
    let message = json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string();
    let (kind, body) = match wrapping {
        Wrapping::Json => ("application/json", message),
        Wrapping::Events => {
            let ping = json!({ "jsonrpc": "2.0", "id": "p", "method": "ping" });
            (
                "text/event-stream; charset=utf-8",
                format!(": hi\n\ndata: {ping}\n\nevent: message\ndata: {message}\n\n"),
            )
        }
    };
    answer(out, "200 OK", &[session, vec![("Content-Type", kind)]].concat(), &body);
}

#[test]
fn json_and_event_streams_are_responses() {
    for wrapping in [Wrapping::Json, Wrapping::Events] {
        let server = TestServer::plain(move |request, out| proper(request, out, wrapping));
        assert_eq!(asked(&server).output, deny("no"));
        let received = server.requests();
        let is_answer = |request: &&Request| request.body.windows(8).any(|bytes| bytes == b"\"result\"");
        let pongs = received.iter().filter(is_answer).count();
        assert_eq!(
            pongs,
            match wrapping {
                Wrapping::Json => 0,
                Wrapping::Events => 2,
            }
        );
        let own: Vec<&Request> = received.iter().filter(|request| !is_answer(request)).collect();
        let methods: Vec<String> = own
            .iter()
            .map(|request| {
                serde_json::from_slice::<Value>(&request.body).unwrap_or_default()["method"].to_string()
            })
            .collect();
        let expected = ["\"initialize\"", "\"notifications/initialized\"", "\"tools/call\"", "null"];
        assert_eq!(methods, expected);
        for (number, request) in own.iter().enumerate() {
            assert_eq!(request.header("x-api-key"), Some(SECRET));
            let later = number > 0;
            assert_eq!(request.header("mcp-session-id"), later.then_some("s-1"));
            assert_eq!(request.header("mcp-protocol-version"), later.then_some("2025-06-18"));
        }
        assert_eq!(own[0].header("accept"), Some("application/json, text/event-stream"));
        assert!(own[3].line.starts_with("DELETE /mcp "));
    }
}

#[test]
fn failures_are_named() {
    let answers = |status: &'static str, body: &'static str| {
        asked(&TestServer::plain(move |_, out| answer(out, status, &[], body)))
    };
    let failed = answers("503 Service Unavailable", "come back later");
    fails(&failed, FailureClass::Error, "/mcp` answered 503 Service Unavailable");
    assert_eq!(failed.transcript.stderr, "come back later");
    fails(&answers("200 OK", "<html>"), FailureClass::Error, "is no message of MCP");
    fails(&answers("202 Accepted", ""), FailureClass::Error, "is no message of MCP");
    fails(&answers("200 OK", "{}"), FailureClass::Error, "did not answer `initialize`");
    let thief = TestServer::plain(|_, out| answer(out, "200 OK", &[], ""));
    let target = thief.url.clone();
    let sends_on =
        TestServer::plain(move |_, out| answer(out, "307 Temporary", &[("Location", &target)], ""));
    fails(&asked(&sends_on), FailureClass::Error, "redirects, which is not followed for POST");
    assert_eq!(thief.requests().len(), 0);
    let open_end = TestServer::plain(|_, out| {
        answer(out, "200 OK", &[("Content-Type", "text/event-stream")], "data: {}\n\n");
    });
    fails(&asked(&open_end), FailureClass::Error, "did not answer `initialize`");
}

#[test]
fn endless_stream_is_cut() {
    let endless = |piece: &'static str| {
        TestServer::plain(move |_, out| {
            let _ = out.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
            while out.write_all(piece.as_bytes()).is_ok() {}
        })
    };
    let asked = |server: &TestServer, timeout| {
        let mut hook = hook(EventKind::ToolPre, at(&server.url), echo("x"));
        (hook.timeout, hook.max_output) = (timeout, 10_000);
        run(&hook)
    };
    let long = Duration::from_secs(20);
    fails(&asked(&endless("data: xxxx"), long), FailureClass::Error, "longer than 16777216 bytes");
    let ping = "data: {\"id\":1,\"method\":\"ping\"}\n\n";
    // Our answers get no answer that is one, either.
    fails(&asked(&endless(ping), long), FailureClass::Error, "sent more than 64 requests");
    let short = Duration::from_millis(500);
    fails(&asked(&endless(": still here\n\n"), short), FailureClass::Timeout, "timed out after 0.5 s");
}
