//! The memory's server in the agents' settings: `init` puts it in, `uninstall` takes it out, `doctor` looks at it.

use std::path::Path;

use serde_json::{Value, json};
use tenter_adapters::servers::{self, ServerSettings};
use tenter_contract::AgentName;
use tenter_contract::ports::{Scope, Uninstalled};
use tenter_host::Places;
use tenter_host::install::{MadeFolders, SettingsFile, settings_path};

use super::settings::diff;
use super::several::Target;
use crate::error::CliError;

/// What became of an agent's settings.
pub(super) struct Served {
    /// For programs.
    pub(super) as_json: Value,
    /// Every line that changes; empty if none does.
    pub(super) diff: String,
    /// What happened, as people are shown it, if it did not work.
    pub(super) error: Option<String>,
}

impl Served {
    /// The user does not want it.
    pub(super) fn declined() -> Self {
        Self { as_json: json!({"state": "declined"}), diff: String::new(), error: None }
    }
}

/// An agent's file for servers.
pub(super) struct Place {
    settings: &'static ServerSettings,
    file: SettingsFile,
}

impl Place {
    /// None if the agent has no such file that is known.
    pub(super) fn of(agent: &AgentName, scope: Scope) -> Option<Result<Self, CliError>> {
        let settings = servers::of(agent)?;
        let place = settings.place(scope)?;
        let project = std::env::current_dir().ok()?;
        let read = settings_path(place, &project).and_then(|path| SettingsFile::read(&path));
        Some(read.map(|file| Self { settings, file }).map_err(CliError::Settings))
    }

    /// The file, as people type it.
    pub(super) fn shown(&self) -> String {
        self.file.path.display().to_string()
    }

    /// The program that is started from it, if our server stands there.
    pub(super) fn registered(&self) -> Option<String> {
        self.settings.registered(self.file.text.as_deref()?).ok().flatten()
    }

    fn unusable(&self, error: &impl ToString) -> CliError {
        CliError::BadInput {
            what: self.shown(),
            detail: error.to_string(),
            hint: "mend it and run the command again; hooks work without it".to_owned(),
        }
    }

    /// Writes the server into it; gives the difference.
    fn put(&self, target: &Target, program: &str, dry: bool) -> Result<String, CliError> {
        let before = self.file.text.as_deref();
        let text = self.settings.register(before, program).map_err(|error| self.unusable(&error))?;
        if before != Some(text.as_str()) && !dry {
            self.file.check_writable().map_err(CliError::Settings)?;
            // The text that is kept is the one without us, and our hooks may stand in the same file.
            if self.registered().is_none() && !target.calls_from(&self.file) {
                self.file.back_up(false).map_err(CliError::Settings)?;
            }
            let made = MadeFolders::of(&Places::of_process());
            made.write_file(&self.file, &text).map_err(CliError::Settings)?;
        }
        Ok(diff(&self.shown(), before.unwrap_or_default(), &text))
    }

    /// Takes the server out of it; gives the difference, or none if it is not there.
    fn take_out(&self, dry: bool) -> Result<Option<String>, CliError> {
        let Some(text) = self.file.text.as_deref() else { return Ok(None) };
        let before = self.file.backup();
        let found = self.settings.unregister(text, before.as_deref());
        let (new, last) = match found.map_err(|error| self.unusable(&error))? {
            Uninstalled::NotInstalled => return Ok(None),
            Uninstalled::Restored => (before, true),
            Uninstalled::Cut { text } => (Some(text), false),
            Uninstalled::NothingElse => (None, true),
        };
        if !dry {
            match &new {
                Some(text) => self.file.write(text),
                None => self.file.remove(),
            }
            .map_err(CliError::Settings)?;
            if last && self.file.backup_path().exists() {
                self.file.remove_backup().map_err(CliError::Settings)?;
            }
            // An empty folder that stays does no harm that would be worth an error.
            let _ = MadeFolders::of(&Places::of_process()).tidy_up(&self.file);
        }
        Ok(Some(diff(&self.shown(), text, new.as_deref().unwrap_or_default())))
    }
}

/// The program that serves: the whole one beside the one that agents call.
pub(super) fn program(called: &str) -> String {
    let whole = Path::new(called).with_file_name("tenter");
    if whole.is_file() { whole.display().to_string() } else { called.to_owned() }
}

/// Puts the server in.
pub(super) fn register(target: &Target, program: &str, dry: bool) -> Served {
    let Some(place) = Place::of(&target.agent.name(), target.scope) else {
        return Served { as_json: json!({"state": "no_place"}), ..Served::declined() };
    };
    let put = place.and_then(|place| Ok((place.put(target, program, dry)?, place.shown())));
    let (diff, path) = match put {
        Ok(put) => put,
        Err(error) => return failed(&error),
    };
    let state = match (diff.is_empty(), dry) {
        (true, _) => "unchanged",
        (false, true) => "would_register",
        (false, false) => "registered",
    };
    let as_json = json!({"state": state, "file": path, "program": program, "diff": diff});
    Served { as_json, diff, error: None }
}

/// Takes the server out; none if it is not there.
pub(super) fn unregister(target: &Target, dry: bool) -> Option<Served> {
    let place = Place::of(&target.agent.name(), target.scope)?;
    let taken = place.and_then(|place| Ok(place.take_out(dry)?.map(|diff| (diff, place.shown()))));
    let (diff, path) = match taken {
        Ok(taken) => taken?,
        Err(error) => return Some(failed(&error)),
    };
    let state = if dry { "would_unregister" } else { "unregistered" };
    Some(Served { as_json: json!({"state": state, "file": path, "diff": diff}), diff, error: None })
}

/// The rest is done all the same.
fn failed(error: &CliError) -> Served {
    let as_json = json!({"state": "failed", "why": error.happened()});
    Served { as_json, diff: String::new(), error: Some(error.shown()) }
}
