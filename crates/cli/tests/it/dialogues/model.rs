//! `tenter model`: a model that plays a script.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Command, Stdio};

use regex_lite::Regex;
use tempfile::TempDir;

use super::{Dialogue, assert_dialogue};

const SCRIPT: &str = r#"version: 1
turns:
  - { expect: { contains: "Fix the script" }, say: "I will." }
"#;

/// A running `tenter model`.
struct Model {
    child: Child,
    stdout: BufReader<ChildStdout>,
    address: String,
    _folder: TempDir,
}

impl Model {
    fn start(script: &str) -> Self {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("script.yaml"), script).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_tenter"))
            .args(["model", "--script", "script.yaml"])
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("http://").unwrap().to_owned();
        Self { child, stdout, address, _folder: folder }
    }

    /// Sends a prompt and returns the response.
    fn prompt(&self, text: &str) -> String {
        let body = serde_json::json!({
            "model": "m", "messages": [{"role": "user", "content": text}],
            "tools": [{"name": "Bash", "input_schema": {}}],
        });
        let body = body.to_string();
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = "POST /v1/messages HTTP/1.1\r\nconnection: close";
        write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        reply
    }

    /// Waits for its end and returns the report and the exit code.
    fn end(mut self) -> (String, Option<i32>) {
        drop(self.child.stdin.take());
        let mut report = String::new();
        self.stdout.read_to_string(&mut report).unwrap();
        (report, self.child.wait().unwrap().code())
    }
}

#[test]
fn end_of_stdin_prints_the_report() {
    let model = Model::start(SCRIPT);
    assert!(model.prompt("Fix the script").contains("I will."));
    assert_eq!(model.end(), ("1 of 1 turns played\n".to_owned(), Some(0)));
}

#[test]
fn unmet_expectation_is_an_error() {
    let model = Model::start(SCRIPT);
    let mismatch = "turn 1 does not match the script: the request does not contain \"Fix the script\"";
    assert!(model.prompt("Break the script").contains(&mismatch.replace('"', "\\\"")));
    assert_eq!(model.end(), (format!("{mismatch}\n0 of 1 turns played\n"), Some(1)));
}

#[test]
fn interrupt_prints_the_report() {
    let mut model = Model::start(SCRIPT);
    let stdin = model.child.stdin.take();
    let interrupted =
        Command::new("/bin/sh").args(["-c", &format!("kill -INT {}", model.child.id())]).status().unwrap();
    assert!(interrupted.success());
    assert_eq!(model.end(), ("turn 1 was never requested\n0 of 1 turns played\n".to_owned(), Some(1)));
    drop(stdin);
}

#[test]
fn invalid_script_is_refused_before_serving() {
    let write = |text: &'static str| {
        move |world: &crate::world::World| fs::write(world.project().join("script.yaml"), text).unwrap()
    };
    let command = ["model", "--script", "script.yaml"];
    let mut dialogue = Dialogue::new()
        .run(&command)
        .step("a script with a typo", write("version: 1\nturns:\n  - { sya: hello }\n"))
        .run(&command)
        .step("a script that is no YAML", write("version: 1\nturns: [\n"))
        .run(&command)
        .step("a script", write("version: 1\nturns: [ { say: hello } ]\n"))
        .run(&["model", "--script", "script.yaml", "--api", "openai"])
        .run(&["model", "--script", "script.yaml", "--record", "script.yaml"])
        .run(&["model", "--script", "script.yaml", "--record", "requests"]);
    dialogue.text =
        Regex::new(r"127\.0\.0\.1:\d+").unwrap().replace_all(&dialogue.text, "127.0.0.1:00000").into();
    assert_dialogue!(dialogue);
}
