//! The folder of an agent that runs one file per event: our files in it, read and written as one text.
//!
//! A file that is not ours is never opened for writing, moved or removed. If one has the name of our file, ours gets
//! another name that the agent runs as well.

use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use tenter_contract::ports::{AgentInstaller, hook_files};

use super::{SettingsFileError, unwritable};

/// What may follow the name of an event; the first that is free is taken.
const ENDINGS: [&str; 3] = ["", ".bash", ".sh"];

/// Our files in the folder, as they were found.
#[derive(Debug)]
pub(super) struct HookFolder {
    folder: PathBuf,
    names: &'static [&'static str],
    ours: Vec<Ours>,
}

#[derive(Debug)]
struct Ours {
    name: &'static str,
    path: PathBuf,
    text: String,
}

impl HookFolder {
    /// Looks for our files. One that cannot be read is not ours.
    pub(super) fn read(folder: &Path, installer: &dyn AgentInstaller) -> Self {
        let names = installer.files();
        let mut ours = Vec::new();
        for name in names {
            for path in ENDINGS.map(|ending| folder.join(format!("{name}{ending}"))) {
                let text = plain_text(&path).unwrap_or_default();
                let one = hook_files::joined([(*name, text.as_str())].into_iter());
                if installer.is_installed(&one).unwrap_or(false) {
                    ours.push(Ours { name, path, text });
                }
            }
        }
        Self { folder: folder.to_path_buf(), names, ours }
    }

    /// Our files as one text; none if there are none.
    pub(super) fn text(&self) -> Option<String> {
        let mut files: Vec<(&str, &str)> =
            self.ours.iter().map(|ours| (ours.name, ours.text.as_str())).collect();
        files.dedup_by_key(|(name, _)| *name);
        (!files.is_empty()).then(|| hook_files::joined(files.into_iter()))
    }

    /// Files of others with the plain name of an event, each with the path of our file for it.
    pub(super) fn renamed(&self) -> Vec<(PathBuf, PathBuf)> {
        let taken = |path: &PathBuf| fs::symlink_metadata(path).is_ok();
        let places = self.names.iter().filter_map(|name| {
            let plain = self.folder.join(name);
            let known = self.ours.iter().find(|ours| ours.name == *name).map(|ours| ours.path.clone());
            let free = || {
                ENDINGS
                    .iter()
                    .map(|ending| self.folder.join(format!("{name}{ending}")))
                    .find(|path| !taken(path))
            };
            Some((plain, known.or_else(free)?))
        });
        places.filter(|(plain, ours)| plain != ours && taken(plain)).collect()
    }

    /// Whether what is there may be written.
    pub(super) fn check_writable(&self) -> Result<(), SettingsFileError> {
        let mut places = self.ours.iter().map(|ours| &ours.path).chain([&self.folder]);
        let read_only =
            |path: &&PathBuf| fs::metadata(path).is_ok_and(|found| found.permissions().readonly());
        match places.find(read_only) {
            Some(path) => Err(SettingsFileError::ReadOnly { path: path.clone() }),
            None => Ok(()),
        }
    }

    /// Writes every file of a text, each in one step.
    pub(super) fn write(&self, text: &str) -> Result<(), SettingsFileError> {
        self.check_writable()?;
        self.check_unchanged()?;
        fs::create_dir_all(&self.folder).map_err(|cause| unwritable(&self.folder, cause))?;
        for (name, text) in hook_files::split(text, self.names) {
            let mut known = self.ours.iter().filter(|ours| ours.name == name);
            match known.next() {
                Some(ours) if ours.text == text => {}
                Some(ours) => self
                    .written(text, |new| fs::rename(new, &ours.path))
                    .map_err(|cause| unwritable(&ours.path, cause))?,
                None => self.add(name, text)?,
            }
            // The agent would call us once for each.
            for twin in known {
                fs::remove_file(&twin.path).map_err(|cause| unwritable(&twin.path, cause))?;
            }
        }
        Ok(())
    }

    pub(super) fn remove(&self) -> Result<(), SettingsFileError> {
        self.check_unchanged()?;
        for ours in &self.ours {
            fs::remove_file(&ours.path).map_err(|cause| unwritable(&ours.path, cause))?;
        }
        Ok(())
    }

    /// Writes a new file under the first free name. The link fails if a file has appeared in the meantime.
    fn add(&self, name: &str, text: &str) -> Result<(), SettingsFileError> {
        let mut last = self.folder.join(name);
        for ending in ENDINGS {
            last = self.folder.join(format!("{name}{ending}"));
            match self.written(text, |new| fs::hard_link(new, &last)) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(cause) => return Err(unwritable(&last, cause)),
            }
        }
        let taken = format!("it belongs to another program, and so do {name}.bash and {name}");
        Err(unwritable(&last, io::Error::new(ErrorKind::AlreadyExists, taken)))
    }

    /// Puts a text into a file of its own and that file into its place.
    fn written(&self, text: &str, place: impl FnOnce(&Path) -> io::Result<()>) -> io::Result<()> {
        // No agent runs what ends like this.
        let new = self.folder.join(format!(".tenter-{}.new", std::process::id()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o755).open(&new)?;
        let written =
            file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).and_then(|()| place(&new));
        // It is not there any more if it was renamed.
        let _ = fs::remove_file(&new);
        written
    }

    fn check_unchanged(&self) -> Result<(), SettingsFileError> {
        let changed = self.ours.iter().find(|ours| plain_text(&ours.path).as_deref() != Some(&ours.text));
        match changed {
            Some(ours) => Err(SettingsFileError::Changed { path: ours.path.clone() }),
            None => Ok(()),
        }
    }
}

/// The text of a file that is one, and not a link to something: agents do not run links.
fn plain_text(path: &Path) -> Option<String> {
    let found = fs::symlink_metadata(path).ok()?;
    if found.is_file() { super::read_settings(path).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use tenter_contract::ports::{IfGone, Scope, Uninstalled, Wiring};

    use super::*;
    use crate::install::{MadeFolders, SettingsFile};
    use crate::places::Places;

    fn cline() -> &'static dyn AgentInstaller {
        tenter_adapters::by_name("cline").unwrap().installer().unwrap()
    }

    fn installed(program: &str) -> String {
        let wiring = Wiring {
            program: program.to_owned(),
            if_gone: IfGone::GoOn,
            scope: Scope::User,
            installation: None,
        };
        cline().install(None, &wiring).unwrap().text
    }

    fn install(folder: &Path, program: &str) -> String {
        let text = installed(program);
        SettingsFile::open(cline(), folder).unwrap().write(&text).unwrap();
        text
    }

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn files_of_others_are_never_touched() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".cline/hooks");
        fs::create_dir_all(&folder).unwrap();
        let own =
            [("PreToolUse", &b"#!/bin/sh\r\nexit 0 \xFF"[..]), ("TaskStart.sh", b"echo"), ("notes", b"")];
        for (name, text) in own {
            fs::write(folder.join(name), text).unwrap();
            fs::set_permissions(folder.join(name), fs::Permissions::from_mode(0o740)).unwrap();
        }
        let before = names(&folder);
        let text = install(&folder, "/opt/tenter-hook");
        let found = SettingsFile::open(cline(), &folder).unwrap();
        assert_eq!(found.text.as_deref(), Some(text.as_str()));
        assert_eq!(found.renamed_scripts(), [(folder.join("PreToolUse"), folder.join("PreToolUse.bash"))]);
        assert!(names(&folder).contains(&"PreToolUse.bash".to_owned()), "{:?}", names(&folder));
        let mode = fs::metadata(folder.join("PostToolUse")).unwrap().permissions().mode();
        assert_eq!(mode & 0o111, 0o111, "editors run only what may be run");

        // Another program, and the same again.
        for _ in 0..2 {
            install(&folder, "/usr/bin/tenter-hook");
            assert_eq!(names(&folder).len(), before.len() + cline().files().len());
        }
        let found = SettingsFile::open(cline(), &folder).unwrap();
        let uninstalled = cline().uninstall(found.text.as_deref().unwrap(), found.backup().as_deref());
        assert_eq!(uninstalled, Ok(Uninstalled::NothingElse));
        found.remove().unwrap();
        assert_eq!(names(&folder), before);
        for (name, text) in own {
            assert_eq!(fs::read(folder.join(name)).unwrap(), text, "{name}");
            assert_eq!(fs::metadata(folder.join(name)).unwrap().permissions().mode() & 0o777, 0o740);
        }
    }

    #[test]
    fn hook_folder_is_a_made_folder() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("cline/hooks");
        let missing = SettingsFile::open(cline(), &folder).unwrap().missing_folders();
        assert_eq!(missing, [folder.clone(), home.path().join("cline")]);
        let state_folder = Some(home.path().join("state"));
        let made = MadeFolders::new(&Places { state_folder, ..Places::default() });
        let wanted = SettingsFile::open(cline(), &folder).unwrap();
        made.write_file(&wanted, &installed("/opt/tenter-hook")).unwrap();
        let found = SettingsFile::open(cline(), &folder).unwrap();
        found.remove().unwrap();
        made.tidy_up(&found).unwrap();
        assert!(!home.path().join("cline").exists());
        assert!(SettingsFile::open(cline(), &folder).unwrap().text.is_none());
    }

    #[test]
    fn changed_files_and_links_are_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("hooks");
        fs::create_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(home.path().join("elsewhere"), folder.join("TaskError")).unwrap();
        install(&folder, "/opt/tenter-hook");
        assert!(!home.path().join("elsewhere").exists() && folder.join("TaskError.bash").exists());
        let found = SettingsFile::open(cline(), &folder).unwrap();
        fs::write(folder.join("PreToolUse"), "#!/bin/sh\nmine\n").unwrap();
        assert!(matches!(found.remove(), Err(SettingsFileError::Changed { .. })));
        assert!(folder.join("PostToolUse").exists(), "nothing was removed");
        for ending in ENDINGS {
            fs::write(folder.join(format!("PreToolUse{ending}")), "mine").unwrap();
        }
        let wiring = Wiring {
            program: "/opt/tenter-hook".to_owned(),
            if_gone: IfGone::GoOn,
            scope: Scope::User,
            installation: None,
        };
        let text = cline().install(None, &wiring).unwrap().text;
        let error = SettingsFile::open(cline(), &folder).unwrap().write(&text).unwrap_err();
        assert!(error.to_string().contains("belongs to another program"), "{error}");
    }
}
