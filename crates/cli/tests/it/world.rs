//! A machine of its own for each test: home, hook files, state and a project in one temporary folder.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The temporary folder; removed when this is dropped.
pub(crate) struct World {
    folder: TempDir,
}

impl World {
    /// A machine without any setup.
    pub(crate) fn new() -> Self {
        let world = Self { folder: TempDir::with_prefix("tenter-test-").unwrap() };
        for folder in [world.project(), world.home(), world.config(), world.state()] {
            fs::create_dir_all(folder).unwrap();
        }
        world
    }

    /// A machine with this hook file, in YAML.
    pub(crate) fn with_hooks(yaml: &str) -> Self {
        let world = Self::new();
        world.write_hooks("yaml", yaml);
        world
    }

    /// Sets up the user's hook file, as a person does while no agent works.
    pub(crate) fn write_hooks(&self, extension: &str, text: &str) {
        self.end_agents();
        let folder = self.config().join("tenter");
        fs::create_dir_all(&folder).unwrap();
        let file = folder.join(format!("hooks.{extension}"));
        fs::write(&file, text).unwrap();
        // Only old files are cached in compiled form, so test files get an old modification time, like users' files.
        // The first call reads the file; later calls use the compiled hooks.
        let earlier = std::time::SystemTime::now() - Duration::from_hours(1);
        fs::File::options().write(true).open(&file).unwrap().set_modified(earlier).unwrap();
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.folder.path().join("config")
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// Claude Code's settings of the user.
    pub(crate) fn settings(&self) -> PathBuf {
        self.home().join(".claude/settings.json")
    }

    /// Sets up Claude Code's settings of the user.
    pub(crate) fn write_settings(&self, text: &str) {
        fs::create_dir_all(self.settings().parent().unwrap()).unwrap();
        fs::write(self.settings(), text).unwrap();
    }

    /// The file of the audit trail.
    pub(crate) fn trail(&self) -> PathBuf {
        self.state().join("tenter/audit/trail.jsonl")
    }

    /// `tenter` on this machine, in the project, as a person or an agent would start it. The test has played the agent
    /// before and plays the person now, so no agent is registered when it begins.
    pub(crate) fn tenter(&self, arguments: &[&str]) -> Call {
        if arguments.first() != Some(&"hook") {
            self.end_agents();
        }
        self.tenter_while_agents_run(arguments)
    }

    /// Lets every agent end, as far as tenter knows.
    pub(crate) fn end_agents(&self) {
        for file in fs::read_dir(self.state().join("tenter/agents")).into_iter().flatten().flatten() {
            let path = file.path();
            if path.extension().is_some() {
                let _ = fs::remove_file(path);
            } else if let Ok(mut entry) =
                serde_json::from_slice::<serde_json::Value>(&fs::read(&path).unwrap())
            {
                entry["process"]["id"] = 0.into();
                fs::write(path, entry.to_string()).unwrap();
            }
        }
    }

    /// The same while agents run: the test is their process, and an ancestor of this command.
    pub(crate) fn tenter_while_agents_run(&self, arguments: &[&str]) -> Call {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tenter"));
        command.args(arguments);
        self.settle(&mut command);
        Call { command, stdin: Vec::new() }
    }

    /// `tenter-hook <agent>`, with this payload and the variables that this agent sets for its hooks.
    pub(crate) fn hook(&self, agent: &str, payload: &str) -> Call {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tenter-hook"));
        command.arg(agent);
        self.settle(&mut command);
        let call = Call { command, stdin: payload.as_bytes().to_vec() };
        match agent {
            "gemini" => call.env("GEMINI_PROJECT_DIR", self.project()).env("GEMINI_CWD", self.project()),
            "qwen" => call.env("QWEN_PROJECT_DIR", self.project()),
            _ => call,
        }
    }

    /// `tenter-hook claude`, with this payload.
    pub(crate) fn claude(&self, payload: &str) -> Call {
        self.hook("claude", payload)
    }

    /// Another program on this machine, run to its end.
    pub(crate) fn run(&self, program: &Path, arguments: &[&str]) -> Ran {
        self.program(program, arguments).run()
    }

    /// Another program on this machine, about to be run.
    pub(crate) fn program(&self, program: &Path, arguments: &[&str]) -> Call {
        let mut command = Command::new(program);
        command.args(arguments);
        self.settle(&mut command);
        Call { command, stdin: Vec::new() }
    }

    /// Runs a line of shell as an agent does, with a payload.
    pub(crate) fn sh_with(&self, script: &str, payload: &str) -> Ran {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]);
        self.settle(&mut command);
        Call { command, stdin: payload.as_bytes().to_vec() }.run()
    }

    /// Runs a line of shell in the project.
    pub(crate) fn sh(&self, script: &str) -> Ran {
        let mut command = Command::new("/bin/sh");
        command.args(["-eu", "-c", script]);
        self.settle(&mut command);
        Call { command, stdin: Vec::new() }.run()
    }

    fn settle(&self, command: &mut Command) {
        command
            .current_dir(self.project())
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("LC_ALL", "C")
            .env("HOME", self.home())
            .env("XDG_CONFIG_HOME", self.config())
            .env("XDG_STATE_HOME", self.state())
            .env("CLAUDE_PROJECT_DIR", self.project());
    }
}

/// A program about to be run.
pub(crate) struct Call {
    command: Command,
    stdin: Vec<u8>,
}

impl Call {
    pub(crate) fn stdin(mut self, bytes: impl AsRef<[u8]>) -> Self {
        self.stdin = bytes.as_ref().to_vec();
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<Path>) -> Self {
        self.command.env(name, value.as_ref());
        self
    }

    /// Runs on a machine whose account has this home, so that tests do not touch the real home. Needs a mount
    /// namespace; `None`, with a message, if the platform does not permit it.
    pub(crate) fn with_account(self, home: &Path) -> Option<Self> {
        let passwd = home.with_file_name("passwd");
        let uid = rustix::process::geteuid().as_raw();
        let lines = [0, uid].map(|uid| format!("me:x:{uid}:0::{}:/bin/sh\n", home.display()));
        fs::write(&passwd, lines.concat()).unwrap();
        let line = "mount --bind \"$0\" /etc/passwd && exec \"$@\"";
        let ways = [&["--mount"][..], &["--map-root-user", "--mount"]];
        let works = |way: &&&[&str]| {
            let mut command = Command::new("unshare");
            let ran = command.args(**way).args(["sh", "-c", line]).arg(&passwd).arg("true").output();
            ran.is_ok_and(|ran| ran.status.success())
        };
        let Some(way) = ways.iter().find(works) else {
            skipped("no file system of one's own can be had here, in which an account has another home");
            return None;
        };
        let mut command = Command::new("unshare");
        command.args(*way).args(["sh", "-c", line]).arg(&passwd);
        command.arg(self.command.get_program()).args(self.command.get_args()).env_clear();
        command.envs(self.command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        if let Some(folder) = self.command.get_current_dir() {
            command.current_dir(folder);
        }
        Some(Self { command, stdin: self.stdin })
    }

    /// In this folder.
    pub(crate) fn folder(mut self, folder: &Path) -> Self {
        self.command.current_dir(folder);
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// The command itself, with pipes, for tests that interact with it.
    pub(crate) fn command(mut self) -> Command {
        self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        self.command
    }

    /// Starts it for tests that act while it runs. It has read its stdin, or has room for it.
    pub(crate) fn start(mut self) -> Child {
        let piped = self.command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        // A program may close its stdin unread.
        match child.stdin.take().unwrap().write_all(&self.stdin) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => panic!("stdin: {error}"),
            Ok(()) | Err(_) => {}
        }
        child
    }

    /// Runs it to its end.
    pub(crate) fn run(self) -> Ran {
        let started = Instant::now();
        let output = self.start().wait_with_output().unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
            took: started.elapsed(),
        }
    }
}

/// The result of a finished program.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The exit code; none if it was killed.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) took: Duration,
}

impl Ran {
    /// The reply as JSON. It must be one document, all of stdout, with exit code 0.
    pub(crate) fn answer(&self) -> serde_json::Value {
        assert_eq!(self.code, Some(0), "{self:?}");
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// A text in the reply at this JSON pointer; empty if it is missing.
    pub(crate) fn field(&self, pointer: &str) -> String {
        let answer = self.answer();
        answer.pointer(pointer).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
    }
}

/// Prints that a test was skipped and why, so that it does not count as passed.
#[expect(clippy::print_stderr, reason = "a test that was skipped in silence is worse than none")]
pub(crate) fn skipped(why: &str) {
    eprintln!("skipped: {why}");
}

/// A call of `Bash`, about to run, as Claude Code sends it.
pub(crate) fn bash(command: &str) -> String {
    serde_json::json!({
        "session_id": "s1", "hook_event_name": "PreToolUse", "cwd": "/", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_use_id": "toolu_1",
    })
    .to_string()
}

/// An event of Claude Code that is no tool call, in the session of [`bash`].
pub(crate) fn event(kind: &str) -> String {
    serde_json::json!({"session_id": "s1", "hook_event_name": kind, "cwd": "/", "prompt": "go"}).to_string()
}

/// The end of a call of `Bash`.
pub(crate) fn after(command: &str) -> String {
    serde_json::json!({
        "session_id": "s1", "hook_event_name": "PostToolUse", "cwd": "/", "tool_name": "Bash",
        "tool_input": {"command": command}, "tool_response": {"stdout": ""}, "tool_use_id": "toolu_1",
    })
    .to_string()
}

/// The JSON pointer to the reason of a denied tool call.
pub(crate) const REASON: &str = "/hookSpecificOutput/permissionDecisionReason";
/// The JSON pointer to text for the user.
pub(crate) const MESSAGE: &str = "/systemMessage";
