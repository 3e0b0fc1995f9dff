pub(crate) mod server;

use std::ffi::OsString;
use std::io::Write;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use tenter_contract::{
    AgentName, Effect, Event, EventKind, FailureClass, Handler, HookId, HookOutput, HookReply, HookReport,
    HookSpec, Http, InjectOutput, Injection, Layer, Method, SessionId, Template, Timestamp, ToolCall,
    ToolKind, Verdict,
};
use tenter_protocol::v1::event::EventV1;

use super::call;
use server::{Request, TestServer, answer};

const SECRET: &str = "sesame-open-1234";

fn hook(kind: EventKind, method: Method, url: &str) -> HookSpec {
    let headers = vec![("Authorization".to_owned(), "Bearer ${API_TOKEN}".to_owned())];
    let http = Http { url: Template::parse(url).unwrap(), method, headers };
    let mut hook = HookSpec::new(HookId::new(Layer::User, "h"), kind, Handler::Http(http));
    hook.timeout = Duration::from_secs(20);
    hook
}

fn ours() -> Vec<(OsString, OsString)> {
    vec![("API_TOKEN".into(), SECRET.into())]
}

fn event(kind: EventKind) -> Event {
    let session = SessionId::parse("s1").unwrap();
    let mut event = Event::new(kind, AgentName::from_static("claude"), session, Timestamp::default());
    let mut tool = ToolCall::new("Write", ToolKind::Write, serde_json::Map::new());
    tool.paths = vec!["a b".to_owned(), "c&d".to_owned()];
    event.tool = Some(tool);
    event
}

fn run(hook: &HookSpec) -> HookReport {
    let report = call::run(hook, &event(hook.event.clone()), &ours());
    assert!(!format!("{report:?}").contains(SECRET), "the secret is shown: {report:?}");
    report
}

/// The report of a guard with this server.
fn posted(play: impl Fn(&Request, &mut dyn Write) + Send + Sync + 'static) -> HookReport {
    run(&hook(EventKind::ToolPre, Method::Post, &format!("{}/judge", TestServer::plain(play).url)))
}

/// The report at the start of a session.
fn gotten(play: impl Fn(&Request, &mut dyn Write) + Send + Sync + 'static) -> HookReport {
    run(&hook(EventKind::SessionStart, Method::Get, &format!("{}/text", TestServer::plain(play).url)))
}

fn reply(verdict: Verdict, texts: &[&str]) -> HookOutput {
    let effects = texts.iter().map(|text| Effect::Inject(Injection::printed(*text))).collect();
    HookOutput::Reply(HookReply { verdict, effects })
}

/// The class of a failure and its words.
fn failure(report: &HookReport) -> (FailureClass, String) {
    match &report.output {
        HookOutput::Failure(failure) => (failure.class(), failure.to_string()),
        other => panic!("no failure: {other:?}"),
    }
}

fn fails(report: &HookReport, class: FailureClass, words: &str) {
    let (was, said) = failure(report);
    assert!(was == class && said.contains(words), "{was:?}: {said}");
}

#[test]
fn posted_event_gets_a_reply() {
    let server = TestServer::plain(|_, out| answer(out, "200 OK", &[], r#"{"deny":"not on fridays"}"#));
    let hook = hook(EventKind::ToolPre, Method::Post, &format!("{}/judge?key=hidden", server.url));
    let report = run(&hook);
    assert_eq!(report.output, reply(Verdict::Deny { reason: "not on fridays".to_owned() }, &[]));
    let transcript = report.transcript;
    assert_eq!(transcript.command.unwrap(), format!("POST {}/judge?…", server.url));
    assert_eq!((transcript.stdout.as_str(), transcript.exit_code), (r#"{"deny":"not on fridays"}"#, None));
    assert!(transcript.took > Duration::ZERO);
    let received = server.requests();
    assert_eq!(received.len(), 1);
    assert_eq!(received[0].line, "POST /judge?key=hidden HTTP/1.1");
    assert_eq!(received[0].body, EventV1::stdin(&event(EventKind::ToolPre)));
    assert_eq!(received[0].body, transcript.sent, "the transcript has the sent body");
    assert_eq!(received[0].header("authorization").unwrap(), format!("Bearer {SECRET}"));
    assert_eq!(received[0].header("content-type"), Some("application/json"));
    assert_eq!(received[0].header("accept-encoding"), Some("identity"));
    assert!(received[0].header("user-agent").unwrap().starts_with("tenter/"));
}

#[test]
fn text_is_context_by_event_and_not_by_type() {
    let page = |_: &Request, out: &mut dyn Write| {
        answer(out, "200 OK", &[("Content-Type", "text/html")], "<p>rules</p>\n");
    };
    assert_eq!(gotten(page).output, reply(Verdict::Abstain, &["<p>rules</p>"]));
    let elsewhere = posted(page);
    assert_eq!(elsewhere.output, reply(Verdict::Abstain, &[]));
    assert!(elsewhere.transcript.notices[0].contains("are not used"), "{elsewhere:?}");
    let mut stated = hook(EventKind::ToolPre, Method::Get, &TestServer::plain(page).url);
    stated.inject_output = InjectOutput::Success;
    assert_eq!(run(&stated).output, reply(Verdict::Abstain, &["<p>rules</p>"]));
}

#[test]
fn nothing_said_is_no_opinion() {
    let nothing = |_: &Request, out: &mut dyn Write| {
        let _ = out.write_all(b"HTTP/1.1 204 No Content\r\n\r\n");
    };
    assert_eq!(posted(nothing).output, reply(Verdict::Abstain, &[]));
    assert_eq!(gotten(nothing).output, reply(Verdict::Abstain, &[]));
    assert_eq!(posted(|_, out| answer(out, "200 OK", &[], "")).output, reply(Verdict::Abstain, &[]));
}

#[test]
fn url_with_a_path_is_fetched_per_path() {
    let server = TestServer::plain(|request, out| {
        let body = if request.path().ends_with("c%26d") { r#"{"deny":"no"}"# } else { "" };
        answer(out, "200 OK", &[], body);
    });
    let report = run(&hook(EventKind::ToolPre, Method::Get, &format!("{}/?path={{tool.path}}", server.url)));
    assert_eq!(report.output, reply(Verdict::Deny { reason: "no".to_owned() }, &[]));
    let asked: Vec<_> = server.requests().iter().map(|request| request.path().to_owned()).collect();
    assert_eq!(asked, ["/?path=a%20b", "/?path=c%26d"]);
    let skipped = run(&hook(EventKind::ToolPre, Method::Get, &format!("{}/{{prompt}}", server.url)));
    assert_eq!(skipped.output, HookOutput::Skipped { why: "the event has no prompt".to_owned() });
}

#[test]
fn error_status_is_a_failure_with_its_body() {
    for status in ["500 Internal Server Error", "404 Not Found", "401 Unauthorized", "304 Not Modified"] {
        let denying = move |_: &Request, out: &mut dyn Write| {
            answer(out, status, &[], &format!("{{\"allow\":true}} {SECRET}"));
        };
        let report = posted(denying);
        fails(&report, FailureClass::Error, &format!("/judge` answered {status}"));
        let kept = report.transcript.stderr;
        // This status has no body.
        let expected = if status.starts_with("304") { "" } else { "{\"allow\":true} [redacted:API_TOKEN]" };
        assert_eq!(kept, expected, "{status}");
    }
}

#[test]
fn echoed_secret_is_hidden() {
    let echo = gotten(|request, out| answer(out, "200 OK", &[], request.header("authorization").unwrap()));
    assert_eq!(echo.output, reply(Verdict::Abstain, &["Bearer [redacted:API_TOKEN]"]));
    let garbled = posted(|_, out| answer(out, "200 OK", &[], &format!(r#"{{"{SECRET}":1}}"#)));
    fails(&garbled, FailureClass::Error, "[redacted:API_TOKEN]");
}

#[test]
fn without_its_secret_nothing_is_sent() {
    let server = TestServer::plain(|_, out| answer(out, "200 OK", &[], ""));
    let hook = hook(EventKind::ToolPre, Method::Post, &server.url);
    for (ours, words) in [
        (vec![], "`API_TOKEN`, which `Authorization` needs, is not set"),
        (vec![("API_TOKEN".into(), "x\r\nX-Evil: 1".into())], "contains a line break"),
    ] {
        let report = call::run(&hook, &event(EventKind::ToolPre), &ours);
        fails(&report, FailureClass::Missing, words);
    }
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn headers_that_frame_a_message_are_ours() {
    let server = TestServer::plain(|_, out| answer(out, "200 OK", &[], ""));
    let mut hook = hook(EventKind::ToolPre, Method::Post, &server.url);
    if let Handler::Http(http) = &mut hook.handler {
        http.headers = [("Content-Length", "1"), ("Host", "x"), ("Accept", "text/plain")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec();
    }
    let report = run(&hook);
    assert_eq!(report.transcript.notices.len(), 2, "{:?}", report.transcript.notices);
    let received = server.requests();
    assert_eq!(received[0].body, EventV1::stdin(&event(EventKind::ToolPre)));
    assert_eq!(received[0].header("accept"), Some("text/plain"));
    assert!(received[0].header("host").unwrap().starts_with("127.0.0.1:"));
}

#[test]
fn redirect_on_the_same_server_is_followed() {
    let report = gotten(|request, out| match request.path() {
        "/text" => answer(out, "302 Found", &[("Location", "/moved")], ""),
        _ => answer(out, "200 OK", &[], &format!("at {}", request.path())),
    });
    assert_eq!(report.output, reply(Verdict::Abstain, &["at /moved"]));
    let looping = gotten(|_, out| answer(out, "302 Found", &[("Location", "/text")], ""));
    fails(&looping, FailureClass::Error, "more than 5 times");
}

#[test]
fn secret_and_event_reach_only_their_server() {
    let thief = TestServer::plain(|_, out| answer(out, "200 OK", &[], r#"{"allow":true}"#));
    let target = format!("{}/stolen?x=1", thief.url);
    for status in ["301 Moved", "302 Found", "303 See Other", "307 Temporary Redirect", "308 Permanent"] {
        let sends_on = |target: String| {
            move |_: &Request, out: &mut dyn Write| answer(out, status, &[("Location", &target)], "")
        };
        fails(&gotten(sends_on(target.clone())), FailureClass::Error, "another server");
        fails(&posted(sends_on(target.clone())), FailureClass::Error, "not followed for POST");
        fails(&posted(sends_on("/elsewhere".to_owned())), FailureClass::Error, "not followed for POST");
    }
    assert_eq!(thief.requests().len(), 0);
}

#[test]
fn slow_server_times_out() {
    let hangs = |_: &Request, _: &mut dyn Write| std::thread::sleep(Duration::from_mins(1));
    let trickles = |_: &Request, out: &mut dyn Write| {
        let _ = out.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
        while out.write_all(b"x").is_ok() && out.flush().is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    let trickles_its_head = |_: &Request, out: &mut dyn Write| {
        let _ = out.write_all(b"HTTP/1.1 200 OK\r\nX-Slow: ");
        while out.write_all(b"x").is_ok() && out.flush().is_ok() {
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    // Its name is looked up, and no server accepts the connection.
    let deaf = TcpListener::bind("127.0.0.1:0").unwrap();
    let deaf = format!("https://localhost:{}", deaf.local_addr().unwrap().port());
    let places = [
        TestServer::plain(hangs).url,
        TestServer::plain(trickles).url,
        TestServer::plain(trickles_its_head).url,
        TestServer::secure(trickles).url,
        deaf,
    ];
    for url in places {
        let mut hook = hook(EventKind::ToolPre, Method::Post, &url);
        hook.timeout = Duration::from_millis(500);
        let before = Instant::now();
        let report = call::run(&hook, &event(EventKind::ToolPre), &trusting());
        fails(&report, FailureClass::Timeout, "timed out after 0.5 s");
        assert!(before.elapsed() < Duration::from_secs(3), "{url}");
    }
}

#[test]
fn endless_response_is_cut_at_the_limit() {
    let endless = |begins: &'static [u8]| {
        move |_: &Request, out: &mut dyn Write| {
            let _ = out.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
            let _ = out.write_all(begins);
            while out.write_all(&[b'x'; 4096]).is_ok() {}
        }
    };
    let mut hook = hook(EventKind::SessionStart, Method::Get, &TestServer::plain(endless(b"text ")).url);
    hook.max_output = 100_000;
    let report = run(&hook);
    let HookOutput::Reply(HookReply { effects, .. }) = &report.output else { panic!("{:?}", report.output) };
    let Effect::Inject(injection) = &effects[0] else { panic!("{effects:?}") };
    assert!(injection.content.starts_with("text xx") && injection.content.len() == 100_000);
    assert!(injection.missing() > 0);
    assert!(report.transcript.notices.iter().any(|notice| notice.contains("`max_output`")));
    assert!(report.transcript.cut > 0 && report.transcript.stdout.len() <= 16 * 1024);
    let reply = posted(endless(b"{\"allow\":true"));
    fails(&reply, FailureClass::Error, "longer than");
}

#[test]
fn half_an_answer_is_none() {
    let breaks_off = |_: &Request, out: &mut dyn Write| {
        let _ = out.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"allow\":true}");
    };
    fails(&posted(breaks_off), FailureClass::Error, "before its answer was complete");
    let not_http = |_: &Request, out: &mut dyn Write| {
        let _ = out.write_all(b"220 mail.example ESMTP\r\n\r\n");
    };
    fails(&posted(not_http), FailureClass::Error, "not HTTP");
    let compressed = |_: &Request, out: &mut dyn Write| {
        answer(out, "200 OK", &[("Content-Encoding", "gzip")], "\u{1f}\u{8b}");
    };
    fails(&posted(compressed), FailureClass::Error, "compressed (`Content-Encoding: gzip`)");
}

#[test]
fn who_cannot_be_reached_is_named() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let gone = hook(EventKind::ToolPre, Method::Post, &format!("http://127.0.0.1:{port}/x?key=hidden"));
    fails(&run(&gone), FailureClass::Error, &format!("`http://127.0.0.1:{port}/x?…` cannot be reached"));
    let unknown = hook(EventKind::ToolPre, Method::Post, "http://no-such-host.invalid/");
    fails(&run(&unknown), FailureClass::Error, "`http://no-such-host.invalid/` cannot be reached");
}

/// The environment in which the test's authority is trusted.
fn trusting() -> Vec<(OsString, OsString)> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/http/tests/tls/authority.pem");
    [ours(), vec![("SSL_CERT_FILE".into(), file.into())]].concat()
}

#[test]
fn certificate_needs_a_trusted_authority() {
    let server = TestServer::secure(|_, out| answer(out, "200 OK", &[], r#"{"deny":"no"}"#));
    let hook = hook(EventKind::ToolPre, Method::Post, &server.url);
    let report = call::run(&hook, &event(EventKind::ToolPre), &trusting());
    assert_eq!(report.output, reply(Verdict::Deny { reason: "no".to_owned() }, &[]));
    let refused = run(&hook);
    let (class, words) = failure(&refused);
    // A machine without authorities trusts no server.
    let untrusted = class == FailureClass::Error && words.contains("is not accepted");
    assert!(untrusted || words.contains("ca-certificates"), "{words}");
    assert_eq!(server.requests().len(), 1, "who is not trusted gets nothing");
}

#[test]
fn proxy_is_used_and_its_password_hidden() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let hook = hook(EventKind::ToolPre, Method::Post, "http://judge.invalid/");
    let proxied = |value: String| [ours(), vec![("HTTP_PROXY".into(), value.into())]].concat();
    let report = call::run(
        &hook,
        &event(EventKind::ToolPre),
        &proxied(format!("http://user:open-sesame@127.0.0.1:{port}")),
    );
    fails(&report, FailureClass::Error, "`http://judge.invalid/`");
    assert!(!failure(&report).1.contains("sesame"));
    let proxy = TestServer::plain(|_, out| {
        let _ = out.write_all(b"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    });
    let report = call::run(&hook, &event(EventKind::ToolPre), &proxied(proxy.url.clone()));
    fails(&report, FailureClass::Error, "proxy");
    assert_eq!(proxy.requests()[0].line, "CONNECT judge.invalid:80 HTTP/1.1");
    assert_eq!(proxy.requests()[0].header("authorization"), None);
}

#[test]
fn no_proxy_follows_the_shared_table() {
    for (url, list, direct) in include!("../../../net/tests/no_proxy_cases.in") {
        let proxy = TestServer::plain(|_, out| answer(out, "403 Forbidden", &[], ""));
        let variables = [("HTTP_PROXY", proxy.url.as_str()), ("NO_PROXY", list)];
        let variables = variables.map(|(name, value)| (OsString::from(name), OsString::from(value)));
        let hook = hook(EventKind::ToolPre, Method::Post, url);
        call::run(&hook, &event(EventKind::ToolPre), &[ours(), variables.to_vec()].concat());
        assert_eq!(proxy.requests().is_empty(), direct, "{url} {list}");
    }
}
