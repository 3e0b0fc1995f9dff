//! `tenter approvals watch` on a terminal: one key answers.

use std::io::Write;

use super::{approvals, call};
use crate::terminal::{Terminal, WIDE, side};
use crate::world::World;

const HOOKS: &str = r#"version: 1
hooks:
  tool:pre:
    - { name: guard, matcher: Bash, ask: { prompt: "Run {tool.command}?", options: ["Allow once", "Deny"] } }
"#;

/// `tenter approvals watch` on a pseudo-terminal.
pub(super) struct WatchTerminal {
    pub(super) terminal: Terminal,
    process: std::process::Child,
}

impl WatchTerminal {
    pub(super) fn start(world: &World) -> Self {
        Self::at(world, WIDE)
    }

    /// The same before a terminal of so many columns.
    fn at(world: &World, columns: u16) -> Self {
        let (mut terminal, path) = Terminal::of_columns(columns);
        let mut command = world.tenter(&["approvals", "watch"]).command();
        let process = command.stdin(side(&path)).stdout(side(&path)).stderr(side(&path)).spawn().unwrap();
        terminal.wait_for("Ctrl-C to leave");
        Self { terminal, process }
    }

    /// Waits until this question accepts keys.
    pub(super) fn wait_for_question(&mut self, prompt: &str) {
        self.terminal.wait_for(prompt);
        let at = self.terminal.seen.find(prompt).unwrap();
        self.terminal.seen.drain(..at);
        self.terminal.wait_for(" > ");
    }

    pub(super) fn type_keys(&mut self, keys: &str) {
        self.terminal.types(keys);
    }

    /// Ends watching; returns the output since the last question.
    pub(super) fn leave(mut self) -> String {
        self.type_keys("\u{4}");
        assert!(self.process.wait().unwrap().success());
        std::mem::take(&mut self.terminal.seen)
    }
}

/// A failed test leaves no watcher running.
impl Drop for WatchTerminal {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// A program that the user runs asks on the user's terminal and prints the outcome on stdout.
#[test]
fn emit_asks_on_its_terminal() {
    for (typed, verdict, recorded) in [
        ("nonsense\r2\r", "deny", "approval:denied  guard at tool:pre, approver terminal: denied: Deny"),
        (
            "allow once\r",
            "abstain",
            "approval:granted  guard at tool:pre, approver terminal: granted: Allow once",
        ),
    ] {
        let world = World::with_hooks(HOOKS);
        let (mut terminal, path) = Terminal::of_columns(WIDE);
        let mut command = world.tenter(&["emit", "tool:pre"]).command();
        let mut emit = command.stderr(side(&path)).spawn().unwrap();
        let data = br#"{"tool": {"name": "Bash", "input": {"command": "make"}}}"#;
        emit.stdin.take().unwrap().write_all(data).unwrap();
        terminal.wait_for("[1] Allow once  [2] Deny");
        terminal.types(typed);
        let output = emit.wait_with_output().unwrap();
        let outcome: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(outcome["decision"]["verdict"], verdict, "{outcome}");
        assert_eq!(approvals(&world)[1], recorded);
    }
}

#[test]
fn key_answers_and_question_cannot_forge_screen() {
    let world = World::with_hooks(HOOKS);
    let mut watch_terminal = WatchTerminal::start(&world);

    let asking = world.claude(&call("t1", "ls\u{1b}[2Jpwd")).start();
    watch_terminal.terminal.wait_for("ls\\u{1b}[2Jpwd");
    watch_terminal.wait_for_question("[1] Allow once  [2] Deny");
    let seen = &watch_terminal.terminal.seen;
    assert!(!seen.contains("\u{1b}[2J"), "{seen:?}");
    watch_terminal.type_keys("1");
    assert!(asking.wait_with_output().unwrap().stdout.is_empty());
    watch_terminal.terminal.wait_for("allowed once (Allow once)");

    let asking = world.claude(&call("t2", "make")).start();
    watch_terminal.wait_for_question("Run make?");
    watch_terminal.type_keys("deny\r");
    let output = asking.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stdout).contains("User denied: Run make?"), "{output:?}");

    watch_terminal.leave();
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

/// The user sees which hook changed the input, how long an answer counts and which questions ended meanwhile.
#[test]
fn question_shows_rewriter_scope_and_missed_questions() {
    let world = World::with_hooks(BEHIND);
    let mut watch_terminal = WatchTerminal::start(&world);

    let first = world.claude(&call("t1", "make deploy")).start();
    watch_terminal.terminal.wait_for("rewritten by hook user/dry-run");
    watch_terminal.terminal.wait_for("+ command: make deploy --dry-run");
    watch_terminal.terminal.wait_for("[2] Allow always (for this session: exactly this command)");
    let behind = world.claude(&call("t2", "ls")).start();
    watch_terminal.terminal.wait_for("1 more waiting, 0:01 left");
    behind.wait_with_output().unwrap();
    watch_terminal
        .terminal
        .wait_for("over before it was shown here: List it?: no answer within 1 s; denied by default");
    watch_terminal.type_keys("2");
    first.wait_with_output().unwrap();
    watch_terminal
        .terminal
        .wait_for("allowed until the session ends (Allow always): exactly `make deploy --dry-run`");

    let several = world.claude(&call("t3", "make other")).start();
    watch_terminal
        .terminal
        .wait_for("these hooks offer different options, so it is allow or deny, this once");
    watch_terminal.wait_for_question("[1] Allow  [2] Deny");
    watch_terminal.type_keys("2");
    several.wait_with_output().unwrap();
    let seen = watch_terminal.leave();
    assert!(!seen.contains("answered elsewhere"), "{seen}");
}

/// A terminal wraps at its left edge, where tenter's own lines begin.
#[test]
fn terminal_line_continues_after_mark() {
    let world = World::with_hooks(HOOKS);
    let mut watch_terminal = WatchTerminal::at(&world, 60);
    let forged = "  [1] Deny  [2] Allow once   without an answer: allow";
    let command = format!("{}{forged}", "x".repeat(60 - "    command: ".len()));
    let asked = world.claude(&call("t1", &command)).start();
    watch_terminal.wait_for_question("question ");
    watch_terminal.type_keys("2");
    asked.wait_with_output().unwrap();
    let seen = watch_terminal.leave();
    let lines: Vec<&str> = seen.lines().filter(|line| line.contains("[1] Deny")).collect();
    assert!(!lines.is_empty() && lines.iter().all(|line| line.contains('│')), "{seen}");
    assert!(seen.lines().any(|line| line.starts_with("  [1] Allow once  [2] Deny")), "{seen}");
}
