//! The last good version of each hook file, by path.
//!
//! A hook file can break at any time: a typing error, a full disk, a merge conflict. Its last good version then stays in
//! force, so tenter keeps the text of every version that it loads without an error.

use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde::{Deserialize, Serialize};

use crate::StateFolder;
use crate::hex;
use crate::place::{check_file, if_found, our_file};

/// Makes the name of a temporary file unique within this process.
static WRITES: AtomicU64 = AtomicU64::new(0);

/// The good versions of all hook files, one entry per file, below `hook-files` in the state folder.
#[derive(Clone, Debug)]
pub struct GoodVersions {
    state: StateFolder,
    folder: PathBuf,
}

/// A version of a hook file that was in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoodVersion {
    /// The file's path.
    pub path: String,
    /// The hash of `text`.
    pub sha256: String,
    /// The content of the file.
    pub text: String,
    /// When tenter first loaded this version, in milliseconds since the Unix epoch.
    pub at: u64,
    /// When tenter found the file gone. None of its hooks is in force then.
    #[serde(default)]
    pub removed_at: Option<u64>,
    /// Guards that a valid change of the file removed, so that the user can be notified.
    #[serde(default)]
    pub lost: Vec<LostGuard>,
    /// Keeps this version in force although the file on disk is another one, valid or not. It ends when the file is
    /// this version again, or when a person accepts another one ([`GoodVersions::keep`]).
    #[serde(default)]
    pub hold: Option<Hold>,
}

/// A guard that was in an earlier version of a hook file and is not in this one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LostGuard {
    /// The hook's name.
    pub name: String,
    /// Its event.
    pub event: String,
    /// Whether it was a declared guard. The hook may still exist and no longer be one.
    #[serde(default)]
    pub declared: bool,
    /// When tenter first found it gone, in milliseconds since the Unix epoch.
    pub at: u64,
}

/// Why a version stays in force although the file on disk is another one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// Since when, in milliseconds since the Unix epoch.
    pub since: u64,
    /// A sentence for the user, such as "Claude Code changed it during a tool call".
    pub reason: String,
}

/// The entry of a hook file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeptVersion {
    /// tenter has never loaded this file.
    Unknown,
    /// The entry cannot be used. It may have contained a guard.
    Damaged(String),
    /// The last good version.
    Good(Box<GoodVersion>),
}

impl GoodVersion {
    /// A version of a file that is loaded now.
    pub fn new(path: impl Into<String>, text: impl Into<String>, at: u64) -> Self {
        let text = text.into();
        let sha256 = hex::sha256(text.as_bytes());
        Self { path: path.into(), sha256, text, at, removed_at: None, lost: Vec::new(), hold: None }
    }

    /// Whether this is the version with that text.
    pub fn has_text(&self, text: &str) -> bool {
        self.text == text
    }
}

impl GoodVersions {
    /// The versions below a state folder.
    pub fn new(state: &StateFolder) -> Self {
        Self::in_folder(state, state.path().join("hook-files"))
    }

    /// The versions in this folder, which lies below the state.
    pub(crate) fn in_folder(state: &StateFolder, folder: PathBuf) -> Self {
        Self { state: state.clone(), folder }
    }

    /// The folder of the entries.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The entry of a hook file. It changes whenever another version is kept.
    pub fn entry(&self, path: &str) -> PathBuf {
        self.folder.join(format!("{}.json", &hex::sha256(path.as_bytes())[..32]))
    }

    /// The last good version of a hook file.
    pub fn find(&self, path: &str) -> KeptVersion {
        match read(&self.entry(path)) {
            Ok(version) if version.path != path => {
                KeptVersion::Damaged(format!("it is about {}", version.path))
            }
            Ok(version) if version.sha256 != hex::sha256(version.text.as_bytes()) => {
                KeptVersion::Damaged("its text does not have its hash".to_owned())
            }
            Ok(version) => KeptVersion::Good(Box::new(version)),
            Err(error) if error.kind() == ErrorKind::NotFound => KeptVersion::Unknown,
            Err(error) => KeptVersion::Damaged(error.to_string()),
        }
    }

    /// Keeps a version in place of the one before. Readers find either of them, complete.
    pub fn keep(&self, version: &GoodVersion) -> io::Result<()> {
        self.state.make_folder(&self.folder)?;
        let number = WRITES.fetch_add(1, Ordering::Relaxed);
        let temporary = self.folder.join(format!(".{}-{number}", std::process::id()));
        let entry = self.entry(&version.path);
        let written = our_file().write(true).create_new(true).open(&temporary).and_then(|mut file| {
            file.write_all(&serde_json::to_vec(version)?)?;
            file.sync_all()?;
            move_folder_aside(&entry);
            fs::rename(&temporary, &entry)
        });
        if written.is_err() {
            let _ = fs::remove_file(&temporary);
        }
        written
    }

    /// Forgets a hook file.
    pub fn forget(&self, path: &str) -> io::Result<()> {
        if_found(fs::remove_file(self.entry(path))).map(drop)
    }

    /// All versions that can be used, by path.
    pub fn all(&self) -> Vec<GoodVersion> {
        let Ok(found) = fs::read_dir(&self.folder) else { return Vec::new() };
        let versions = found.flatten().filter_map(|entry| read(&entry.path()).ok());
        let mut good: Vec<GoodVersion> =
            versions.filter(|it| matches!(self.find(&it.path), KeptVersion::Good(_))).collect();
        good.sort_by(|a, b| a.path.cmp(&b.path));
        good.dedup_by(|a, b| a.path == b.path);
        good
    }
}

/// A folder with the name of an entry would keep tenter from writing the entry.
fn move_folder_aside(entry: &Path) {
    if fs::symlink_metadata(entry).is_ok_and(|found| found.is_dir()) {
        // If it cannot be moved, the entry cannot be written, and the caller gets the error.
        let _ = fs::rename(entry, entry.with_extension(format!("aside-{}", std::process::id())));
    }
}

/// A version that another user wrote counts as damaged.
fn read(entry: &Path) -> io::Result<GoodVersion> {
    let mut file = fs::OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(entry)?;
    check_file(&file)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(serde_json::from_slice(&bytes)?)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn store(home: &tempfile::TempDir) -> GoodVersions {
        GoodVersions::new(&StateFolder::new(home.path().join("state")))
    }

    #[test]
    fn last_kept_version_is_found_by_path() {
        let home = tempfile::tempdir().unwrap();
        let store = store(&home);
        assert_eq!(store.find("/c/hooks.yaml"), KeptVersion::Unknown);
        for text in ["version: 1\n", "version: 1\nhooks: {}\n"] {
            let version = GoodVersion::new("/c/hooks.yaml", text, 7);
            store.keep(&version).unwrap();
            assert_eq!(store.find("/c/hooks.yaml"), KeptVersion::Good(Box::new(version)));
        }
        assert_eq!(store.find("/c/hooks.toml"), KeptVersion::Unknown);
        assert_eq!(store.all().len(), 1);
        let mode = store.entry("/c/hooks.yaml").metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        store.forget("/c/hooks.yaml").unwrap();
        store.forget("/c/hooks.yaml").unwrap();
        assert_eq!(store.find("/c/hooks.yaml"), KeptVersion::Unknown);
    }

    #[test]
    fn damaged_entry_is_not_an_unknown_file() {
        let home = tempfile::tempdir().unwrap();
        let store = store(&home);
        store.keep(&GoodVersion::new("/c/hooks.yaml", "deny", 7)).unwrap();
        let entry = store.entry("/c/hooks.yaml");
        let whole = fs::read_to_string(&entry).unwrap();
        let cases: Vec<String> = vec![
            String::new(),
            whole[..whole.len() / 2].to_owned(),
            whole.replace("deny", "none"),
            whole.replace("/c/hooks.yaml", "/d/hooks.yaml"),
            "[]".to_owned(),
        ];
        for damage in cases {
            fs::write(&entry, &damage).unwrap();
            assert!(matches!(store.find("/c/hooks.yaml"), KeptVersion::Damaged(_)), "{damage}");
            assert_eq!(store.all(), []);
        }
        fs::remove_file(&entry).unwrap();
        fs::create_dir(&entry).unwrap();
        assert!(matches!(store.find("/c/hooks.yaml"), KeptVersion::Damaged(_)));
    }

    #[test]
    fn parallel_writers_leave_one_complete_version() {
        let home = tempfile::tempdir().unwrap();
        let store = store(&home);
        std::thread::scope(|scope| {
            for writer in 0..10 {
                let store = &store;
                scope.spawn(move || {
                    for round in 0..20 {
                        let text = format!("{writer} {round} ").repeat(500);
                        store.keep(&GoodVersion::new("/c/hooks.yaml", text, 1)).unwrap();
                        assert!(matches!(store.find("/c/hooks.yaml"), KeptVersion::Good(_)));
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(home.path().join("state/hook-files")).unwrap().count(), 1);
    }
}
