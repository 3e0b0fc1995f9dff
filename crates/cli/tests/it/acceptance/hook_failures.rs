//! For every kind of hook and every kind of failure: the hook's policy applies, tenter notifies the user, records the
//! failure with the end of stderr and runs the next hook.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use serde_json::Value;

use crate::loopback::{answers, silent};
use crate::records;
use crate::world::{MESSAGE, REASON, World, bash};

/// One way in which one kind of hook fails.
struct Case {
    kind: &'static str,
    way: &'static str,
    /// The handler, in YAML; `{folder}` is the folder of the hook file.
    handler: String,
    /// The text of the notice after the hook's name.
    notice: &'static str,
    /// A part of the end of its stderr; a server has none.
    complained: &'static str,
}

const WAYS: [(&str, &str); 4] =
    [("timeout", "timeout"), ("crash", "error"), ("garbled", "error"), ("missing", "missing")];
/// Combinations that cannot fail in this way, and why.
const NEVER: [(&str, &str, &str); 1] =
    [("builtin", "garbled", "it answers with a value of our own, and not with a text that must be read")];

fn case(
    kind: &'static str,
    way: &'static str,
    handler: impl Into<String>,
    notice: &'static str,
    complained: &'static str,
) -> Case {
    Case { kind, way, handler: handler.into(), notice, complained }
}

const TIMED_OUT: &str = "timed out after 1 s";
const UNREADABLE: &str = "gave an answer that cannot be read: ";
const ABSENT: &str = "could not be started: ";

fn cases() -> Vec<Case> {
    let silent = silent();
    let (broken, half) = (answers("500 Internal Server Error", "oops"), answers("200 OK", "{\"deny\""));
    let with_programs = |name: &str| {
        let path = format!("{{folder}}/{name}");
        format!("builtin: date, env: {{ PATH: \"{path}\" }}")
    };
    vec![
        case("command", "timeout", "command: 'echo waiting >&2; sleep 60'", TIMED_OUT, "waiting"),
        case(
            "command",
            "crash",
            "command: 'echo KeyError >&2; exit 1'",
            "failed with exit code 1 (KeyError)",
            "KeyError",
        ),
        case("command", "garbled", "command: 'echo oops >&2; echo {'", UNREADABLE, "oops"),
        case("command", "missing", "command: [no-such-program]", ABSENT, ""),
        case("script", "timeout", "script: hang.sh", TIMED_OUT, "waiting"),
        case("script", "crash", "script: crash.sh", "was killed by signal 9", "about to die"),
        case("script", "garbled", "script: garbled.sh", UNREADABLE, "oops"),
        case("script", "missing", "script: gone.sh", ABSENT, ""),
        case("http", "timeout", format!("http: '{silent}'"), TIMED_OUT, ""),
        case("http", "crash", format!("http: '{broken}'"), "failed: ", ""),
        case("http", "garbled", format!("http: '{half}'"), UNREADABLE, ""),
        case(
            "http",
            "missing",
            "http: { url: 'http://127.0.0.1:9', headers: { X: '${NOT_SET}' } }",
            ABSENT,
            "",
        ),
        case("mcp", "timeout", "mcp: { server: hanging, tool: judge }", TIMED_OUT, "waiting"),
        case(
            "mcp",
            "crash",
            "mcp: { server: dying, tool: judge }",
            "failed: the server ended",
            "about to die",
        ),
        case("mcp", "garbled", "mcp: { server: garbled, tool: judge }", UNREADABLE, "oops"),
        case("mcp", "missing", "mcp: { server: absent, tool: judge }", ABSENT, ""),
        case("python", "timeout", "python: bad.hang", TIMED_OUT, "waiting"),
        case("python", "crash", "python: bad.crash", "failed with exit code 1 (KeyError: 'x')", "KeyError"),
        case("python", "garbled", "python: bad.garbled", UNREADABLE, "oops"),
        case("python", "missing", "python: bad.no_such_function", ABSENT, ""),
        case("builtin", "timeout", with_programs("hanging"), TIMED_OUT, "waiting"),
        case(
            "builtin",
            "crash",
            with_programs("crashing"),
            "failed with exit code 3 (about to die)",
            "about to die",
        ),
        case("builtin", "missing", with_programs("empty"), ABSENT, ""),
    ]
}

const PYTHON: &str = "
import sys, time
def hang(event): print('waiting', file=sys.stderr, flush=True); time.sleep(60)
def crash(event): raise KeyError('x')
def garbled(event): print('oops', file=sys.stderr); return 42
";

const MCP: &str = "
import json, sys
print('oops', file=sys.stderr, flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if 'id' not in message: continue
    hello = {'protocolVersion': '2025-06-18', 'capabilities': {}, 'serverInfo': {'name': 'x', 'version': '1'}}
    output = {'content': [{'type': 'text', 'text': '{\"deny\"'}]}
    result = hello if message['method'] == 'initialize' else output
    print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], 'result': result}), flush=True)
";

fn write(folder: &Path, name: &str, text: &str) {
    let file = folder.join(name);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, text).unwrap();
    fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
}

fn machine(case: &Case, policy: &str) -> World {
    let world = World::new();
    let folder = world.config().join("tenter");
    for (name, text) in [
        ("hang.sh", "#!/bin/sh\necho waiting >&2; sleep 60"),
        ("crash.sh", "#!/bin/sh\necho about to die >&2; kill -9 $$"),
        ("garbled.sh", "#!/bin/sh\necho oops >&2; echo '{\"deny\"'"),
        ("bad.py", PYTHON),
        ("server.py", MCP),
        ("hanging/date", "#!/bin/sh\necho waiting >&2\nexec /bin/sleep 60\n"),
        ("crashing/date", "#!/bin/sh\necho about to die >&2\nexit 3\n"),
        ("empty/nothing", ""),
    ] {
        write(&folder, name, text);
    }
    let handler = case.handler.replace("{folder}", folder.to_str().unwrap());
    let server = Value::from(folder.join("server.py").to_str().unwrap());
    world.write_hooks(
        "yaml",
        &format!(
            "version: 1
mcp_servers:
  hanging: {{ command: [sh, -c, 'echo waiting >&2; sleep 60'] }}
  dying: {{ command: [sh, -c, 'echo about to die >&2; exit 3'] }}
  garbled: {{ command: [python3, {server}] }}
  absent: {{ command: [no-such-server] }}
hooks:
  tool:pre:
    - {{ name: bad, matcher: Bash, {handler}, timeout: {}, on_failure: {policy} }}
    - {{ name: good, matcher: Bash, inject: \"Still here.\" }}
",
            if case.way == "timeout" { "1s" } else { "30s" }
        ),
    );
    world
}

/// The record of the failure; there must be exactly one.
fn recorded(world: &World) -> Value {
    let mut failed = records::read(world).into_iter().filter(|record| record["event"] == "hook:failed");
    let record = failed.next().unwrap();
    assert_eq!(failed.next(), None);
    record
}

#[test]
fn every_handler_has_every_failure_case() {
    let ways: BTreeSet<(&str, &str)> = cases().iter().map(|case| (case.kind, case.way)).collect();
    for kind in ["command", "script", "http", "mcp", "python", "builtin"] {
        for (way, _) in WAYS {
            let never = NEVER
                .iter()
                .any(|(kind_name, way_name, why)| (*kind_name, *way_name) == (kind, way) && !why.is_empty());
            assert!(ways.contains(&(kind, way)) != never, "{kind}: {way}");
        }
    }
}

/// Security case P3.
#[test]
fn fail_open_failure_is_notified_and_recorded() {
    for case in cases() {
        let name = format!("{} {}", case.kind, case.way);
        let world = machine(&case, "allow");
        let ran = world.claude(&bash("ls")).run();
        let message = ran.field(MESSAGE);
        let expected = format!("tenter: warning: hook `bad` {}", case.notice);
        assert!(message.starts_with(&expected), "{name}: {message}");
        assert!(message.ends_with("; went on without it"), "{name}: {message}");
        assert_eq!(ran.field("/hookSpecificOutput/additionalContext"), "Still here.", "{name}");
        assert_policy_applies(&case, &recorded(&world), "allow");
    }
}

/// Security case P3.
#[test]
fn guard_failure_denies_and_is_recorded() {
    for case in cases() {
        let name = format!("{} {}", case.kind, case.way);
        let world = machine(&case, "deny");
        let ran = world.claude(&bash("ls")).run();
        let reason = ran.field(REASON);
        let expected = format!("Operation denied by bad: the hook {}", case.notice);
        assert!(reason.starts_with(&expected), "{name}: {reason}");
        assert!(reason.ends_with(", and its `on_failure` says deny"), "{name}: {reason}");
        assert_policy_applies(&case, &recorded(&world), "deny");
    }
}

fn assert_policy_applies(case: &Case, record: &Value, policy: &str) {
    let class = WAYS.iter().find(|(way, _)| *way == case.way).unwrap().1;
    let failure = &record["failure"];
    assert_eq!((&failure["class"], &failure["policy"]), (&class.into(), &policy.into()), "{record}");
    let tail = failure["stderr_tail"].as_str().unwrap_or_default();
    assert!(tail.contains(case.complained), "{} {}: {record}", case.kind, case.way);
    assert_eq!(record["hook_event"], "tool:pre", "{record}");
}
