//! Opens an agent's settings for `init` and `uninstall`, and prints differences.

use std::env;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use similar::TextDiff;
use tenter_contract::ports::{AgentAdapter, AgentInstaller, Entry, Scope, SettingsError, hook_files};
use tenter_host::install::{SettingsFile, SettingsFileError, settings_path};
use tenter_host::places::is_home;

use crate::error::CliError;
use crate::install::targets::Target;
use crate::printer::{self, Printer, Tone};

/// An agent's settings of one scope.
pub(crate) struct Settings {
    pub(crate) agent: &'static dyn AgentAdapter,
    pub(crate) installer: &'static dyn AgentInstaller,
    pub(crate) scope: Scope,
    pub(crate) file: Rc<SettingsFile>,
    project: PathBuf,
}

impl Settings {
    pub(crate) fn open(&Target { agent, scope }: &Target) -> Result<Self, CliError> {
        let installer = agent.installer().ok_or_else(|| CliError::no_installer(agent.name().to_string()))?;
        let project = env::current_dir().map_err(|error| {
            let detail = error.to_string();
            CliError::from(SettingsFileError::Unreadable { path: PathBuf::from("."), detail })
        })?;
        let place = installer.place(scope).ok_or_else(|| {
            CliError::no_scope(
                installer.title(),
                agent.name().to_string(),
                scope,
                Scope::ALL.into_iter().find(|scope| installer.place(*scope).is_some()),
            )
        })?;
        let path = settings_path(place, &project)?;
        let file = SettingsFile::open(installer, &path)?;
        Ok(Self { agent, installer, scope, file: Rc::new(file), project })
    }

    /// The difference between two texts of this file. If it stands for several files, tenter's files have the names
    /// that they have next to the user's.
    pub(crate) fn diff(&self, old: &str, new: &str, neighbours: &[(PathBuf, PathBuf)]) -> String {
        let mut diff = diff(&self.path(), old, new);
        for (plain, ours) in neighbours {
            let [plain, ours] = [plain, ours].map(|path| path.file_name().unwrap_or_default());
            let [plain, ours] = [plain, ours].map(|name| hook_files::heading(&name.to_string_lossy()));
            diff = diff.replace(&plain, &ours);
        }
        diff
    }

    pub(crate) fn path(&self) -> String {
        self.file.path.display().to_string()
    }

    /// The command that removes the entries of a scope.
    pub(crate) fn undo(&self, scope: Scope) -> String {
        format!("tenter uninstall {}{}", self.agent.name(), scope_option(scope))
    }

    /// The other files of the agent that have entries of ours: it would call tenter once for each.
    pub(crate) fn elsewhere(&self) -> Vec<(Scope, PathBuf)> {
        let others = Scope::ALL.into_iter().filter(|scope| *scope != self.scope);
        others
            .filter_map(|scope| {
                Some((scope, settings_path(self.installer.place(scope)?, &self.project).ok()?))
            })
            .filter(|(_, path)| *path != self.file.path && calls_us(self.installer, path))
            .collect()
    }

    /// The home folder, if these are project settings in it and not the user's own.
    pub(crate) fn of_home(&self) -> Option<String> {
        let own =
            self.installer.place(Scope::User).and_then(|place| settings_path(place, &self.project).ok());
        let elsewhere = self.scope != Scope::User && own.is_none_or(|own| own != self.file.path);
        (elsewhere && is_home(&self.project)).then(|| self.project.display().to_string())
    }

    /// Whether no other settings file of any agent calls tenter, except for those that are `gone`. A file that cannot
    /// be read may call it.
    pub(crate) fn is_last(&self, gone: &[PathBuf]) -> bool {
        let agents = tenter_adapters::all().iter().filter_map(|agent| agent.installer());
        let mut places =
            agents.flat_map(|installer| Scope::ALL.map(|scope| (installer, installer.place(scope))));
        !places.any(|(installer, place)| {
            let path = place.and_then(|place| settings_path(place, &self.project).ok());
            let other = path.filter(|path| *path != self.file.path && !gone.contains(path));
            other.is_some_and(|path| may_call_us(installer, &path))
        })
    }

    /// Whether the agent runs the entries of that file in addition to those in this text.
    pub(crate) fn runs_in_addition(&self, path: &Path, text: &str) -> bool {
        let other =
            SettingsFile::open(self.installer, path).ok().and_then(|file| file.text).unwrap_or_default();
        let entries = |text: &str| self.installer.entries(text).unwrap_or_default();
        !self.installer.runs_twins_once() || entries(&other) != entries(text)
    }

    /// Whether hooks run once, because the entries of the later scope leave events to those of the other.
    pub(crate) fn shares(&self, scope: Scope, path: &Path, text: &str) -> bool {
        let other = SettingsFile::open(self.installer, path).ok().and_then(|file| file.text);
        let later = if scope < self.scope { Some(text) } else { other.as_deref() };
        let entries = later.and_then(|text| self.installer.entries(text).ok()).unwrap_or_default();
        !entries.is_empty() && entries.iter().all(Entry::yields)
    }

    /// An error about what is in the file.
    pub(crate) fn unusable(&self, error: &SettingsError) -> CliError {
        CliError::bad_input(
            self.path(),
            error.to_string(),
            match error {
                SettingsError::WouldDamage => "nothing was changed; please report it with the file",
                SettingsError::Foreign => "nothing was changed; move the file away and try again",
                SettingsError::NotJson { .. }
                | SettingsError::NotToml { .. }
                | SettingsError::WrongType { .. }
                | SettingsError::Twice { .. } => "nothing was changed; fix the file and try again",
            },
        )
    }
}

fn calls_us(installer: &dyn AgentInstaller, path: &Path) -> bool {
    let text = SettingsFile::open(installer, path).ok().and_then(|file| file.text);
    text.is_some_and(|text| matches!(installer.is_installed(&text), Ok(true)))
}

/// The same; a file that cannot be read may call tenter.
fn may_call_us(installer: &dyn AgentInstaller, path: &Path) -> bool {
    match SettingsFile::open(installer, path).map(|file| file.text) {
        Ok(None) => false,
        Ok(Some(text)) => installer.is_installed(&text).unwrap_or_else(|_| text.contains("tenter")),
        Err(_) => true,
    }
}

/// What is typed for a scope.
pub(crate) fn scope_option(scope: Scope) -> String {
    if scope == Scope::User { String::new() } else { format!(" --scope {scope}") }
}

/// The difference between two texts of a file, in the unified form.
pub(crate) fn diff(path: &str, old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    diff.unified_diff().context_radius(2).header(path, path).to_string()
}

/// Prints a difference. Control characters are escaped, because the file may come from a stranger.
pub(crate) fn show_change(diff: &str, printer: &Printer) {
    for line in diff.lines() {
        let mut safe = String::new();
        for letter in line.trim_end_matches('\r').chars() {
            if letter.is_control() && letter != '\t' {
                safe.extend(letter.escape_default());
            } else {
                safe.push(letter);
            }
        }
        printer.line(match safe.chars().next() {
            Some('+') => printer.tone(Tone::Good, safe),
            Some('-') => printer.tone(Tone::Bad, safe),
            Some('@') => printer.tone(Tone::Quiet, safe),
            Some(_) | None => safe,
        });
    }
}

/// Ends a dry run. This goes to standard error, so that standard output is only the plan.
pub(crate) fn nothing_written() {
    printer::write_error("nothing was written (--dry-run)\n");
}
