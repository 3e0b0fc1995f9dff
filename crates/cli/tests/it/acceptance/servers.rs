//! Hooks that ask a server, from the agent's call to the answer: `tenter-hook` executes `tenter`, failures of every
//! class follow the hook's policy with a notice and a record, and no secret is written anywhere.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::loopback::{answers, closed_address, silent};
use crate::records;
use crate::world::{MESSAGE, REASON, World, bash};

const SECRET: &str = "sesame-open-1234";

/// A handler, the class of its failure, and what the user reads after the hook's name.
fn cases() -> Vec<(String, &'static str, String)> {
    let broken = answers("500 Internal Server Error", SECRET);
    let closed = closed_address();
    let http = |url: &str| format!("http: {{ url: \"{url}\", headers: {{ X-Key: \"${{JUDGE_KEY}}\" }} }}");
    let mcp = |server: &str| format!("mcp: {{ server: {server}, tool: judge }}");
    vec![
        (http(&broken), "error", format!("failed: `{broken}/` answered 500 Internal Server Error")),
        (http(&format!("http://{closed}")), "error", format!("failed: `http://{closed}/` cannot be reached")),
        (http(&silent()), "timeout", "timed out after 1 s".to_owned()),
        (
            "http: { url: \"http://127.0.0.1:9\", headers: { X-Key: \"${NOT_SET}\" } }".to_owned(),
            "missing",
            "could not be started: the variable `NOT_SET`, which `X-Key` needs, is not set".to_owned(),
        ),
        (
            mcp("dying"),
            "error",
            "failed: the server ended with exit code 3 before it answered `initialize`".to_owned(),
        ),
        (mcp("hanging"), "timeout", "timed out after 1 s".to_owned()),
        (mcp("absent"), "missing", "could not be started: `no-such-server` was not found".to_owned()),
    ]
}

fn machine(handler: &str, policy: &str) -> World {
    World::with_hooks(&format!(
        "version: 1
mcp_servers:
  dying: {{ command: [sh, -c, \"echo $KEY >&2; exit 3\"], env: {{ KEY: \"${{JUDGE_KEY}}\" }} }}
  hanging: {{ command: [sleep, \"60\"] }}
  absent: {{ command: [no-such-server] }}
hooks:
  tool:pre:
    - {{ name: far, matcher: Bash, {handler}, timeout: 1s, on_failure: {policy} }}
    - {{ name: near, matcher: Bash, inject: \"Still here.\" }}
"
    ))
}

/// Everything that was written on the machine.
fn written(folder: &Path) -> String {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let text = |path: PathBuf| {
        if path.is_dir() {
            written(&path)
        } else {
            String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned()
        }
    };
    entries.map(text).collect()
}

fn failures(world: &World, key: &str) -> Vec<Value> {
    let failed = records::read(world).into_iter().filter(|record| record["event"] == "hook:failed");
    failed.map(|record| record["failure"][key].clone()).collect()
}

#[test]
fn server_failure_is_recorded_without_secrets() {
    for (handler, class, notice) in cases() {
        let world = machine(&handler, "allow");
        let ran = world.claude(&bash("ls")).env("JUDGE_KEY", SECRET).run();
        let message = ran.field(MESSAGE);
        assert!(
            message.starts_with(&format!("tenter: warning: hook `far` {notice}")),
            "{handler}: {message}"
        );
        assert!(message.ends_with("; went on without it"), "{handler}: {message}");
        assert_eq!(ran.field("/hookSpecificOutput/additionalContext"), "Still here.", "{handler}");
        assert_eq!(failures(&world, "class"), [class], "{handler}");
        assert!(!format!("{ran:?}{}", written(&world.state())).contains(SECRET), "{handler}: {ran:?}");
    }
}

#[test]
fn guard_with_failing_server_denies() {
    for (handler, _, notice) in cases() {
        let world = machine(&handler, "deny");
        let ran = world.claude(&bash("ls")).env("JUDGE_KEY", SECRET).run();
        let reason = ran.field(REASON);
        assert!(
            reason.starts_with(&format!("Operation denied by far: the hook {notice}")),
            "{handler}: {reason}"
        );
        assert_eq!(failures(&world, "policy"), ["deny"], "{handler}");
        assert!(!format!("{ran:?}{}", written(&world.state())).contains(SECRET), "{handler}: {ran:?}");
    }
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A beginning of a session, as Claude Code sends it.
const BEGINS: &str = r#"{"session_id":"s1","hook_event_name":"SessionStart","cwd":"/","source":"startup"}"#;
const CONTEXT: &str = "/hookSpecificOutput/additionalContext";
const RULES: &str = "Rules of this house: tests before commits, and no force pushes.";

fn check_example(world: &World) {
    let call = |payload: &str| {
        let call = world.claude(payload).env("CLAUDE_PROJECT_DIR", root());
        call.env("JUDGE_TOKEN", "example-token").run()
    };
    let context = call(BEGINS).field(CONTEXT);
    let framed = |it: &str| it.starts_with("<tenter-data source=\"") && it.ends_with("\n</tenter-data>");
    assert!(framed(&context) && context.contains(&format!(" trust=\"foreign\">\n{RULES}\n")), "{context}");
    let denied = call(&bash("git push --force")).field(REASON);
    assert_eq!(denied, "Operation denied by judge: the judge says: no force pushes");
    let passed = call(&bash("git push"));
    assert_eq!((passed.code, passed.stdout.as_str()), (Some(0), ""), "{passed:?}");
}

/// The server ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Security case I2, for server replies.
#[test]
fn web_server_example_works() {
    let example = root().join("examples/http");
    let mut server = Command::new("python3");
    server.arg(example.join("server.py")).arg("0").env_remove("JUDGE_TOKEN");
    let server = server.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut server = Server(server);
    let mut line = String::new();
    BufReader::new(server.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let port = line.trim().rsplit(':').next().unwrap().to_owned();
    let hooks = fs::read_to_string(example.join("hooks.yaml")).unwrap().replace("8377", &port);
    check_example(&World::with_hooks(&hooks));
}

#[test]
fn mcp_server_example_works() {
    let hooks = fs::read_to_string(root().join("examples/mcp/hooks.yaml")).unwrap();
    check_example(&World::with_hooks(&hooks));
}
