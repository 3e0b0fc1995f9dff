//! The agent's sandbox: home, project, hooks and trail in one temporary folder.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;
use tenter_adapters::servers;
use tenter_contract::ports::{Agreement, Scope, SettingsPlace, Wiring};
use tenter_host::install::SettingsFile;
use tenter_models::{Script, ScriptServer, ServerOptions};
use tenter_store::StateFolder;

use crate::commands::prove::provable_agent::{ConfigFile, ProvableAgent, RunContext};
use crate::error::CliError;

const HOOKS: &str = include_str!("files/hooks.yaml");
const REWRITE: &str = include_str!("files/rewrite.sh");

pub(crate) struct Sandbox {
    folder: TempDir,
    server: String,
}

impl Sandbox {
    pub(crate) fn create(target: &ProvableAgent, wiring: &Wiring) -> Result<Self, CliError> {
        let folder = TempDir::with_prefix("tenter-prove-").map_err(failed("a temporary folder"))?;
        let sandbox = Self { folder, server: crate::install::mcp_server::program(&wiring.program) };
        for name in ["home", "project", "scratch", "state"] {
            fs::create_dir_all(sandbox.path(name)).map_err(failed(name))?;
        }
        sandbox.write("home/.config/tenter/hooks.yaml", HOOKS)?;
        sandbox.write("home/.config/tenter/rewrite.sh", REWRITE)?;
        let installer = target.installer().ok_or_else(|| CliError::no_installer(target.agent.to_owned()))?;
        let installed = installer
            .install(Some(target.settings), wiring)
            .map_err(|error| CliError::proof_failed(format!("the settings: {error}")))?;
        let path = sandbox.path(&format!("home/{}", target.settings_path));
        let file = SettingsFile::open(installer, &path)?;
        file.write(&installed.text)?;
        Ok(sandbox)
    }

    pub(crate) fn model(&self, script: &str) -> Result<ScriptServer, CliError> {
        let project = self.path("project");
        let script = Script::read(script, &project.to_string_lossy())
            .map_err(|error| CliError::proof_failed(format!("the script: {error}")))?;
        let options = ServerOptions { record: Some(self.path("requests")), ..ServerOptions::default() };
        ScriptServer::start(script, options).map_err(failed("the scripted model"))
    }

    /// The command that starts the agent. It inherits only `PATH`.
    pub(crate) fn agent(
        &self,
        target: &ProvableAgent,
        program: &Path,
        url: &str,
    ) -> Result<Command, CliError> {
        let scratch = self.path("scratch");
        let agreements = self.agreements(target)?;
        let context = RunContext { url, scratch: &scratch.to_string_lossy(), agreements: &agreements };
        if let Some(ConfigFile { path, text }) = &target.config_file {
            self.write(&format!("home/{path}"), &text(&context))?;
        }
        self.register_memory(target)?;
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
            .envs(target.environment(&context))
            .stdin(Stdio::null())
            .stdout(output("stdout.txt")?)
            .stderr(output("stderr.txt")?);
        Ok(command)
    }

    /// Registers the memory server where `init` does; the file may have other settings of the agent.
    fn register_memory(&self, target: &ProvableAgent) -> Result<(), CliError> {
        let settings = target.adapter().and_then(|adapter| servers::find(&adapter.name()));
        let Some((settings, SettingsPlace::Home { folder, file, .. })) =
            settings.and_then(|settings| Some((settings, settings.place(Scope::User)?)))
        else {
            return Ok(());
        };
        let name = Path::new("home").join(folder).join(file).to_string_lossy().into_owned();
        let text = fs::read_to_string(self.path(&name)).ok();
        let text = settings
            .register(text.as_deref(), &self.server)
            .map_err(|error| CliError::proof_failed(format!("the memory's server: {error}")))?;
        self.write(&name, &text)
    }

    /// The agreements that the user of this home would give.
    fn agreements(&self, target: &ProvableAgent) -> Result<Vec<Agreement>, CliError> {
        let Some(installer) = target.installer() else { return Ok(Vec::new()) };
        let name = format!("home/{}", target.settings_path);
        installer
            .agreements(&self.path(&name).to_string_lossy(), &self.text(&name))
            .map_err(|error| CliError::proof_failed(format!("the settings: {error}")))
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read(self.path(name))
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
            .unwrap_or_default()
    }

    pub(crate) fn state(&self) -> StateFolder {
        StateFolder::new(self.path("state/tenter"))
    }

    /// Keeps the folder and returns its path.
    pub(crate) fn keep(&mut self) -> &Path {
        self.folder.disable_cleanup(true);
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, content: &str) -> Result<(), CliError> {
        let path = self.path(name);
        let folder = path.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder).and_then(|()| fs::write(&path, content)).map_err(failed(name))
    }
}

fn failed(what: &str) -> impl FnOnce(io::Error) -> CliError {
    move |error| CliError::proof_failed(format!("{what}: {error}"))
}
