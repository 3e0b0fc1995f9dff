//! Settings files of agents: read, kept once, written in one step. What is written comes from the adapter.

mod hook_folder;
mod made_folders;

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, fchown};
use std::path::{Path, PathBuf};

use tenter_contract::ports::{AgentInstaller, SettingsPlace};
use tenter_executors::project_folders::resolved;
use tenter_store::read_regular_text;

use self::hook_folder::HookFolder;
pub use self::made_folders::MadeFolders;
use crate::places::absolute;

/// A settings file as it was found.
#[derive(Debug)]
pub struct SettingsFile {
    /// As it is named.
    pub path: PathBuf,
    /// Where it lies, links followed: a link stays a link.
    target: PathBuf,
    /// Its text; none if it does not exist.
    pub text: Option<String>,
    /// The files that the text is made of, for an agent that runs one per event.
    folder: Option<HookFolder>,
}

/// Why a settings file cannot be used. Nothing was changed.
#[derive(Debug)]
pub enum SettingsFileError {
    /// There is no home folder to look in.
    NoHome,
    /// The variable that names the folder does not name one folder wherever it is read.
    Relative {
        /// The variable.
        variable: &'static str,
    },
    /// A link of the project leads to a file outside of it.
    LeadsOut {
        /// The file.
        path: PathBuf,
        /// Where it leads.
        target: PathBuf,
    },
    /// It cannot be read.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        detail: String,
    },
    /// Its owner has said that it is not to be written.
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// Another program has written it since it was read.
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// It cannot be written.
    Unwritable {
        /// The file.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
}

impl fmt::Display for SettingsFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHome => f.write_str("there is no home folder"),
            Self::Relative { variable } => write!(f, "{variable} is not an absolute path"),
            Self::LeadsOut { path, target } => {
                let (path, target) = (path.display(), target.display());
                write!(f, "{path} leads out of the project, to {target}; nothing is read or written there")
            }
            Self::Unreadable { path, detail } => write!(f, "{} cannot be read: {detail}", path.display()),
            Self::ReadOnly { path } => write!(f, "{} is read-only", path.display()),
            Self::Changed { path } => write!(f, "{} was changed by another program just now", path.display()),
            Self::Unwritable { path, cause } => write!(f, "{} cannot be written: {cause}", path.display()),
        }
    }
}

impl std::error::Error for SettingsFileError {}

/// Where a settings file lies on this machine.
pub fn settings_path(place: SettingsPlace, project: &Path) -> Result<PathBuf, SettingsFileError> {
    let set = |variable: &str| {
        let value = if variable.is_empty() { None } else { std::env::var_os(variable) };
        value.filter(|value| !value.is_empty()).map(PathBuf::from)
    };
    match place {
        SettingsPlace::Project { file } => {
            let path = project.join(file);
            check_in_project(project, &path)?;
            Ok(path)
        }
        SettingsPlace::Home { variable, folder, file } => match set(variable) {
            Some(folder) if folder.is_absolute() => Ok(folder.join(file)),
            // The agent would look for it below whatever folder it is started in.
            Some(_) => Err(SettingsFileError::Relative { variable }),
            None => {
                let home = absolute("HOME").ok_or(SettingsFileError::NoHome)?;
                Ok(home.join(folder).join(file))
            }
        },
    }
}

/// Whether a file of a project lies in it. A link on the way may lead out of the project: a clone must not decide which of
/// the user's other files are read or written. Links in the user's own home are the user's.
pub fn check_in_project(project: &Path, path: &Path) -> Result<(), SettingsFileError> {
    let (root, target) = (resolved(project), resolved(path));
    if target.starts_with(&root) {
        return Ok(());
    }
    Err(SettingsFileError::LeadsOut { path: path.to_path_buf(), target })
}

impl SettingsFile {
    /// Reads a file, which need not exist.
    pub fn read(path: &Path) -> Result<Self, SettingsFileError> {
        let text = read_text(path)?;
        let target = match (fs::canonicalize(path), fs::read_link(path)) {
            (Ok(target), _) => target,
            (Err(_), Ok(link)) => path.parent().unwrap_or(Path::new("/")).join(link),
            (Err(_), Err(_)) => path.to_path_buf(),
        };
        Ok(Self { path: path.to_path_buf(), target, text, folder: None })
    }

    /// Reads what this agent has there: a file, or our files in a folder.
    pub fn open(installer: &dyn AgentInstaller, path: &Path) -> Result<Self, SettingsFileError> {
        if installer.files().is_empty() {
            return Self::read(path);
        }
        let folder = HookFolder::read(path, installer);
        let (path, target) = (path.to_path_buf(), path.to_path_buf());
        Ok(Self { path, target, text: folder.text(), folder: Some(folder) })
    }

    /// Files of others that keep their name, each with our file for the same event.
    pub fn renamed_scripts(&self) -> Vec<(PathBuf, PathBuf)> {
        self.folder.as_ref().map(HookFolder::renamed).unwrap_or_default()
    }

    /// The path of the backup: next to the link, not next to its target, which may be in a repository.
    pub fn backup_path(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(".tenter-backup");
        PathBuf::from(name)
    }

    /// The file from before the first change, if it was kept and can be read.
    pub fn backup(&self) -> Option<String> {
        if self.folder.is_some() {
            return None;
        }
        read_text(&self.backup_path()).ok().flatten()
    }

    /// Keeps the file as it is now, unless it was kept before: the first one is the one without us. What was
    /// kept when we were put in another time is of no use if we are not in it now.
    pub fn back_up(&self, with_us: bool) -> Result<(), SettingsFileError> {
        // Nothing of other programs is overwritten there.
        if self.folder.is_some() {
            return Ok(());
        }
        let path = self.backup_path();
        if !with_us && path.exists() {
            self.remove_backup()?;
        }
        let Some(text) = &self.text else { return Ok(()) };
        match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            Ok(mut file) => file.write_all(text.as_bytes()).map_err(|cause| unwritable(&path, cause)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(cause) => Err(unwritable(&path, cause)),
        }
    }

    /// Forgets what was kept.
    pub fn remove_backup(&self) -> Result<(), SettingsFileError> {
        let path = self.backup_path();
        fs::remove_file(&path).map_err(|cause| unwritable(&path, cause))
    }

    /// Whether it may be written, for those who want to know before they change anything.
    pub fn check_writable(&self) -> Result<(), SettingsFileError> {
        if let Some(folder) = &self.folder {
            return folder.check_writable();
        }
        match fs::metadata(&self.target) {
            Ok(found) if found.permissions().readonly() => {
                Err(SettingsFileError::ReadOnly { path: self.path.clone() })
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Writes a new text in one step, with the permissions and the owner the file has.
    pub fn write(&self, text: &str) -> Result<(), SettingsFileError> {
        if let Some(folder) = &self.folder {
            return folder.write(text);
        }
        self.check_writable()?;
        let folder = self.target.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder).map_err(|cause| unwritable(&self.path, cause))?;
        let new = folder.join(format!(".tenter-{}.new", std::process::id()));
        let written = self.write_draft(&new, text).and_then(|()| {
            if read_text(&self.target)? != self.text {
                return Err(SettingsFileError::Changed { path: self.path.clone() });
            }
            fs::rename(&new, &self.target).map_err(|cause| unwritable(&self.path, cause))
        });
        if written.is_err() {
            // The caller gets the first error.
            let _ = fs::remove_file(&new);
        }
        written
    }

    fn write_draft(&self, new: &Path, text: &str) -> Result<(), SettingsFileError> {
        let fill = |mut file: File| -> io::Result<()> {
            if let Ok(found) = fs::metadata(&self.target) {
                let made = file.metadata()?;
                if (made.uid(), made.gid()) != (found.uid(), found.gid()) {
                    fchown(&file, Some(found.uid()), Some(found.gid()))?;
                }
                file.set_permissions(found.permissions())?;
            }
            file.write_all(text.as_bytes())?;
            file.sync_all()
        };
        let made = OpenOptions::new().write(true).create_new(true).open(new);
        made.and_then(fill).map_err(|cause| unwritable(&self.path, cause))
    }

    /// Removes the file.
    pub fn remove(&self) -> Result<(), SettingsFileError> {
        self.check_writable()?;
        if let Some(folder) = &self.folder {
            return folder.remove();
        }
        fs::remove_file(&self.target).map_err(|cause| unwritable(&self.path, cause))
    }

    /// The folders that writing it would make.
    pub fn missing_folders(&self) -> Vec<PathBuf> {
        self.folders().take_while(|folder| !folder.exists()).collect()
    }

    /// The folders it lies in, the innermost first.
    fn folders(&self) -> impl Iterator<Item = PathBuf> {
        let own = usize::from(self.folder.is_none());
        self.target.ancestors().skip(own).map(Path::to_path_buf)
    }
}

fn unwritable(path: &Path, cause: io::Error) -> SettingsFileError {
    SettingsFileError::Unwritable { path: path.to_path_buf(), cause }
}

/// The text of a file that an agent or a package keeps its settings in. Every reader of such a file uses this one:
/// in a clone it may be a pipe or a link to a device.
pub fn read_settings(path: &Path) -> io::Result<String> {
    read_regular_text(path, LARGEST)
}

/// Some agents keep their history in the same file.
const LARGEST: u64 = 64 * 1024 * 1024;

fn read_text(path: &Path) -> Result<Option<String>, SettingsFileError> {
    match read_settings(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => {
            Err(SettingsFileError::Unreadable { path: path.to_path_buf(), detail: error.to_string() })
        }
    }
}
