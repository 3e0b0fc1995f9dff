//! A change of one file as a value: planned, printed as a diff, applied. A dry run does not apply it.

use std::rc::Rc;

use tenter_host::Places;
use tenter_host::install::{MadeFolders, SettingsFile};

use crate::error::CliError;
use crate::install::settings::diff;

pub(crate) struct FileChange {
    pub(crate) file: Rc<SettingsFile>,
    action: Action,
    backup: Backup,
}

enum Action {
    Nothing,
    Write(String),
    Remove,
}

/// What happens to the backup, the file from before `tenter init`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Backup {
    Leave,
    /// Made before the file is written. `installed` if the file already has entries of tenter's.
    Make {
        installed: bool,
    },
    /// Removed after the change.
    Remove,
}

impl FileChange {
    /// The file gets this text; `None` removes it.
    pub(crate) fn new(file: impl Into<Rc<SettingsFile>>, after: Option<String>, backup: Backup) -> Self {
        let file = file.into();
        let action = match after {
            Some(text) if file.text.as_deref() == Some(text.as_str()) => Action::Nothing,
            Some(text) => Action::Write(text),
            None if file.text.is_none() => Action::Nothing,
            None => Action::Remove,
        };
        Self { file, action, backup }
    }

    pub(crate) fn is_some(&self) -> bool {
        !matches!(self.action, Action::Nothing)
    }

    pub(crate) fn removes(&self) -> bool {
        matches!(self.action, Action::Remove)
    }

    pub(crate) fn path(&self) -> String {
        self.file.path.display().to_string()
    }

    /// The text of the file afterwards.
    pub(crate) fn after(&self) -> &str {
        match &self.action {
            Action::Nothing => self.file.text.as_deref().unwrap_or_default(),
            Action::Write(text) => text,
            Action::Remove => "",
        }
    }

    pub(crate) fn diff(&self) -> String {
        diff(&self.path(), self.file.text.as_deref().unwrap_or_default(), self.after())
    }

    /// Fails if the file cannot be written.
    pub(crate) fn check(&self) -> Result<(), CliError> {
        if self.is_some() { Ok(self.file.check_writable()?) } else { Ok(()) }
    }

    pub(crate) fn apply(&self) -> Result<(), CliError> {
        let folders = MadeFolders::new(&Places::of_process());
        self.check()?;
        if let (true, Backup::Make { installed }) = (self.is_some(), self.backup) {
            self.file.back_up(installed)?;
        }
        match &self.action {
            Action::Nothing => return Ok(()),
            Action::Write(text) => folders.write_file(&self.file, text)?,
            Action::Remove => self.file.remove()?,
        }
        if self.backup == Backup::Remove && self.file.backup_path().exists() {
            self.file.remove_backup()?;
        }
        // An empty folder that remains does no harm.
        let _ = folders.tidy_up(&self.file);
        Ok(())
    }
}
