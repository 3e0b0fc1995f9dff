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

#[test]
fn one_key_answers_and_a_question_cannot_forge_the_screen() {
    let world = World::with_hooks(HOOKS);
    let end = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&end).unwrap();
    unlockpt(&end).unwrap();
    let path = ptsname(&end, Vec::new()).unwrap().into_string().unwrap();
    let side = || Stdio::from(std::fs::File::options().read(true).write(true).open(&path).unwrap());
    let mut command = world.tenter(&["approvals", "watch"]).command();
    let mut watcher = command.stdin(side()).stdout(side()).stderr(side()).spawn().unwrap();
    drop(command);
    let mut terminal = Terminal { end: std::fs::File::from(end), seen: String::new() };
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
