//! What of which project somebody has trusted: one file per project and content.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::hex;
use crate::place::{open_plain, open_private, our_file};
use crate::{StateFolder, TrustedRoots};

/// Older ones are forgotten: branches come and go.
const KEPT: usize = 32;

/// The trusted contents of one project.
pub struct TrustFolder {
    state: StateFolder,
    folder: PathBuf,
}

/// A content that was trusted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustEntry {
    /// The hash of everything below.
    pub content: String,
    /// When, as milliseconds of the Unix epoch.
    pub at: u64,
    /// The project, for people.
    pub project: String,
    /// The files it covers.
    pub files: Vec<TrustedFile>,
    /// Commands whose behaviour the project decides, and that were agreed to nevertheless.
    pub runners: Vec<String>,
    /// The hooks of this content, in a form of the caller's own: what stays in force if the files change.
    pub hooks: Vec<u8>,
}

/// A file that trust covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedFile {
    /// Below the project, or absolute.
    pub path: String,
    /// Its hash; none if it was not there.
    pub sha256: Option<String>,
    /// What was in it, if that is text and not long: a later change can be shown.
    pub text: Option<String>,
}

impl TrustFolder {
    /// The folder of a project, known by a text that all its worktrees share.
    pub fn of(state: &StateFolder, project: &str) -> Self {
        Self::named(state, &hex::sha256(project.as_bytes())[..32])
    }

    /// The folder of this name.
    pub fn named(state: &StateFolder, name: &str) -> Self {
        Self { state: state.clone(), folder: state.path().join("trust").join(name) }
    }

    /// Its name.
    pub fn name(&self) -> String {
        self.folder.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Remembers a root at which a content of this project is trusted.
    pub fn remember_root(&self, root: &Path) -> io::Result<()> {
        root.to_str().map_or(Ok(()), |root| TrustedRoots::add(&self.state, &self.name(), root))
    }

    /// Whether an entry is there that cannot be read, or belongs to another user.
    pub fn is_damaged(&self) -> bool {
        let Ok(found) = fs::read_dir(&self.folder) else { return self.folder.symlink_metadata().is_ok() };
        let is_entry = |path: &Path| path.extension().is_some_and(|extension| extension == "json");
        found.flatten().map(|entry| entry.path()).any(|path| is_entry(&path) && self.read(&path).is_none())
    }

    /// Where it lies. It changes whenever something is trusted or revoked.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// The state it is part of.
    pub fn state(&self) -> &StateFolder {
        &self.state
    }

    /// The entry of a content.
    pub fn find(&self, content: &str) -> Option<TrustEntry> {
        self.read(&self.file(content)).filter(|entry| entry.content == content)
    }

    /// All of them, the latest first. What cannot be read is no trust.
    pub fn all(&self) -> Vec<TrustEntry> {
        let Ok(found) = fs::read_dir(&self.folder) else { return Vec::new() };
        let mut entries: Vec<TrustEntry> =
            found.flatten().filter_map(|entry| self.read(&entry.path())).collect();
        entries.sort_by(|a, b| b.at.cmp(&a.at).then_with(|| a.content.cmp(&b.content)));
        entries
    }

    /// Trusts a content.
    pub fn add(&self, entry: &TrustEntry) -> io::Result<()> {
        self.state.make_folder(&self.folder)?;
        let beside = self.folder.join(format!(".{}", std::process::id()));
        let written =
            open_plain(our_file().write(true).create(true).truncate(true), &beside).and_then(|mut file| {
                file.write_all(&serde_json::to_vec(entry)?)?;
                fs::rename(&beside, self.file(&entry.content))
            });
        if written.is_err() {
            let _ = fs::remove_file(&beside);
        }
        for old in self.all().iter().skip(KEPT) {
            let _ = fs::remove_file(self.file(&old.content));
        }
        written.and_then(|()| self.remember_root(Path::new(&entry.project)))
    }

    /// Takes all trust in the project back; says how many contents that were.
    pub fn revoke(&self) -> io::Result<usize> {
        let count = self.all().len();
        TrustedRoots::remove(&self.state, &self.name())?;
        match fs::remove_dir_all(&self.folder) {
            Ok(()) => Ok(count),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
            Err(error) => Err(error),
        }
    }

    fn file(&self, content: &str) -> PathBuf {
        self.folder.join(format!("{content}.json"))
    }

    /// Trust that somebody else wrote is none.
    fn read(&self, path: &Path) -> Option<TrustEntry> {
        let file = open_private(path).ok()?;
        let entry: TrustEntry = serde_json::from_reader(io::BufReader::new(file)).ok()?;
        (path == self.file(&entry.content)).then_some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(content: &str, at: u64) -> TrustEntry {
        let file = TrustedFile { path: ".tenter/hooks.yaml".to_owned(), sha256: None, text: None };
        TrustEntry {
            content: content.to_owned(),
            at,
            project: "/p".to_owned(),
            files: vec![file],
            runners: Vec::new(),
            hooks: vec![1, 2],
        }
    }

    #[test]
    fn trust_is_in_one_content_of_one_project_until_it_is_revoked() {
        let home = tempfile::tempdir().unwrap();
        let state = StateFolder::new(home.path().to_path_buf());
        let (here, there) = (TrustFolder::of(&state, "/p/.git"), TrustFolder::of(&state, "/q/.git"));
        assert_eq!(here.find("a"), None);
        here.add(&entry("a", 1)).unwrap();
        here.add(&entry("b", 2)).unwrap();
        assert_eq!(here.find("a"), Some(entry("a", 1)));
        assert_eq!(there.find("a"), None);
        assert_eq!(here.all(), [entry("b", 2), entry("a", 1)]);
        assert_eq!(here.revoke().unwrap(), 2);
        assert_eq!(here.find("a"), None);
        assert_eq!(here.revoke().unwrap(), 0);
    }

    #[test]
    fn a_file_under_another_name_or_damaged_is_no_trust() {
        let home = tempfile::tempdir().unwrap();
        let here = TrustFolder::of(&StateFolder::new(home.path().to_path_buf()), "/p");
        here.add(&entry("a", 1)).unwrap();
        fs::copy(here.path().join("a.json"), here.path().join("b.json")).unwrap();
        assert_eq!(here.find("b"), None);
        fs::write(here.path().join("a.json"), "{").unwrap();
        assert_eq!(here.find("a"), None);
        assert_eq!(here.all(), []);
    }

    #[test]
    fn only_the_latest_are_kept() {
        let home = tempfile::tempdir().unwrap();
        let here = TrustFolder::of(&StateFolder::new(home.path().to_path_buf()), "/p");
        for number in 0..40 {
            here.add(&entry(&format!("c{number}"), number)).unwrap();
        }
        assert_eq!(here.all().len(), KEPT);
        assert_eq!(here.find("c0"), None);
        assert!(here.find("c39").is_some());
    }
}
