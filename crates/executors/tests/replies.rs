//! One table over every dialect, every way to run a hook and every kind of reply: what the hook says is what tenter
//! takes.

#![expect(clippy::unwrap_used, reason = "a test that cannot set its stage has failed")]

use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tenter_contract::ports::HookExecutor;
use tenter_contract::{
    AgentName, Arguments, Ask, Command, Dialect, Effect, Event, EventKind, Handler, HookId, HookOutput,
    HookReport, HookSpec, Http, Layer, Mcp, McpServer, McpTransport, McpWanted, Method, Patch, Policy,
    Python, Rewrite, SessionId, Template, Timestamp, ToolCall, ToolKind, Verdict,
};
use tenter_executors::{CommandExecutor, HttpExecutor, McpExecutor, PythonExecutor};

const MCP_SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/mcp/tests/server.py");

const DIALECTS: [Dialect; 7] = Dialect::ALL;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Deny,
    Ask,
    Rewrite,
    Inject,
    Allow,
}

const KINDS: [Kind; 5] = [Kind::Deny, Kind::Ask, Kind::Rewrite, Kind::Inject, Kind::Allow];

/// The ways to run a hook.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Command,
    Script,
    PythonText,
    PythonObject,
    Http,
    Mcp,
}

const WAYS: [Way; 6] = [Way::Command, Way::Script, Way::PythonText, Way::PythonObject, Way::Http, Way::Mcp];

/// A reply of this kind in the form of a system.
fn form(system: Dialect, kind: Kind) -> Value {
    let specific = |fields: Value| json!({ "hookSpecificOutput": fields });
    match (system, kind) {
        (Dialect::Claude, Kind::Deny) => {
            specific(json!({ "permissionDecision": "deny", "permissionDecisionReason": "no" }))
        }
        (Dialect::Claude, Kind::Ask) => {
            specific(json!({ "permissionDecision": "ask", "permissionDecisionReason": "sure?" }))
        }
        (Dialect::Claude, Kind::Rewrite) => specific(json!({ "updatedInput": { "command": "ls" } })),
        (Dialect::Claude | Dialect::Gemini, Kind::Inject) => specific(json!({ "additionalContext": "text" })),
        (Dialect::Claude, Kind::Allow) => specific(json!({ "permissionDecision": "allow" })),
        (Dialect::Gemini, Kind::Deny) => json!({ "decision": "deny", "reason": "no" }),
        (Dialect::Gemini, Kind::Rewrite) => specific(json!({ "tool_input": { "command": "ls" } })),
        (Dialect::Gemini, Kind::Allow) => json!({ "decision": "allow" }),
        (Dialect::MassGen, Kind::Deny) => json!({ "allowed": false, "reason": "no" }),
        (Dialect::Gemini | Dialect::MassGen, Kind::Ask) => json!({ "decision": "ask", "reason": "sure?" }),
        (Dialect::MassGen, Kind::Rewrite) => json!({ "updated_input": { "command": "ls" } }),
        (Dialect::MassGen, Kind::Inject) => {
            json!({ "inject": { "content": "text", "strategy": "tool_result" } })
        }
        (Dialect::MassGen, Kind::Allow) => json!({ "allowed": true, "decision": "allow" }),
        (Dialect::Amplifier, Kind::Deny) => json!({ "action": "deny", "reason": "no" }),
        (Dialect::Amplifier, Kind::Ask) => json!({ "action": "ask_user", "approval_prompt": "sure?" }),
        (Dialect::Amplifier, Kind::Rewrite) => {
            json!({ "action": "modify", "data": { "tool_input": { "command": "ls" } } })
        }
        (Dialect::Amplifier, Kind::Inject) => {
            json!({ "action": "inject_context", "context_injection": "text" })
        }
        (Dialect::Amplifier, Kind::Allow) => json!({ "action": "continue" }),
        (Dialect::Ghap, Kind::Inject) => json!({ "context": "text" }),
        (_, Kind::Deny) => json!({ "deny": "no" }),
        (_, Kind::Ask) => json!({ "ask": "sure?" }),
        (_, Kind::Rewrite) => json!({ "modify": { "tool_input": { "command": "ls" } } }),
        (_, Kind::Inject) => json!({ "inject": "text" }),
        (_, Kind::Allow) => json!({ "allow": true }),
    }
}

/// Amazon Q takes output for text. A function returns an object all the same.
fn expected(dialect: Dialect, way: Way, kind: Kind) -> &'static str {
    let is_text = dialect == Dialect::AmazonQ && way != Way::PythonObject;
    match kind {
        Kind::Deny => "deny no",
        Kind::Ask => "ask sure?",
        Kind::Rewrite if !is_text => "rewrite ls",
        Kind::Inject if !is_text => "inject text",
        Kind::Rewrite | Kind::Inject | Kind::Allow => "nothing",
    }
}

fn summary(report: &HookReport) -> String {
    let reply = match &report.output {
        HookOutput::Reply(reply) => reply,
        other => return format!("{other:?}"),
    };
    match (&reply.verdict, reply.effects.as_slice()) {
        (Verdict::Deny { reason }, []) => format!("deny {reason}"),
        (Verdict::Ask(query), []) => format!("ask {}", query.prompt),
        (
            Verdict::Abstain,
            [Effect::Rewrite(Rewrite::ToolInput(Patch::Merge(input) | Patch::Replace(input)))],
        ) => {
            format!("rewrite {}", input["command"].as_str().unwrap())
        }
        (Verdict::Abstain, [Effect::Inject(injection)]) => format!("inject {}", injection.content),
        // A hook that allows and one that says nothing leave the call to the agent's own check.
        (Verdict::Abstain | Verdict::Allow { .. }, []) => "nothing".to_owned(),
        other => format!("{other:?}"),
    }
}

/// Answers every request with the same body.
fn server(status: &'static str, body: String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut received = Vec::new();
            let mut chunk = [0; 4096];
            while !is_whole(&received) {
                match stream.read(&mut chunk) {
                    Ok(0) | Err(_) => break,
                    Ok(count) => received.extend_from_slice(&chunk[..count]),
                }
            }
            let head =
                format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            let _ = stream.write_all((head + &body).as_bytes());
        }
    });
    url
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    body.len() >= length.and_then(|length| length.trim().parse().ok()).unwrap_or(0)
}

fn event() -> Event {
    let (agent, session) = (AgentName::from_static("claude"), SessionId::parse("s1").unwrap());
    let mut event = Event::new(EventKind::ToolPre, agent, session, Timestamp::default());
    let input = Map::from_iter([("command".to_owned(), json!("rm x"))]);
    let mut tool = ToolCall::new("Bash", ToolKind::Shell, input);
    tool.command = Some("rm x".to_owned());
    event.tool = Some(tool);
    event
}

fn hook(handler: Handler, dialect: Dialect, folder: &Path) -> HookSpec {
    let mut hook = HookSpec::new(HookId::new(Layer::User, "h"), EventKind::ToolPre, handler);
    hook.timeout = Duration::from_secs(30);
    hook.source.folder = folder.to_string_lossy().into_owned();
    hook.dialect = dialect;
    hook
}

/// A hook that says this text, in this way.
fn handler(way: Way, text: &str, folder: &Path) -> Handler {
    let python = |function: &str| {
        Handler::Python(Python { function: function.to_owned(), interpreter: None, keep: None })
    };
    std::fs::write(folder.join("said.json"), text).unwrap();
    match way {
        Way::Command => {
            let file = folder.join("said.json");
            let words = ["cat", file.to_str().unwrap()].map(|word| Template::parse(word).unwrap());
            Handler::Command(Command::Argv(words.to_vec()))
        }
        Way::Script => {
            std::fs::write(folder.join("say.sh"), "cat \"$(dirname \"$0\")/said.json\"\n").unwrap();
            Handler::Script("say.sh".to_owned())
        }
        Way::PythonText => python("say.text"),
        Way::PythonObject => python("say.thing"),
        Way::Http => {
            let url = Template::parse(&server("200 OK", text.to_owned())).unwrap();
            Handler::Http(Http { url, method: Method::Post, headers: vec![] })
        }
        Way::Mcp => {
            let command = ["python3", MCP_SERVER, "plain"].map(str::to_owned).to_vec();
            let transport = McpTransport::Stdio { command, env: vec![] };
            let arguments = Map::from_iter([("text".to_owned(), json!(text))]);
            let arguments = Arguments::parse(arguments).unwrap();
            let server = McpServer { name: "says".to_owned(), transport };
            Handler::Mcp(Mcp { server, wanted: McpWanted::Tool { name: "echo".to_owned(), arguments } })
        }
    }
}

/// Runs a hook. Those in Python share a process, because starting one takes long.
fn run(hook: &HookSpec) -> HookReport {
    static PYTHON: LazyLock<PythonExecutor> = LazyLock::new(PythonExecutor::default);
    match &hook.handler {
        Handler::Python(_) => PYTHON.run(hook, &event()),
        Handler::Http(_) => HttpExecutor::default().run(hook, &event()),
        Handler::Mcp(_) => McpExecutor::default().run(hook, &event()),
        _ => CommandExecutor::default().run(hook, &event()),
    }
}

const SAY: &str = r#"
import json, os
HERE = os.path.dirname(os.path.abspath(__file__))
def text(event):
    with open(HERE + "/said.json") as file: return file.read()
def thing(event): return json.loads(text(event))
"#;

#[test]
fn all_dialects_and_executors_take_all_replies() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("say.py"), SAY).unwrap();
    for dialect in DIALECTS {
        for way in WAYS {
            for kind in KINDS {
                // Hooks move between systems: our own form is understood everywhere.
                let systems = [Dialect::Tenter, dialect];
                for system in &systems[usize::from(dialect == Dialect::Tenter)..] {
                    let text = form(*system, kind).to_string();
                    let report = run(&hook(handler(way, &text, dir.path()), dialect, dir.path()));
                    let wanted = expected(dialect, way, kind);
                    assert_eq!(summary(&report), wanted, "{dialect:?} {way:?} {text}: {report:?}");
                }
            }
        }
    }
}

/// A deny or a question counts in the form of every system, under every dialect.
#[test]
fn stop_counts_in_every_dialect() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("say.py"), SAY).unwrap();
    for dialect in DIALECTS {
        for system in DIALECTS {
            for kind in [Kind::Deny, Kind::Ask] {
                let text = form(system, kind).to_string();
                for way in [Way::Command, Way::PythonText, Way::PythonObject] {
                    let report = run(&hook(handler(way, &text, dir.path()), dialect, dir.path()));
                    let wanted = expected(dialect, way, kind);
                    assert_eq!(summary(&report), wanted, "{dialect:?} {way:?} {text}: {report:?}");
                }
            }
        }
    }
}

const MASSGEN: &str = r#"
from massgen.mcp_tools.hooks import FunctionHook, HookResult, HookType, PatternHook
import json
class Guard(PatternHook):
    async def execute(self, function_name, arguments, context=None, **kwargs):
        assert (function_name, json.loads(arguments), context["hook_type"]) == ("Bash", {"command": "rm x"}, "PreToolUse")
        return HookResult(allowed=False, reason=self.name)
class Elsewhere(Guard):
    def __init__(self): super().__init__("Elsewhere", matcher="Write|Edit")
class Named(FunctionHook):
    def __init__(self, name, manager=None): super().__init__(name)
    def execute(self, function_name, arguments, context=None): return HookResult.ask(reason=self.name)
class Rewrites(FunctionHook):
    def execute(self, function_name, arguments, context=None): return HookResult(modified_args='{"command": "ls"}')
class Manager:
    async def pre_tool_use_hook(self, tool_name, tool_args): return (False, tool_args["command"])
class Lenient(Manager):
    async def pre_tool_use_hook(self, tool_name, tool_args): return (True, None)
class Old:
    class Result:
        def __init__(self, allowed): self.allowed, self.metadata, self.modified_args = allowed, {}, None
    def execute(self, function_name, arguments, context=None): return Old.Result(False)
class OwnKind:
    def execute(self, event): return {"deny": event.tool.name}
guard = Guard("instance")
"#;

/// User story: a MassGen file with a Python permission hook is put in place, and it denies.
#[test]
fn permission_classes_judge_calls() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("perm.py"), MASSGEN).unwrap();
    for (function, expected) in [
        ("perm.Guard", "deny Guard"),
        ("perm.Guard.execute", "deny Guard"),
        ("perm.guard", "deny instance"),
        ("perm.Elsewhere", "nothing"),
        ("perm.Named", "ask Named"),
        ("perm.Rewrites", "rewrite ls"),
        ("perm.Manager", "deny rm x"),
        ("perm.Lenient", "nothing"),
        ("perm.Old", "deny no reason given"),
        ("perm.OwnKind", "deny Bash"),
    ] {
        let handler =
            Handler::Python(Python { function: function.to_owned(), interpreter: None, keep: None });
        for dialect in [Dialect::MassGen, Dialect::Tenter, Dialect::AmazonQ] {
            let report = run(&hook(handler.clone(), dialect, dir.path()));
            assert_eq!(summary(&report), expected, "{function} {dialect:?}: {report:?}");
        }
    }
}

#[test]
fn fixed_replies_ignore_the_dialect() {
    let dir = tempfile::tempdir().unwrap();
    let template = |text: &str| Template::parse(text).unwrap();
    let ask = Ask { prompt: template("sure?"), options: vec![], timeout: None, default: Policy::Deny };
    for (handler, expected) in [
        (Handler::Deny(template("no")), "deny no"),
        (Handler::Ask(ask), "ask sure?"),
        (Handler::Inject(template("text")), "inject text"),
    ] {
        for dialect in DIALECTS {
            let hook = hook(handler.clone(), dialect, dir.path());
            let report = tenter_executors::FixedExecutor.run(&hook, &event());
            assert_eq!(summary(&report), expected, "{dialect:?}");
        }
    }
}

/// A server that denies with an error status, and one whose answer is longer than `max_output`.
#[test]
fn deny_counts_at_any_status_and_length() {
    let dir = tempfile::tempdir().unwrap();
    let long = format!(r#"{{"pad":"{}","deny":"no"}}"#, "x".repeat(3_000_000));
    for (status, body) in
        [("403 Forbidden", r#"{"deny":"no"}"#), ("500 Oops", r#"[{"deny":"no"}]"#), ("200 OK", &long)]
    {
        let url = Template::parse(&server(status, body.to_owned())).unwrap();
        let handler = Handler::Http(Http { url, method: Method::Post, headers: vec![] });
        let report = run(&hook(handler, Dialect::Tenter, dir.path()));
        assert_eq!(summary(&report), "deny no", "{status} {body:.40}");
    }
    for way in [Way::Command, Way::Script, Way::PythonText, Way::Mcp] {
        std::fs::write(dir.path().join("say.py"), SAY).unwrap();
        let report = run(&hook(handler(way, &long, dir.path()), Dialect::Tenter, dir.path()));
        assert_eq!(summary(&report), "deny no", "{way:?}");
    }
}
