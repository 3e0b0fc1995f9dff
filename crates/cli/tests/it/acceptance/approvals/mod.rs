//! Questions to a person: one question about the final input, no answer lost or given to another question, no grant
//! from a process that was killed.

mod answers;
mod delegated_questions;
mod killed_processes;
mod late_answers;
mod observers;
mod required_approval;
mod watch_terminal;
mod saved_grants;
mod typed_input;
mod watch_endings;

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::records;
use crate::world::World;

/// `tenter approvals watch --json`, controlled as a program does it.
struct Watcher {
    process: Child,
    stdout: BufReader<ChildStdout>,
    stdin: ChildStdin,
}

impl Watcher {
    fn start(world: &World) -> Self {
        let mut command = world.tenter(&["approvals", "watch", "--json"]).command();
        let mut process = command.spawn().unwrap();
        let stdout = BufReader::new(process.stdout.take().unwrap());
        let stdin = process.stdin.take().unwrap();
        let mut watcher = Self { process, stdout, stdin };
        assert_eq!(watcher.next()["type"], "watching");
        watcher
    }

    fn next(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// The next line of this kind.
    fn next_of_kind(&mut self, kind: &str) -> Value {
        loop {
            let line = self.next();
            if line["type"] == kind {
                return line;
            }
        }
    }

    fn question(&mut self) -> Value {
        self.next_of_kind("question")["question"].clone()
    }

    fn answer(&mut self, id: &Value, option: &str) {
        writeln!(self.stdin, "{} {option}", id.as_str().unwrap()).unwrap();
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        drop(self.process.kill());
        drop(self.process.wait());
    }
}

/// A call about to run.
fn call(id: &str, command: &str) -> String {
    event("PreToolUse", id, command)
}

fn event(name: &str, id: &str, command: &str) -> String {
    json!({
        "session_id": "s1", "hook_event_name": name, "cwd": "/", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_use_id": id,
    })
    .to_string()
}

/// The records of approvals, on a line each.
fn approvals(world: &World) -> Vec<String> {
    let all = records::read(world);
    let approval_records =
        all.iter().filter(|record| record["event"].as_str().unwrap().starts_with("approval:"));
    approval_records.map(records::line).collect()
}

/// The output of `tenter approvals list`.
fn list(world: &World) -> Value {
    world.tenter(&["approvals", "list", "--json"]).run().answer()
}

/// Waits for a question.
fn wait_for_question(world: &World) -> Value {
    let until = Instant::now() + Duration::from_secs(20);
    loop {
        let listed = list(world);
        if let Some(question) = listed["questions"].as_array().unwrap().first() {
            return question.clone();
        }
        assert!(Instant::now() < until, "no question: {listed}");
    }
}
