//! The output of `tenter chat --json`.

use std::fs;
use std::path::Path;
use std::process::{Child, Output};

use rustix::process::Signal;
use serde_json::Value;

use super::once::GUARD;
use super::{Chat, send_signal, until};

/// All lines, of which the first is `session` and the last `done`, with the code by which the program ended.
fn lines(ran: &Output) -> Vec<Value> {
    let stdout = String::from_utf8_lossy(&ran.stdout);
    let lines: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| lines.iter().filter(|line| line["type"] == kind).count();
    assert_eq!((of("session"), of("done")), (1, 1), "{stdout}");
    assert_eq!(lines[0]["type"], "session", "{stdout}");
    let done = lines.last().unwrap();
    assert_eq!(done["type"], "done", "{stdout}");
    assert_eq!(done["exit_code"], ran.status.code().unwrap(), "{stdout}");
    lines
}

/// How it ended, and why.
fn end(lines: &[Value]) -> (&str, u64, Option<&str>) {
    let done = lines.last().unwrap();
    let error = lines.iter().find(|line| line["type"] == "error");
    let kind = error.map(|error| error["kind"].as_str().unwrap());
    (done["reason"].as_str().unwrap(), done["exit_code"].as_u64().unwrap(), kind)
}

fn kinds(lines: &[Value]) -> Vec<&str> {
    lines.iter().map(|line| line["type"].as_str().unwrap()).filter(|kind| *kind != "usage").collect()
}

#[test]
fn events_are_json_lines() {
    let turns = r#"  - say: I look.
    call: { tool: Read, input: { file_path: a.txt } }
  - call: { tool: Bash, input: { command: "exit 1" } }
  - call: { tool: Write, input: { file_path: b.txt, content: x } }
  - say: Done.
"#;
    let chat = Chat::new(GUARD, turns);
    fs::write(chat.world.project().join("a.txt"), "hello\n").unwrap();
    let ran = chat.call(&["-p", "work, please", "--json"]).run();
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let mut lines: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    lines[0]["session"] = "SESSION".into();
    lines[0]["model"] = "MODEL".into();
    let is_figure = |line: &Value| line["type"] == "usage";
    assert_eq!(lines.iter().filter(|line| is_figure(line)).count(), 4);
    lines.retain(|line| !is_figure(line));
    let last = lines.last_mut().unwrap();
    assert!(last["usage"]["input_tokens"].as_u64().unwrap() > 0);
    last["usage"] = "USAGE".into();
    let text: Vec<String> = lines.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(text.join("\n"));
}

#[test]
fn stream_starts_with_session_and_ends_with_done() {
    let fails = "  - fails: { status: 400, message: no such model }\n";
    let done = "  - say: Done.\n";
    let nowhere = Path::new("/dev/null");
    for (turns, arguments, variable, expected) in [
        (done, &["-p", "work"][..], None, ("done", 0, None)),
        (done, &["-p", "the secret"], None, ("denied", 1, None)),
        (fails, &["-p", "work"], None, ("error", 1, Some("model"))),
        (done, &["-p", ""], None, ("error", 2, Some("usage"))),
        (done, &[], None, ("error", 2, Some("usage"))),
        (done, &["-p", "work", "--model", "nosuch"], None, ("error", 2, Some("usage"))),
        (done, &["-p", "work", "--resume", "nosuch"], None, ("error", 2, Some("usage"))),
        (done, &["-p", "work", "--mcp", "nosuch"], None, ("error", 2, Some("usage"))),
        (done, &["-p", "work"], Some("XDG_STATE_HOME"), ("error", 3, Some("internal"))),
    ] {
        let chat = Chat::new(GUARD, turns);
        let call = chat.call(&[arguments, &["--json"]].concat());
        let call = match variable {
            Some(variable) => call.env(variable, nowhere),
            None => call,
        };
        let lines = lines(&call.start().wait_with_output().unwrap());
        assert_eq!(end(&lines), expected, "{arguments:?}: {lines:?}");
        let error = lines.iter().find(|line| line["type"] == "error");
        let unbegun = error.is_some_and(|error| error["kind"] == "usage" || error["kind"] == "internal");
        assert_eq!(lines[0]["session"].is_null(), unbegun, "{arguments:?}");
        assert_eq!(error.is_some_and(|error| error["hint"].is_string()), unbegun, "{arguments:?}");
    }
}

#[test]
fn failed_tool_server_follows_the_session_line() {
    let chat = Chat::new("", "  - say: Done.\n");
    let file = chat.world.project().join("servers.json");
    fs::write(&file, r#"{"mcpServers": {"docs": {"command": "/no/such/server"}}}"#).unwrap();
    let call = chat.call(&["-p", "work", "--json", "--mcp", file.to_str().unwrap()]);
    let lines = lines(&call.start().wait_with_output().unwrap());
    assert_eq!(kinds(&lines), ["session", "message", "text", "done"]);
    assert!(lines[1]["text"].as_str().unwrap().starts_with("MCP server `docs`: "), "{lines:?}");
}

#[test]
fn withheld_result_has_a_line() {
    let hook = "  tool:post:\n    - { name: hush, matcher: Read, deny: \"Not for models\" }\n";
    let turns = r#"  - call: { tool: Read, input: { file_path: a.txt } }
  - expect: { lacks: ["hello"], contains: ["Not for models"] }
    say: Done.
"#;
    let chat = Chat::new(hook, turns);
    fs::write(chat.world.project().join("a.txt"), "hello\n").unwrap();
    let lines = lines(&chat.call(&["-p", "look", "--json"]).start().wait_with_output().unwrap());
    assert_eq!(kinds(&lines), ["session", "tool_call", "tool_result", "withheld", "text", "done"]);
    let withheld = lines.iter().find(|line| line["type"] == "withheld").unwrap();
    assert_eq!(withheld["id"], "toolu_0001_1");
    assert_eq!((&withheld["by"], &withheld["hook"]), (&"hook".into(), &"user/hush".into()));
}

/// A program that serves the approver of the hook file, and one without an approver until it is stopped.
#[test]
fn question_and_answer_have_lines() {
    let turns = r#"  - call: { tool: Bash, input: { command: "echo asked" } }
  - say: Done.
"#;
    let chat = Chat::new("approvals: { approver: watch }\n", turns);
    let asking = chat.call(&["-p", "run it", "--json"]).start();
    super::answer_elsewhere(&chat.world, "Allow once");
    let granted = lines(&asking.wait_with_output().unwrap());
    assert_eq!(
        kinds(&granted),
        ["session", "question", "answer", "tool_call", "tool_result", "text", "done"]
    );
    let question = &granted[granted.iter().position(|line| line["type"] == "question").unwrap()];
    assert_eq!(question["prompt"], "May I run `echo asked`?");
    assert_eq!(question["options"], serde_json::json!(["Allow once", "Allow always", "Deny"]));
    assert_eq!((&question["id"], &question["name"]), (&"toolu_0001_1".into(), &"Bash".into()));
    assert_eq!((&question["approver"], &question["default"]), (&"watch".into(), &"deny".into()));
    let answer = granted.iter().find(|line| line["type"] == "answer").unwrap();
    assert_eq!(answer["question"], question["question"]);
    assert_eq!((&answer["answer"], &answer["option"]), (&"granted".into(), &"Allow once".into()));

    let stopped = chat.call(&["-p", "run it", "--json"]).start();
    super::question_lies_there(&chat.world);
    send_signal(&stopped, Signal::TERM);
    let stopped = lines(&stopped.wait_with_output().unwrap());
    let answer = stopped.iter().find(|line| line["type"] == "answer").unwrap();
    assert_eq!(answer["answer"], "withdrawn");
    assert_eq!(end(&stopped), ("stopped", 1, None));
}

#[test]
fn terminated_program_writes_the_last_line() {
    let turns = "  - call: { tool: Bash, input: { command: \"touch begun; sleep 600\" } }\n  - say: Done.\n";
    for signal in [Signal::INT, Signal::TERM, Signal::HUP, Signal::QUIT] {
        let chat = Chat::new("", turns);
        let working: Child = chat.call(&["-p", "wait", "--allow", "all", "--json"]).start();
        until("the command has begun", || chat.world.project().join("begun").exists());
        send_signal(&working, signal);
        let lines = lines(&working.wait_with_output().unwrap());
        assert_eq!(end(&lines), ("stopped", 1, None), "{signal:?}");
        assert!(lines[0]["session"].is_string(), "{signal:?}");
    }
}

/// The prompt is still being piped in.
#[test]
fn early_termination_writes_both_lines() {
    let chat = Chat::new("", "  - say: Never said.\n");
    let mut command = chat.call(&["-p", "wait", "--json"]).command();
    let piped = command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let reading = piped.stderr(std::process::Stdio::piped()).spawn().unwrap();
    let heeds = || {
        let status = fs::read_to_string(format!("/proc/{}/status", reading.id())).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:\t"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
        caught & (1 << (Signal::TERM.as_raw() - 1)) != 0
    };
    until("it handles signals", heeds);
    send_signal(&reading, Signal::TERM);
    let lines = lines(&reading.wait_with_output().unwrap());
    assert_eq!((kinds(&lines), end(&lines)), (vec!["session", "done"], ("stopped", 1, None)));
}
