//! Where state lies, and who may read it.

use std::fs::{DirBuilder, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The folder of everything that lasts. Making one touches nothing; two of them can live in one process.
///
/// Folders are made with mode 0700 and files with 0600, because records hold prompts and commands. What
/// belongs to another user is refused: whoever owns a folder can put another file in the place of ours.
#[derive(Clone, Debug)]
pub struct StateFolder {
    path: PathBuf,
}

impl StateFolder {
    /// The state below this path, which need not exist.
    pub fn new(path: PathBuf) -> Self {
        Self { path }
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes the folder itself, for those who put a file of their own into it.
    pub fn make(&self) -> io::Result<()> {
        self.make_folder(&self.path)
    }

    /// Opens a file for reading and writing. Only if it is not there is its folder looked at, made if need
    /// be, and refused if it is another's; so the usual case costs one system call.
    pub fn open_or_create(&self, path: &Path) -> io::Result<File> {
        let mut options = our_file();
        match options.read(true).write(true).open(path) {
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                self.make_folder(path.parent().unwrap_or(&self.path))?;
                options.create(true).truncate(false).open(path)
            }
            opened => opened,
        }
    }

    /// Writes a file of this folder in one step.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.make()?;
        let draft = self.path.join(format!(".{name}-{}", std::process::id()));
        let written = our_file()
            .write(true)
            .create(true)
            .truncate(true)
            .open(&draft)
            .and_then(|mut file| file.write_all(bytes))
            .and_then(|()| std::fs::rename(&draft, self.path.join(name)));
        if written.is_err() {
            let _ = std::fs::remove_file(&draft);
        }
        written
    }

    /// Makes a folder below this one and everything above it, and refuses those of others.
    pub fn make_folder(&self, folder: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        for ours in folder.ancestors().take_while(|above| above.starts_with(&self.path)) {
            refuse_foreign(&ours.metadata()?).map_err(|refusal| {
                io::Error::new(refusal.kind(), format!("the folder `{}` {refusal}", ours.display()))
            })?;
        }
        Ok(())
    }
}

/// Options for a file that only its owner may read.
pub fn our_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

/// Refuses what another user owns and what is no plain file. Looks at an open file, so that nothing can be
/// exchanged between the look and the use.
pub(crate) fn check_file(file: &File) -> io::Result<Metadata> {
    let metadata = file.metadata()?;
    refuse_foreign(&metadata)?;
    if metadata.is_file() {
        Ok(metadata)
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file"))
    }
}

pub(crate) fn refuse_foreign(metadata: &Metadata) -> io::Result<()> {
    let ours = rustix::process::geteuid().as_raw();
    if metadata.uid() == ours {
        return Ok(());
    }
    let whose = format!("belongs to user {}, not to user {ours}", metadata.uid());
    Err(io::Error::new(io::ErrorKind::PermissionDenied, whose))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn folders_and_files_are_for_their_owner_only() {
        let home = tempfile::tempdir().unwrap();
        let state = StateFolder::new(home.path().join("state/tenter"));
        let path = state.path().join("audit/head");
        let file = state.open_or_create(&path).unwrap();
        check_file(&file).unwrap();
        for (path, mode) in [
            (home.path().join("state"), 0o700),
            (state.path().to_owned(), 0o700),
            (state.path().join("audit"), 0o700),
            (path, 0o600),
        ] {
            let found = path.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(found, mode, "{}", path.display());
        }
    }

    #[test]
    fn what_is_no_plain_file_is_refused() {
        let refusal = check_file(&File::open("/").unwrap()).unwrap_err();
        assert!(
            ["it is not a plain file", "belongs to user"].iter().any(|why| refusal.to_string().contains(why))
        );
    }

    /// Only root can give a folder away; everybody else finds the root folder owned by another.
    #[test]
    fn a_folder_of_another_user_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let state = if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(home.path(), Some(12_345), None).unwrap();
            StateFolder::new(home.path().to_owned())
        } else {
            StateFolder::new(PathBuf::from("/"))
        };
        let refusal = state.make_folder(state.path()).unwrap_err();
        assert_eq!(refusal.kind(), io::ErrorKind::PermissionDenied);
        assert!(refusal.to_string().contains("belongs to user"), "{refusal}");
    }
}
