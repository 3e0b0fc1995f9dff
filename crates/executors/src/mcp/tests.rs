mod over_http;
mod real;

use std::ffi::OsString;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenter_contract::{
    AgentName, Arguments, Effect, Event, EventKind, FailureClass, Handler, HookId, HookOutput, HookReply,
    HookReport, HookSpec, InjectOutput, Injection, Layer, Mcp, McpServer, McpTransport, McpWanted, SessionId,
    Template, Timestamp, ToolCall, ToolKind, Verdict,
};

use super::call;
use crate::supervise::ProcessTree;

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/mcp/tests/server.py");
const SECRET: &str = "sesame-open-1234";

fn hook(kind: EventKind, transport: McpTransport, wanted: McpWanted) -> HookSpec {
    let server = McpServer { name: "test".to_owned(), transport };
    let handler = Handler::Mcp(Mcp { server, wanted });
    let mut hook = HookSpec::new(HookId::new(Layer::User, "h"), kind, handler);
    hook.timeout = Duration::from_secs(20);
    hook
}

/// The server of these tests, in one of its moods.
fn stdio(words: &[&str]) -> McpTransport {
    let words = ["python3", SERVER].iter().chain(words);
    let env = vec![("DB_PASSWORD".to_owned(), "${PASSWORD}".to_owned())];
    McpTransport::Stdio { command: words.map(|&word| word.to_owned()).collect(), env }
}

fn tool(name: &str, arguments: Value) -> McpWanted {
    let Value::Object(arguments) = arguments else { panic!("no object") };
    McpWanted::Tool { name: name.to_owned(), arguments: Arguments::parse(arguments).unwrap() }
}

fn echo(text: &str) -> McpWanted {
    tool("echo", json!({ "text": text }))
}

fn event(kind: EventKind) -> Event {
    let session = SessionId::parse("s1").unwrap();
    let mut event = Event::new(kind, AgentName::from_static("claude"), session, Timestamp::default());
    let mut tool = ToolCall::new("Write", ToolKind::Write, serde_json::Map::new());
    tool.paths = vec!["a b".to_owned(), "c".to_owned()];
    event.tool = Some(tool);
    event
}

fn ours() -> Vec<(OsString, OsString)> {
    let path = std::env::var_os("PATH").unwrap();
    vec![("PATH".into(), path), ("PASSWORD".into(), SECRET.into())]
}

fn run(hook: &HookSpec) -> HookReport {
    let report = call::run(hook, &event(hook.event.clone()), &ours(), ProcessTree::Own, None);
    assert!(!format!("{report:?}").contains(SECRET), "the secret is shown: {report:?}");
    report
}

/// The report of a guard with this mode of the server.
fn judged(mood: &str, wanted: McpWanted) -> HookReport {
    run(&hook(EventKind::ToolPre, stdio(&[mood]), wanted))
}

fn reply(verdict: Verdict, texts: &[&str]) -> HookOutput {
    let effects = texts.iter().map(|text| Effect::Inject(Injection::printed(*text))).collect();
    HookOutput::Reply(HookReply { verdict, effects })
}

fn deny(reason: &str) -> HookOutput {
    reply(Verdict::Deny { reason: reason.to_owned() }, &[])
}

fn fails(report: &HookReport, class: FailureClass, words: &str) {
    let HookOutput::Failure(failure) = &report.output else { panic!("no failure: {:?}", report.output) };
    assert!(failure.class() == class && failure.to_string().contains(words), "{failure}");
}

#[test]
fn tool_text_counts_like_command_output() {
    let report = judged("plain", echo(r#"{"deny":"no"}"#));
    assert_eq!(report.output, deny("no"));
    let transcript = report.transcript;
    assert!(transcript.command.unwrap().ends_with("server.py plain (tools/call)"));
    assert_eq!((transcript.stdout.as_str(), transcript.stderr.as_str()), (r#"{"deny":"no"}"#, ""));
    assert_eq!(transcript.notices, Vec::<String>::new());
    let text = judged("plain", echo("hello"));
    assert_eq!(text.output, reply(Verdict::Abstain, &[]));
    assert!(text.transcript.notices[0].contains("are not used"), "{text:?}");
    let context = run(&hook(EventKind::SessionStart, stdio(&["plain"]), echo("hello")));
    assert_eq!(context.output, reply(Verdict::Abstain, &["hello"]));
    fails(&judged("plain", echo(r#"{"denny":1}"#)), FailureClass::Error, "did you mean `deny`?");
}

#[test]
fn deny_in_a_resource_or_an_error_counts() {
    let resource = |resource: Value| json!({ "content": [{ "type": "resource", "resource": resource }] });
    for result in [
        resource(json!({ "uri": "x:y", "text": r#"{"deny":"no"}"# })),
        resource(json!({ "uri": "x:y", "mimeType": "application/json", "blob": "eyJkZW55Ijoibm8ifQ==" })),
        json!({ "content": [], "isError": true, "structuredContent": { "deny": "no" } }),
    ] {
        let report = judged("plain", tool("answer", json!({ "result": result })));
        assert_eq!(report.output, deny("no"), "{result}: {report:?}");
    }
    for error in [
        json!({ "code": -32000, "message": r#"{"deny":"no"}"# }),
        json!({ "code": -32000, "message": "refused", "data": { "deny": "no" } }),
        json!({ "code": -32000, "message": "refused", "data": r#"[{"deny":"no"}]"# }),
    ] {
        let report = judged("plain", tool("error", json!({ "error": error })));
        assert_eq!(report.output, deny("no"), "{error}: {report:?}");
    }
}

#[test]
fn arguments_are_filled_for_each_path() {
    let mut each = hook(EventKind::ToolPre, stdio(&["plain"]), echo("{tool.path}: \"{tool.name}\" {prompt}"));
    each.inject_output = InjectOutput::Success;
    assert_eq!(run(&each).output, reply(Verdict::Abstain, &["a b: \"Write\"", "c: \"Write\""]));
}

#[test]
fn resources_and_prompts_are_context() {
    let resource = McpWanted::Resource { uri: Template::parse("doc://{tool.path}").unwrap() };
    let expected = [r#"{"deny":"doc://a%20b"}"#, r#"{"deny":"doc://c"}"#];
    assert_eq!(judged("plain", resource.clone()).output, reply(Verdict::Abstain, &expected));
    let mut never = hook(EventKind::ToolPre, stdio(&["plain"]), resource);
    never.inject_output = InjectOutput::Never;
    assert_eq!(run(&never).output, reply(Verdict::Abstain, &[]));
    let arguments = Arguments::parse(json!({ "how": "brief" }).as_object().unwrap().clone()).unwrap();
    let prompt = McpWanted::Prompt { name: "style".to_owned(), arguments };
    assert_eq!(judged("plain", prompt).output, reply(Verdict::Abstain, &["Be brief"]));
    let without = McpWanted::Resource { uri: Template::parse("doc://{prompt}").unwrap() };
    assert_eq!(
        judged("plain", without).output,
        HookOutput::Skipped { why: "the event has no prompt".to_owned() }
    );
}

#[test]
fn server_gets_event_and_variables() {
    for (name, expected) in [("TENTER_EVENT", "session:start"), ("NONE", "unset")] {
        let wanted = tool("environment", json!({ "name": name }));
        let report = run(&hook(EventKind::SessionStart, stdio(&["plain"]), wanted));
        assert_eq!(report.output, reply(Verdict::Abstain, &[expected]));
    }
    let wanted = tool("environment", json!({ "name": "DB_PASSWORD" }));
    let report = run(&hook(EventKind::SessionStart, stdio(&["plain"]), wanted));
    assert_eq!(
        report.output,
        reply(Verdict::Abstain, &["[redacted:PASSWORD]"]),
        "it arrived, and is not shown"
    );
}

#[test]
fn server_may_send_requests_and_a_banner() {
    let report = run(&hook(EventKind::SessionStart, stdio(&["greets"]), tool("asks-back", json!({}))));
    assert_eq!(report.output, reply(Verdict::Abstain, &["[0, -32601, -32601]"]));
    assert_eq!(
        report.transcript.notices,
        ["2 lines of the server's output are not messages and were skipped"]
    );
}

#[test]
fn failures_are_named() {
    fails(
        &judged("plain", tool("broken", json!({}))),
        FailureClass::Error,
        "the tool `broken` says: the disk is full",
    );
    fails(&judged("plain", tool("none", json!({}))), FailureClass::Error, "unknown tool: none (-32602)");
    fails(&judged("old", echo("x")), FailureClass::Error, "speaks version `1999-12-31` of MCP");
    fails(&judged("flood", echo("x")), FailureClass::Error, "longer than 16777216 bytes");
    let dead = judged("dies", echo("x"));
    let words =
        "the server ended with exit code 3 before it answered `tools/call`: no such database: [redacted:";
    fails(&dead, FailureClass::Error, words);
    assert!(dead.transcript.stderr.starts_with("warming up\nno such database: [redacted:"), "{dead:?}");
    let none = McpTransport::Stdio { command: vec!["/no/such/server".to_owned()], env: vec![] };
    fails(
        &run(&hook(EventKind::ToolPre, none, echo("x"))),
        FailureClass::Missing,
        "`/no/such/server` was not found",
    );
    let env = vec![("KEY".to_owned(), "${NOT_SET}".to_owned())];
    let unset = McpTransport::Stdio { command: vec!["python3".to_owned()], env };
    fails(&run(&hook(EventKind::ToolPre, unset, echo("x"))), FailureClass::Missing, "the variable `NOT_SET`");
}

#[test]
fn unanswered_request_times_out() {
    for mood in ["silent", "chatter", "pings"] {
        let mut hook = hook(EventKind::ToolPre, stdio(&[mood]), echo("x"));
        hook.timeout = Duration::from_millis(700);
        let before = Instant::now();
        fails(&run(&hook), FailureClass::Timeout, "timed out after 0.7 s");
        assert!(before.elapsed() < Duration::from_secs(4), "{mood}");
    }
}

#[test]
fn result_counts_although_the_server_hangs() {
    let before = Instant::now();
    assert_eq!(judged("stubborn", echo(r#"{"deny":"no"}"#)).output, deny("no"));
    assert!(before.elapsed() < Duration::from_secs(5));
}
