//! What `init` and `uninstall` share: whose settings, and the difference as people read it.

use std::env;
use std::path::{Path, PathBuf};

use similar::TextDiff;
use tenter_contract::ports::{AgentAdapter, AgentInstaller, Entry, Scope, SettingsError, hook_files};
use tenter_host::install::{SettingsFile, SettingsFileError, settings_path};
use tenter_host::places::is_home;

use super::several::Target;
use crate::error::CliError;
use crate::printer::{self, Printer, Tone};

/// An agent's settings, found and read.
pub(super) struct Settings {
    pub(super) agent: &'static dyn AgentAdapter,
    pub(super) installer: &'static dyn AgentInstaller,
    pub(super) scope: Scope,
    pub(super) file: SettingsFile,
    project: PathBuf,
}

impl Settings {
    /// Finds and reads them.
    pub(super) fn open(&Target { agent, scope }: &Target) -> Result<Self, CliError> {
        let installer =
            agent.installer().ok_or_else(|| CliError::NoInstaller { agent: agent.name().to_string() })?;
        let project = env::current_dir().map_err(|error| {
            let detail = error.to_string();
            CliError::Settings(SettingsFileError::Unreadable { path: PathBuf::from("."), detail })
        })?;
        let place = installer.place(scope).ok_or_else(|| CliError::NoScope {
            agent: installer.title(),
            name: agent.name().to_string(),
            scope,
            other: Scope::ALL.into_iter().find(|scope| installer.place(*scope).is_some()),
        })?;
        let path = settings_path(place, &project).map_err(CliError::Settings)?;
        let file = SettingsFile::of(installer, &path).map_err(CliError::Settings)?;
        Ok(Self { agent, installer, scope, file, project })
    }

    /// The difference between two texts of this file. Of those that are several files, each has the name that it has
    /// beside a file of somebody else's.
    pub(super) fn diff(&self, old: &str, new: &str, beside: &[(PathBuf, PathBuf)]) -> String {
        let mut diff = diff(&self.path(), old, new);
        for (plain, ours) in beside {
            let [plain, ours] = [plain, ours].map(|path| path.file_name().unwrap_or_default());
            let [plain, ours] = [plain, ours].map(|name| hook_files::heading(&name.to_string_lossy()));
            diff = diff.replace(&plain, &ours);
        }
        diff
    }

    /// The file, as people type it.
    pub(super) fn path(&self) -> String {
        self.file.path.display().to_string()
    }

    /// The command that takes the entries of a scope out.
    pub(super) fn undo(&self, scope: Scope) -> String {
        format!("tenter uninstall {}{}", self.agent.name(), self.option(scope))
    }

    /// What is typed for a scope.
    pub(super) fn option(&self, scope: Scope) -> String {
        if scope == Scope::User { String::new() } else { format!(" --scope {scope}") }
    }

    /// The other files of the agent that have entries of ours: it would call us once for each.
    pub(super) fn elsewhere(&self) -> Vec<(Scope, PathBuf)> {
        let others = Scope::ALL.into_iter().filter(|scope| *scope != self.scope);
        others
            .filter_map(|scope| {
                Some((scope, settings_path(self.installer.place(scope)?, &self.project).ok()?))
            })
            .filter(|(_, path)| *path != self.file.path && self.calls_us(path))
            .collect()
    }

    /// The home, if these are the settings of a project and that is where we are; unless they are the user's own there.
    pub(super) fn of_home(&self) -> Option<String> {
        let own =
            self.installer.place(Scope::User).and_then(|place| settings_path(place, &self.project).ok());
        let elsewhere = self.scope != Scope::User && own.is_none_or(|own| own != self.file.path);
        (elsewhere && is_home(&self.project)).then(|| self.project.display().to_string())
    }

    /// Whether no other settings file, of any agent, calls us here, but for those that are said to be gone. One that
    /// cannot be read may call us still.
    pub(super) fn is_last(&self, gone: &[PathBuf]) -> bool {
        let agents = tenter_adapters::all().iter().filter_map(|agent| agent.installer());
        let mut places =
            agents.flat_map(|installer| Scope::ALL.map(|scope| (installer, installer.place(scope))));
        !places.any(|(installer, place)| {
            let path = place.and_then(|place| settings_path(place, &self.project).ok());
            let other = path.filter(|path| *path != self.file.path && !gone.contains(path));
            other.is_some_and(|path| may_call_us(installer, &path))
        })
    }

    fn calls_us(&self, path: &Path) -> bool {
        calls_us(self.installer, path)
    }

    /// Whether what stands there is run beside what stands in this text, and not instead of it.
    pub(super) fn runs_beside(&self, path: &Path, text: &str) -> bool {
        let other =
            SettingsFile::of(self.installer, path).ok().and_then(|file| file.text).unwrap_or_default();
        let entries = |text: &str| self.installer.entries(text).unwrap_or_default();
        !self.installer.runs_twins_once() || entries(&other) != entries(text)
    }

    /// Whether hooks run once all the same, because the entries of the later scope leave events to those of the other.
    pub(super) fn shares(&self, scope: Scope, path: &Path, text: &str) -> bool {
        let other = SettingsFile::of(self.installer, path).ok().and_then(|file| file.text);
        let later = if scope < self.scope { Some(text) } else { other.as_deref() };
        let entries = later.and_then(|text| self.installer.entries(text).ok()).unwrap_or_default();
        !entries.is_empty() && entries.iter().all(Entry::yields)
    }

    /// An error about what stands in the file.
    pub(super) fn unusable(&self, error: &SettingsError) -> CliError {
        CliError::BadInput {
            what: self.path(),
            detail: error.to_string(),
            hint: match error {
                SettingsError::WouldDamage => {
                    "nothing was changed; please report it with the file".to_owned()
                }
                SettingsError::Foreign => "nothing was changed; move the file away and try again".to_owned(),
                SettingsError::NotJson { .. }
                | SettingsError::NotToml { .. }
                | SettingsError::WrongType { .. }
                | SettingsError::Twice { .. } => {
                    "nothing was changed; mend the file and try again".to_owned()
                }
            },
        }
    }
}

fn calls_us(installer: &dyn AgentInstaller, path: &Path) -> bool {
    let text = SettingsFile::of(installer, path).ok().and_then(|file| file.text);
    text.is_some_and(|text| matches!(installer.is_installed(&text), Ok(true)))
}

/// The same of a file that nobody may be able to read.
fn may_call_us(installer: &dyn AgentInstaller, path: &Path) -> bool {
    match SettingsFile::of(installer, path).map(|file| file.text) {
        Ok(None) => false,
        Ok(Some(text)) => installer.is_installed(&text).unwrap_or_else(|_| text.contains("tenter")),
        Err(_) => true,
    }
}

/// The difference between two texts of a file, in the unified form.
pub(super) fn diff(path: &str, old: &str, new: &str) -> String {
    let diff = TextDiff::from_lines(old, new);
    diff.unified_diff().context_radius(2).header(path, path).to_string()
}

/// Shows a difference. What could steer the terminal is made visible: the file may be a stranger's.
pub(super) fn show_change(diff: &str, printer: &Printer) {
    for line in diff.lines() {
        let safe: String = line
            .trim_end_matches('\r')
            .chars()
            .flat_map(|letter| {
                let steers = letter.is_control() && letter != '\t';
                let visible = if steers { letter.escape_default().to_string() } else { letter.to_string() };
                visible.chars().collect::<Vec<_>>()
            })
            .collect();
        printer.line(match safe.chars().next() {
            Some('+') => printer.tone(Tone::Good, safe),
            Some('-') => printer.tone(Tone::Bad, safe),
            Some('@') => printer.tone(Tone::Quiet, safe),
            Some(_) | None => safe,
        });
    }
}

/// Ends a dry run, whose standard output is the difference and nothing else.
pub(super) fn nothing_written() {
    printer::write_error("nothing was written (--dry-run)\n");
}
