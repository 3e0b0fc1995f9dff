//! The MCP server of the memory in the settings of agents.

use std::path::Path;

use serde_json::{Value, json};
use tenter_adapters::servers::{self, ServerSettings};
use tenter_contract::AgentName;
use tenter_contract::ports::{Scope, Uninstalled};
use tenter_host::install::{SettingsFile, settings_path};

use crate::error::CliError;
use crate::install::plan::{Backup, FileChange};
use crate::install::targets::Target;

/// What became of an agent's settings.
pub(crate) struct ServerReport {
    /// For programs.
    pub(crate) as_json: Value,
    /// Every line that changes; empty if none does.
    pub(crate) diff: String,
    /// What happened, as people are shown it, if it did not work.
    pub(crate) error: Option<String>,
}

impl ServerReport {
    /// The user does not want it.
    pub(crate) fn declined() -> Self {
        Self { as_json: json!({"state": "declined"}), diff: String::new(), error: None }
    }

    /// The hooks are installed all the same.
    fn failed(error: &CliError) -> Self {
        let as_json = json!({"state": "failed", "why": error.happened()});
        Self { as_json, diff: String::new(), error: Some(error.shown()) }
    }
}

/// An agent's file for servers.
pub(crate) struct ServerFile {
    settings: &'static ServerSettings,
    file: SettingsFile,
}

impl ServerFile {
    /// None if the agent has no such file that is known.
    pub(crate) fn open(agent: &AgentName, scope: Scope) -> Option<Result<Self, CliError>> {
        let settings = servers::find(agent)?;
        let place = settings.place(scope)?;
        let project = std::env::current_dir().ok()?;
        let read = settings_path(place, &project).and_then(|path| SettingsFile::read(&path));
        Some(read.map(|file| Self { settings, file }).map_err(CliError::from))
    }

    /// The file, as people type it.
    pub(crate) fn shown(&self) -> String {
        self.file.path.display().to_string()
    }

    /// The program that is started from it, if our server is there.
    pub(crate) fn registered(&self) -> Option<String> {
        self.settings.registered(self.file.text.as_deref()?).ok().flatten()
    }

    fn unusable(&self, error: &impl ToString) -> CliError {
        CliError::bad_input(
            self.shown(),
            error.to_string(),
            "mend it and run the command again; hooks work without it",
        )
    }

    /// Adds the server.
    fn register(self, target: &Target, program: &str) -> Result<FileChange, CliError> {
        let before = self.file.text.as_deref();
        let text = self.settings.register(before, program).map_err(|error| self.unusable(&error))?;
        // The copy is of the file without tenter, and our hooks may be in the same file.
        let is_first = self.registered().is_none() && !target.calls_from(&self.file);
        let backup = if is_first { Backup::Make { installed: false } } else { Backup::Leave };
        Ok(FileChange::new(self.file, Some(text), backup))
    }

    /// Removes the server; none if it is not there.
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

/// The program that serves: the whole one next to the one that agents call.
pub(crate) fn program(called: &str) -> String {
    let whole = Path::new(called).with_file_name("tenter");
    if whole.is_file() { whole.display().to_string() } else { called.to_owned() }
}

/// Plans the server of an agent, and writes it unless this is a dry run.
pub(crate) fn register(target: &Target, program: &str, dry: bool) -> ServerReport {
    let Some(file) = ServerFile::open(&target.agent.name(), target.scope) else {
        return ServerReport { as_json: json!({"state": "no_place"}), ..ServerReport::declined() };
    };
    match file.and_then(|file| apply(file.register(target, program)?, dry)) {
        Err(error) => ServerReport::failed(&error),
        Ok(change) => {
            let state = match (change.is_some(), dry) {
                (false, _) => "unchanged",
                (true, true) => "would_register",
                (true, false) => "registered",
            };
            let diff = change.diff();
            let as_json = json!({"state": state, "file": change.path(), "program": program, "diff": diff});
            ServerReport { as_json, diff, error: None }
        }
    }
}

/// The same for its removal; none if it is not there.
pub(crate) fn unregister(target: &Target, dry: bool) -> Option<ServerReport> {
    let file = ServerFile::open(&target.agent.name(), target.scope)?;
    let change = file.and_then(ServerFile::unregister).transpose()?;
    Some(match change.and_then(|change| apply(change, dry)) {
        Err(error) => ServerReport::failed(&error),
        Ok(change) => {
            let state = if dry { "would_unregister" } else { "unregistered" };
            let diff = change.diff();
            let as_json = json!({"state": state, "file": change.path(), "diff": diff});
            ServerReport { as_json, diff, error: None }
        }
    })
}

fn apply(change: FileChange, dry: bool) -> Result<FileChange, CliError> {
    if !dry {
        change.apply()?;
    }
    Ok(change)
}
