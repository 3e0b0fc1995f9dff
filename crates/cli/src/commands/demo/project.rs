//! The demo's world: a project under git, a hook file, a place for state, all in one temporary folder.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use tenter_contract::Answer;
use tenter_store::StateFolder;

use super::conversation::Scene;
use crate::error::CliError;

const HOOKS: &str = include_str!("hooks/hooks.yaml");
const LINT: &str = include_str!("hooks/lint.sh");
const SAFE_PUSH: &str = include_str!("hooks/safe-push.sh");

/// The temporary folder; removed when this is dropped.
pub(super) struct Project {
    folder: TempDir,
}

impl Project {
    /// Makes the project, its repository and its hooks.
    pub(super) fn create() -> Result<Self, CliError> {
        let folder =
            TempDir::with_prefix("tenter-demo-").map_err(|error| failed("a temporary folder", &error))?;
        let project = Self { folder };
        project.write("project/README.md", "# A small project\n")?;
        project.write("project/src/app.py", "print(\"hello\")\n")?;
        project.write("config/tenter/lint.sh", LINT)?;
        project.write("config/tenter/safe-push.sh", SAFE_PUSH)?;
        let hooks = project.folder.path().join("config/tenter");
        project.write("config/tenter/hooks.yaml", &HOOKS.replace("{{HOOKS}}", &hooks.to_string_lossy()))?;
        project.git(&["init", "--quiet", "--initial-branch=main"])?;
        project.git(&["add", "README.md"])?;
        Ok(project)
    }

    /// A path in the project.
    pub(super) fn path(&self, name: &str) -> String {
        self.root().join(name).to_string_lossy().into_owned()
    }

    /// A payload of Claude Code: what every one has, and what this one has besides.
    pub(super) fn payload(&self, event: &str, more: &Value) -> Value {
        let mut payload = json!({
            "session_id": "00000000-0000-4000-8000-000000000001",
            "transcript_path": self.path(".transcript.jsonl"),
            "cwd": self.root().to_string_lossy(),
            "prompt_id": "00000000-0000-4000-8000-000000000002",
            "permission_mode": "acceptEdits",
            "hook_event_name": event,
        });
        if let (Value::Object(payload), Value::Object(more)) = (&mut payload, more) {
            payload.extend(more.clone());
        }
        payload
    }

    /// Does what the agent's tool has done by the time of a scene.
    pub(super) fn agent_does(&self, scene: &Scene) -> Result<(), CliError> {
        match scene.writes {
            Some((name, content)) => self.write(&format!("project/{name}"), content),
            None => Ok(()),
        }
    }

    /// Calls `tenter hook claude` as the agent would.
    pub(super) fn hook(&self, payload: &Value) -> Result<Answer, CliError> {
        let tenter = std::env::current_exe().map_err(|error| failed("the path of tenter", &error))?;
        let mut child = Command::new(tenter)
            .args(["hook", "claude"])
            .current_dir(self.root())
            .env("HOME", self.folder.path())
            .env("XDG_CONFIG_HOME", self.folder.path().join("config"))
            .env("XDG_STATE_HOME", self.folder.path().join("state"))
            .env("CLAUDE_PROJECT_DIR", self.root())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| failed("starting `tenter hook claude`", &error))?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin
                .write_all(format!("{payload}\n").as_bytes())
                .map_err(|error| failed("a payload", &error))?;
        }
        let output = child.wait_with_output().map_err(|error| failed("`tenter hook claude`", &error))?;
        let exit_code = output.status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX);
        Ok(Answer { stdout: output.stdout, stderr: output.stderr, exit_code })
    }

    /// Where the trail of the demo lies.
    pub(super) fn state(&self) -> StateFolder {
        StateFolder::new(self.folder.path().join("state/tenter"))
    }

    /// Keeps the folder, whatever becomes of the demo, and says where it is.
    pub(super) fn keep(&mut self) -> &Path {
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
        Err(CliError::Demo { what: format!("git {}: {stderr}", arguments.join(" ")) })
    }
}

/// A copy of a trail in which somebody changed one letter of the file name in the denied call.
pub(super) fn with_one_byte_changed(state: &StateFolder) -> Result<Forged, CliError> {
    let folder =
        TempDir::with_prefix("tenter-demo-").map_err(|error| failed("a temporary folder", &error))?;
    let (from, to) = (state.path().join("audit"), folder.path().join("audit"));
    let copied = fs::create_dir_all(&to)
        .and_then(|()| fs::copy(from.join("head"), to.join("head")))
        .and_then(|_| fs::copy(from.join("key"), to.join("key")))
        .and_then(|_| fs::read_to_string(from.join("trail.jsonl")))
        .and_then(|trail| {
            fs::write(to.join("trail.jsonl"), trail.replacen("database.yaml", "databose.yaml", 1))
        });
    copied.map_err(|error| failed("a copy of the trail", &error))?;
    Ok(Forged { folder })
}

/// A forged copy; removed when this is dropped.
pub(super) struct Forged {
    folder: TempDir,
}

impl Forged {
    /// Where its trail lies.
    pub(super) fn state(&self) -> StateFolder {
        StateFolder::new(self.folder.path().to_path_buf())
    }
}

fn failed(what: &str, error: &std::io::Error) -> CliError {
    CliError::Demo { what: format!("{what}: {error}") }
}
