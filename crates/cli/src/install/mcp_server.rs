//! Adds and removes the MCP server of the memory in the settings of agents.

use std::path::Path;

use serde_json::{Value, json};
use tenter_adapters::servers::{self, ServerSettings};
use tenter_contract::AgentName;
use tenter_contract::ports::{Scope, Uninstalled};
use tenter_host::install::{SettingsFile, settings_path};

use crate::error::CliError;
use crate::install::plan::{Backup, FileChange};
use crate::install::targets::Target;

/// What changes in an agent's file for MCP servers.
pub(crate) struct ServerPlan {
    change: Option<FileChange>,
    pub(crate) as_json: Value,
    /// Why it failed; the hooks of the agent do not depend on it.
    pub(crate) error: Option<String>,
}

impl ServerPlan {
    pub(crate) fn declined() -> Self {
        Self { change: None, as_json: json!({"state": "declined"}), error: None }
    }

    /// Registers the server that this program runs.
    pub(crate) fn register(target: &Target, program: &str) -> Self {
        let Some(file) = ServerFile::open(&target.agent.name(), target.scope) else {
            return Self { as_json: json!({"state": "no_place"}), ..Self::declined() };
        };
        match file.and_then(|file| file.register(target, program)) {
            Err(error) => Self::failed(&error),
            Ok(change) => {
                let state = if change.is_some() { "would_register" } else { "unchanged" };
                let diff = change.diff();
                let as_json =
                    json!({"state": state, "file": change.path(), "program": program, "diff": diff});
                Self { change: Some(change), as_json, error: None }
            }
        }
    }

    /// Removes the server; `None` if it is not registered.
    pub(crate) fn unregister(target: &Target) -> Option<Self> {
        let file = ServerFile::open(&target.agent.name(), target.scope)?;
        Some(match file.and_then(ServerFile::unregister).transpose()? {
            Err(error) => Self::failed(&error),
            Ok(change) => {
                let (file, diff) = (change.path(), change.diff());
                let as_json = json!({"state": "would_unregister", "file": file, "diff": diff});
                Self { change: Some(change), as_json, error: None }
            }
        })
    }

    fn failed(error: &CliError) -> Self {
        let as_json = json!({"state": "failed", "why": error.happened()});
        Self { change: None, as_json, error: Some(error.shown()) }
    }

    pub(crate) fn apply(&mut self) {
        let Some(change) = &self.change else { return };
        if let Err(error) = change.apply() {
            *self = Self::failed(&error);
        } else if let Some(action) = self.as_json["state"].as_str().and_then(|it| it.strip_prefix("would_")) {
            self.as_json["state"] = json!(format!("{action}ed"));
        }
    }

    pub(crate) fn changes(&self) -> bool {
        self.change.as_ref().is_some_and(FileChange::is_some)
    }

    pub(crate) fn diff(&self) -> &str {
        self.as_json["diff"].as_str().unwrap_or_default()
    }
}

/// An agent's file for MCP servers.
pub(crate) struct ServerFile {
    settings: &'static ServerSettings,
    file: SettingsFile,
}

impl ServerFile {
    /// `None` if tenter knows no such file of the agent.
    pub(crate) fn open(agent: &AgentName, scope: Scope) -> Option<Result<Self, CliError>> {
        let settings = servers::find(agent)?;
        let place = settings.place(scope)?;
        let project = std::env::current_dir().ok()?;
        let read = settings_path(place, &project).and_then(|path| SettingsFile::read(&path));
        Some(read.map(|file| Self { settings, file }).map_err(CliError::from))
    }

    pub(crate) fn path(&self) -> String {
        self.file.path.display().to_string()
    }

    /// The program that the agent starts as tenter's server.
    pub(crate) fn registered(&self) -> Option<String> {
        self.settings.registered(self.file.text.as_deref()?).ok().flatten()
    }

    fn unusable(&self, error: &impl ToString) -> CliError {
        let hint = "fix the file and run the command again; hooks work without it";
        CliError::bad_input(self.path(), error.to_string(), hint)
    }

    fn register(self, target: &Target, program: &str) -> Result<FileChange, CliError> {
        let before = self.file.text.as_deref();
        let text = self.settings.register(before, program).map_err(|error| self.unusable(&error))?;
        // The backup is the file without tenter, and our hooks may be in the same file.
        let is_first = self.registered().is_none() && !target.calls_from(&self.file);
        let backup = if is_first { Backup::Make { installed: false } } else { Backup::Leave };
        Ok(FileChange::new(self.file, Some(text), backup))
    }

    fn unregister(self) -> Result<Option<FileChange>, CliError> {
        let Some(text) = self.file.text.as_deref() else { return Ok(None) };
        let before = self.file.backup();
        let found = self.settings.unregister(text, before.as_deref());
        let (after, backup) = match found.map_err(|error| self.unusable(&error))? {
            Uninstalled::NotInstalled => return Ok(None),
            Uninstalled::Restored => (before, Backup::Remove),
            Uninstalled::Cut { text } => (Some(text), Backup::Leave),
            Uninstalled::NothingElse => (None, Backup::Remove),
        };
        Ok(Some(FileChange::new(self.file, after, backup)))
    }
}

/// The program that runs the server: `tenter` in the folder of the program that agents call.
pub(crate) fn program(called: &str) -> String {
    let full = Path::new(called).with_file_name("tenter");
    if full.is_file() { full.display().to_string() } else { called.to_owned() }
}
