//! A machine of its own for the agent: home, project, hooks and trail in one temporary folder.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use tenter_adapters::servers;
use tenter_contract::ports::{Agreement, Scope, SettingsPlace, Wiring};
use tenter_host::install::SettingsFile;
use tenter_models::{Options, Script, Server};
use tenter_store::StateFolder;

use super::subject::{Configuration, Stage, Subject};
use crate::error::CliError;

const HOOKS: &str = include_str!("files/hooks.yaml");
const REWRITE: &str = include_str!("files/rewrite.sh");

/// The temporary folder; removed when this is dropped.
pub(super) struct World {
    folder: TempDir,
    /// The program that serves the memory.
    server: String,
}

impl World {
    /// Sets it up for an agent, with the settings that `init` would write.
    pub(super) fn create(subject: &Subject, wiring: &Wiring) -> Result<Self, CliError> {
        let folder = TempDir::with_prefix("tenter-prove-").map_err(failed("a temporary folder"))?;
        let world = Self { folder, server: super::super::servers::program(&wiring.program) };
        for name in ["home", "project", "scratch", "state"] {
            fs::create_dir_all(world.path(name)).map_err(failed(name))?;
        }
        world.write("home/.config/tenter/hooks.yaml", HOOKS)?;
        world.write("home/.config/tenter/rewrite.sh", REWRITE)?;
        let installer =
            subject.installer().ok_or_else(|| CliError::NoInstaller { agent: subject.agent.to_owned() })?;
        let installed = installer
            .install(Some(subject.settings), wiring)
            .map_err(|error| CliError::Prove { what: format!("the settings: {error}") })?;
        let path = world.path(&format!("home/{}", subject.settings_path));
        let file = SettingsFile::of(installer, &path).map_err(CliError::Settings)?;
        file.write(&installed.text).map_err(CliError::Settings)?;
        Ok(world)
    }

    /// Starts the model, which plays this script.
    pub(super) fn model(&self, script: &str) -> Result<Server, CliError> {
        let project = self.path("project");
        let script = Script::read(script, &project.to_string_lossy())
            .map_err(|error| CliError::Prove { what: format!("the script: {error}") })?;
        let options = Options { record: Some(self.path("requests")), ..Options::default() };
        Server::start(script, options).map_err(failed("the scripted model"))
    }

    /// The agent, ready to be started. It inherits nothing but `PATH`.
    pub(super) fn agent(&self, subject: &Subject, program: &Path, url: &str) -> Result<Command, CliError> {
        let scratch = self.path("scratch");
        let agreements = self.agreements(subject)?;
        let stage = Stage { url, scratch: &scratch.to_string_lossy(), agreements: &agreements };
        if let Some(Configuration { path, text }) = &subject.configuration {
            self.write(&format!("home/{path}"), &text(&stage))?;
        }
        self.register_memory(subject)?;
        let output = |name: &str| File::create(self.path(name)).map_err(failed(name));
        let mut command = Command::new(program);
        command
            .current_dir(self.path("project"))
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.path("home"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("TMPDIR", &scratch)
            .env("LANG", "C.UTF-8")
            .env("TERM", "dumb")
            .envs((subject.environment)(&stage))
            .stdin(Stdio::null())
            .stdout(output("stdout.txt")?)
            .stderr(output("stderr.txt")?);
        Ok(command)
    }

    /// Registers the memory's server where `init` does; that may be a file with other settings of the agent.
    fn register_memory(&self, subject: &Subject) -> Result<(), CliError> {
        let settings = subject.adapter().and_then(|adapter| servers::of(&adapter.name()));
        let Some((settings, SettingsPlace::Home { folder, file, .. })) =
            settings.and_then(|settings| Some((settings, settings.place(Scope::User)?)))
        else {
            return Ok(());
        };
        let name = Path::new("home").join(folder).join(file).to_string_lossy().into_owned();
        let text = fs::read_to_string(self.path(&name)).ok();
        let text = settings
            .register(text.as_deref(), &self.server)
            .map_err(|error| CliError::Prove { what: format!("the memory's server: {error}") })?;
        self.write(&name, &text)
    }

    /// What the user of this home would agree to.
    fn agreements(&self, subject: &Subject) -> Result<Vec<Agreement>, CliError> {
        let Some(installer) = subject.installer() else { return Ok(Vec::new()) };
        let name = format!("home/{}", subject.settings_path);
        installer
            .agreements(&self.path(&name).to_string_lossy(), &self.text(&name))
            .map_err(|error| CliError::Prove { what: format!("the settings: {error}") })
    }

    /// A path in the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The text of a file; empty if there is none.
    pub(super) fn text(&self, name: &str) -> String {
        fs::read(self.path(name))
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    /// Where the trail lies.
    pub(super) fn state(&self) -> StateFolder {
        StateFolder::new(self.path("state/tenter"))
    }

    /// Keeps the folder, whatever becomes of the proof, and says where it is.
    pub(super) fn keep(&mut self) -> &Path {
        self.folder.disable_cleanup(true);
        self.folder.path()
    }

    /// Writes a file, and makes the folders it is in.
    pub(super) fn write(&self, name: &str, content: &str) -> Result<(), CliError> {
        let path = self.path(name);
        let folder = path.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder).and_then(|()| fs::write(&path, content)).map_err(failed(name))
    }
}

fn failed(what: &str) -> impl FnOnce(io::Error) -> CliError {
    move |error| CliError::Prove { what: format!("{what}: {error}") }
}
