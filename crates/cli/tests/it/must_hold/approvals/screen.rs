//! `tenter approvals watch` on a terminal: one key answers.

use std::io::{Read, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::{approvals, call};
use crate::world::World;

const HOOKS: &str = r#"version: 1
hooks:
  tool:pre:
    - { name: guard, matcher: Bash, ask: { prompt: "Run {tool.command}?", options: ["Allow once", "Deny"] } }
"#;

/// A terminal, and everything that was written to it.
struct Terminal {
    end: std::fs::File,
    seen: String,
}

impl Terminal {
    /// Reads until this stands there.
    fn wait_for(&mut self, text: &str) {
        let until = Instant::now() + Duration::from_secs(20);
        while !self.seen.contains(text) {
            assert!(Instant::now() < until, "`{text}` never came: {}", self.seen);
            let mut piece = [0; 4096];
            let count = self.end.read(&mut piece).unwrap_or(0);
            self.seen.push_str(&String::from_utf8_lossy(&piece[..count]));
        }
    }
}

impl Terminal {
    /// A new one, and the path by which programs are given it.
    fn open() -> (Self, String) {
        let end = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&end).unwrap();
        unlockpt(&end).unwrap();
        let path = ptsname(&end, Vec::new()).unwrap().into_string().unwrap();
        (Self { end: std::fs::File::from(end), seen: String::new() }, path)
    }
}

fn side(path: &str) -> Stdio {
    Stdio::from(std::fs::File::options().read(true).write(true).open(path).unwrap())
}

/// A program that people run themselves asks on their terminal, and says what came of it on stdout.
#[test]
fn emit_asks_on_the_terminal_it_runs_in() {
    for (typed, verdict, recorded) in [
        ("nonsense\r2\r", "deny", "approval:denied  guard at tool:pre, desk terminal: denied: Deny"),
        (
            "allow once\r",
            "abstain",
            "approval:granted  guard at tool:pre, desk terminal: granted: Allow once",
        ),
    ] {
        let world = World::with_hooks(HOOKS);
        let (mut terminal, path) = Terminal::open();
        let mut command = world.tenter(&["emit", "tool:pre"]).command();
        let mut emit = command.stderr(side(&path)).spawn().unwrap();
        let data = br#"{"tool": {"name": "Bash", "input": {"command": "make"}}}"#;
        emit.stdin.take().unwrap().write_all(data).unwrap();
        terminal.wait_for("[1] Allow once  [2] Deny");
        terminal.end.write_all(typed.as_bytes()).unwrap();
        let output = emit.wait_with_output().unwrap();
        let outcome: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(outcome["decision"]["verdict"], verdict, "{outcome}");
        assert_eq!(approvals(&world)[1], recorded);
    }
}

#[test]
fn one_key_answers_and_a_question_cannot_forge_the_screen() {
    let world = World::with_hooks(HOOKS);
    let (mut terminal, path) = Terminal::open();
    let mut command = world.tenter(&["approvals", "watch"]).command();
    let mut watcher = command.stdin(side(&path)).stdout(side(&path)).stderr(side(&path)).spawn().unwrap();
    drop(command);
    terminal.wait_for("Ctrl-C to leave");

    let asking = world.claude(&call("t1", "ls\u{1b}[2Jpwd")).start();
    terminal.wait_for("[1] Allow once  [2] Deny");
    terminal.wait_for("left");
    assert!(!terminal.seen.contains("\u{1b}[2J"), "{:?}", terminal.seen);
    assert!(terminal.seen.contains("ls\\u{1b}[2Jpwd"), "{:?}", terminal.seen);
    terminal.end.write_all(b"1").unwrap();
    assert!(asking.wait_with_output().unwrap().stdout.is_empty());
    terminal.wait_for("allowed once (Allow once)");

    let asking = world.claude(&call("t2", "make")).start();
    terminal.wait_for("Run make?");
    terminal.end.write_all(b"deny\r").unwrap();
    let output = asking.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("User denied: Run make?"), "{output:?}");

    terminal.end.write_all(b"\x04").unwrap();
    assert!(watcher.wait().unwrap().success());
    assert_eq!(approvals(&world).len(), 4);
}

const BEHIND: &str = r#"version: 1
hooks:
  tool:pre:
    - { name: dry-run, matcher: Bash, when: { command: "make deploy" }, priority: 1, command: "echo '{\"modify\": {\"tool_input\": {\"command\": \"make deploy --dry-run\"}}}'" }
    - { name: guard, matcher: Bash, when: { command: "make*" }, ask: { prompt: "Run it?", options: ["Allow once", "Allow always", "Deny"] } }
    - { name: second, matcher: Bash, when: { command: "make other" }, ask: { prompt: "Other, too?", options: ["Yes", "No"] } }
    - { name: hasty, matcher: Bash, when: { command: "ls*" }, ask: { prompt: "List it?", timeout: 1 } }
"#;

/// The person sees who has changed what, how long an answer counts, and what was decided without them.
#[test]
fn a_question_says_who_changed_it_what_lasts_and_what_ended_behind_it() {
    let world = World::with_hooks(BEHIND);
    let (mut terminal, path) = Terminal::open();
    let mut command = world.tenter(&["approvals", "watch"]).command();
    let mut watcher = command.stdin(side(&path)).stdout(side(&path)).stderr(side(&path)).spawn().unwrap();
    drop(command);
    terminal.wait_for("Ctrl-C to leave");

    let first = world.claude(&call("t1", "make deploy")).start();
    terminal.wait_for("rewritten by hook user/dry-run");
    terminal.wait_for("+ command: make deploy --dry-run");
    terminal.wait_for("[2] Allow always (for this session: exactly this command)");
    let behind = world.claude(&call("t2", "ls")).start();
    terminal.wait_for("1 more waiting, one of them 0:01 left");
    behind.wait_with_output().unwrap();
    terminal
        .wait_for("over before it was shown here: List it?: nobody answered within 1 s; denied by default");
    terminal.end.write_all(b"2").unwrap();
    first.wait_with_output().unwrap();
    terminal.wait_for("allowed until the session ends (Allow always): exactly `make deploy --dry-run`");

    let several = world.claude(&call("t3", "make other")).start();
    terminal.wait_for("these hooks offer different options, so it is allow or deny, this once");
    terminal.wait_for("[1] Allow  [2] Deny");
    terminal.end.write_all(b"2").unwrap();
    several.wait_with_output().unwrap();
    terminal.end.write_all(b"\x04").unwrap();
    assert!(watcher.wait().unwrap().success());
    assert!(!terminal.seen.contains("answered elsewhere"), "{}", terminal.seen);
}
