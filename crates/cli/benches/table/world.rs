//! The folders of the benchmark: a project, and a home for each kind of measurement.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use tempfile::TempDir;

use crate::Result;
use crate::programs::{Build, HookProgram};

/// What Claude Code 2.1.197 sends before it runs `echo passing`.
pub(crate) const PAYLOAD: &str =
    include_str!("../../../adapters/src/claude_code/fixtures/PreToolUse.Bash.json");

/// Where `cargo bench` has built tenter.
pub(crate) const TENTER: &str = env!("CARGO_BIN_EXE_tenter");
/// The project in [`PAYLOAD`], which no machine has.
const RECORDED_PROJECT: &str = "/home/user/project";

/// The temporary folder; removed when this is dropped.
pub(crate) struct World {
    folder: TempDir,
    /// The default build of ours.
    pub(crate) build: Build,
    /// [`PAYLOAD`] as an agent sends it from this world's project. Hooks look at the folder of the payload; one that
    /// finds none there would be timed at something else.
    pub(crate) payload: String,
}

/// A user's home: one hook file, one trail.
pub(crate) struct Home {
    folder: PathBuf,
    pub(crate) project: PathBuf,
}

impl World {
    /// Makes the folder and the project.
    pub(crate) fn create() -> Result<Self> {
        let folder = TempDir::with_prefix("tenter-bench-")?;
        let project = folder.path().join("project");
        fs::create_dir(&project)?;
        let payload = PAYLOAD.replace(RECORDED_PROJECT, &project.to_string_lossy());
        let build = Build::default(folder.path())?;
        Ok(Self { folder, build, payload })
    }

    /// A home without a hook file.
    pub(crate) fn home(&self, name: &str) -> Result<Home> {
        let folder = self.folder.path().join(name);
        fs::create_dir_all(folder.join("config/tenter"))?;
        Ok(Home { folder, project: self.folder.path().join("project") })
    }

    /// A home with this hook file.
    pub(crate) fn home_with(&self, name: &str, hooks: &str) -> Result<Home> {
        let home = self.home(name)?;
        home.write("hooks.yaml", hooks)?;
        Ok(home)
    }
}

impl Home {
    /// Writes a file next to the hook file, with an old modification time, so that it is cached.
    pub(crate) fn write(&self, name: &str, text: &str) -> Result<()> {
        let file = self.folder.join("config/tenter").join(name);
        fs::write(&file, text)?;
        let an_hour_ago = SystemTime::now() - Duration::from_hours(1);
        Ok(fs::File::options().write(true).open(&file)?.set_modified(an_hour_ago)?)
    }

    /// A path in this home.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A hook process, as Claude Code starts it.
    pub(crate) fn hook(&self, program: &HookProgram) -> Command {
        self.command(&program.path, program.arguments)
    }

    /// A program in this home. Its environment is the same on every machine: cargo's own, for one, would
    /// send the dynamic loader through folders that no user has in their path.
    pub(crate) fn command(&self, program: &Path, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .current_dir(&self.project)
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("HOME", &self.folder)
            .env("XDG_CONFIG_HOME", self.folder.join("config"))
            .env("XDG_STATE_HOME", self.folder.join("state"))
            .env("CLAUDE_PROJECT_DIR", &self.project)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command
    }

    /// How many records the trail has, if it is as it was written.
    pub(crate) fn intact_records(&self) -> Result<Option<u64>> {
        let verified = self.command(Path::new(TENTER), &["audit", "verify", "--json"]).output()?;
        let found: Value = serde_json::from_slice(&verified.stdout)?;
        let sound = found["sound"].as_bool().unwrap_or_default();
        Ok(found["trail"]["records"].as_u64().filter(|_| sound))
    }

    /// The text of the trail.
    pub(crate) fn trail(&self) -> Result<String> {
        Ok(fs::read_to_string(self.folder.join("state/tenter/audit/trail.jsonl"))?)
    }
}
