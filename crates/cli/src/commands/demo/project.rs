//! The demo's project: a git repository, a hook file and a state folder in one temporary folder.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;
use tenter_store::StateFolder;

use crate::commands::demo::story::ANSWER;
use crate::error::CliError;

const HOOKS: &str = include_str!("hooks/hooks.yaml");
const LINT: &str = include_str!("hooks/lint.sh");
const SAFE_PUSH: &str = include_str!("hooks/safe-push.sh");
const SCRIPT: &str = include_str!("hooks/script.yaml");

/// The time limit for the next event.
const PATIENCE: Duration = Duration::from_mins(1);

pub(crate) struct Project {
    folder: TempDir,
}

impl Project {
    pub(crate) fn create() -> Result<Self, CliError> {
        let project = Self { folder: temporary()? };
        project.write("project/README.md", "# A small project\n")?;
        project.write("project/src/app.py", "print(\"hello\")\n")?;
        project.write("config/tenter/lint.sh", LINT)?;
        project.write("config/tenter/safe-push.sh", SAFE_PUSH)?;
        let hooks = project.folder.path().join("config/tenter");
        project.write("config/tenter/hooks.yaml", &HOOKS.replace("{{HOOKS}}", &hooks.to_string_lossy()))?;
        project.write("script.yaml", SCRIPT)?;
        project.git(&["init", "--quiet", "--initial-branch=main"])?;
        project.commit("README.md", "Begin")?;
        // A commit to publish, and a remote.
        project.git(&["clone", "--quiet", "--bare", ".", "../origin"])?;
        project.git(&["remote", "add", "origin", "../origin"])?;
        project.commit("src/app.py", "Say hello")?;
        project.write("project/notes.txt", "Ask about db-2.\n")?;
        Ok(project)
    }

    /// Runs `tenter chat`, and `tenter approvals watch` to deny every question. Passes on each line of both.
    pub(crate) fn work(&self, prompt: &str, mut on_line: impl FnMut(Value)) -> Result<(), CliError> {
        let mut watch = self.start(&["approvals", "watch", "--json"])?;
        let (lines, received) = mpsc::channel();
        let mut answers = watch.stdin.take();
        let questions = lines_of(watch.stdout.take(), lines.clone());
        // Without an approver, a question would not be asked.
        let watching = received.recv_timeout(PATIENCE);
        let script = self.folder.path().join("script.yaml");
        let model = format!("scripted:{}", script.display());
        let chat = ["chat", "--model", &model, "--allow", "all", "--json", "-p", prompt];
        let mut chat = self.start(&chat)?;
        drop(chat.stdin.take());
        let events = lines_of(chat.stdout.take(), lines);
        if watching.is_ok() {
            while let Ok(line) = received.recv_timeout(PATIENCE) {
                let done = line["type"] == "done";
                if let (Some(id), Some(answers)) = (line["question"]["id"].as_str(), answers.as_mut()) {
                    let _ = writeln!(answers, "{id} {ANSWER}");
                }
                on_line(line);
                if done {
                    break;
                }
            }
        }
        // The approver ends with its stdin.
        drop(answers);
        for mut child in [chat, watch] {
            let _ = child.wait();
        }
        let _ = (questions.join(), events.join());
        Ok(())
    }

    pub(crate) fn tenter(&self, arguments: &[&str]) -> Result<String, CliError> {
        let child = self.start(arguments)?;
        let what = format!("`tenter {}`", arguments.join(" "));
        let output = child.wait_with_output().map_err(|error| failed(&what, &error))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(CliError::demo_failed(format!("{what} failed: {}", String::from_utf8_lossy(&output.stdout))))
    }

    fn start(&self, arguments: &[&str]) -> Result<Child, CliError> {
        let tenter = std::env::current_exe().map_err(|error| failed("the path of tenter", &error))?;
        Command::new(tenter)
            .args(arguments)
            .current_dir(self.root())
            .env("HOME", self.folder.path())
            .env("XDG_CONFIG_HOME", self.folder.path().join("config"))
            .env("XDG_STATE_HOME", self.folder.path().join("state"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .env_remove("TENTER_MODEL")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed("starting tenter", &error))
    }

    pub(crate) fn state(&self) -> StateFolder {
        StateFolder::new(self.folder.path().join("state/tenter"))
    }

    /// Keeps the folder and returns its path.
    pub(crate) fn keep(&mut self) -> &Path {
        self.folder.disable_cleanup(true);
        self.folder.path()
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn write(&self, name: &str, content: &str) -> Result<(), CliError> {
        let path = self.folder.path().join(name);
        let folder = path.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(&path, content))
            .map_err(|error| failed(name, &error))
    }

    fn commit(&self, file: &str, message: &str) -> Result<(), CliError> {
        self.git(&["add", file])?;
        let who = ["-c", "user.name=demo", "-c", "user.email=demo@localhost"];
        self.git(&[&who[..], &["commit", "--quiet", "--message", message]].concat())
    }

    fn git(&self, arguments: &[&str]) -> Result<(), CliError> {
        let ran = Command::new("git")
            .args(arguments)
            .current_dir(self.root())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .output()
            .map_err(|error| failed("git (is it installed?)", &error))?;
        if ran.status.success() {
            return Ok(());
        }
        let stderr = String::from_utf8_lossy(&ran.stderr);
        Err(CliError::demo_failed(format!("git {}: {stderr}", arguments.join(" "))))
    }
}

/// A copy of a trail with one changed letter in the denied call.
pub(crate) fn with_one_byte_changed(state: &StateFolder) -> Result<TempDir, CliError> {
    let folder = temporary()?;
    let (from, to) = (state.path().join("audit"), folder.path().join("audit"));
    let copied = fs::create_dir_all(&to)
        .and_then(|()| fs::copy(from.join("head"), to.join("head")))
        .and_then(|_| fs::copy(from.join("key"), to.join("key")))
        .and_then(|_| fs::read_to_string(from.join("trail.jsonl")))
        .and_then(|trail| {
            fs::write(to.join("trail.jsonl"), trail.replacen("database.yaml", "databose.yaml", 1))
        });
    copied.map_err(|error| failed("a copy of the trail", &error))?;
    Ok(folder)
}

fn temporary() -> Result<TempDir, CliError> {
    TempDir::with_prefix("tenter-demo-").map_err(|error| failed("a temporary folder", &error))
}

fn lines_of(from: Option<impl Read + Send + 'static>, to: Sender<Value>) -> JoinHandle<()> {
    thread::spawn(move || {
        for line in from.map(BufReader::new).into_iter().flat_map(BufRead::lines).map_while(Result::ok) {
            if let Ok(value) = serde_json::from_str(&line)
                && to.send(value).is_err()
            {
                return;
            }
        }
    })
}

fn failed(what: &str, error: &std::io::Error) -> CliError {
    CliError::demo_failed(format!("{what}: {error}"))
}
