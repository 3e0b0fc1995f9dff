//! Trusted content of projects: one file per project and content.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::granted::{GrantedFiles, is_json};
use crate::hex;
use crate::place::{if_found, open_plain, open_private, our_file};
use crate::{GrantedChange, StateFolder, TrustedRoots};

/// Older contents are forgotten: branches come and go.
const KEPT: usize = 32;

/// A larger entry is not read.
const LARGEST: u64 = 64 * 1024 * 1024;

/// The trusted contents of one project.
pub struct TrustFolder {
    state: StateFolder,
    folder: PathBuf,
}

/// A trusted content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustEntry {
    /// The hash of everything below.
    pub content: String,
    /// When, in milliseconds since the Unix epoch.
    pub at: u64,
    /// The project, for people.
    pub project: String,
    /// The files it covers.
    pub files: Vec<TrustedFile>,
    /// Commands whose behaviour the project decides, and that the user has accepted.
    pub runners: Vec<String>,
    /// The hooks of this content, in a format of the caller. They stay in force if the files change.
    pub hooks: Vec<u8>,
}

/// A file that trust covers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedFile {
    /// Relative to the project, or absolute.
    pub path: String,
    /// Its hash; none if it did not exist.
    pub sha256: Option<String>,
    /// Its content, if that is text and not long, so that a later change can be shown.
    pub text: Option<String>,
}

impl TrustFolder {
    /// The folder of a project, by a text that all of its worktrees share.
    pub fn open(state: &StateFolder, project: &str) -> Self {
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

    /// Whether an entry cannot be read, belongs to another user or is not as tenter wrote it, or one that tenter wrote is
    /// gone.
    pub fn is_damaged(&self) -> bool {
        if self.copies().all().iter().any(|(path, _)| self.read(path).is_none()) {
            return true;
        }
        let Ok(found) = fs::read_dir(&self.folder) else { return self.folder.symlink_metadata().is_ok() };
        found.flatten().map(|entry| entry.path()).any(|path| is_json(&path) && self.read(&path).is_none())
    }

    fn copies(&self) -> GrantedFiles {
        copies(&self.state, &self.name())
    }

    /// Its path. The folder changes whenever a content is trusted or revoked.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// The state that it is part of.
    pub fn state(&self) -> &StateFolder {
        &self.state
    }

    /// The entry of a content.
    pub fn find(&self, content: &str) -> Option<TrustEntry> {
        self.read(&self.file(content)).filter(|entry| entry.content == content)
    }

    /// All entries, the latest first. One that cannot be read is no trust.
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
        let (path, bytes) = (self.file(&entry.content), serde_json::to_vec(entry)?);
        let draft = self.folder.join(format!(".{}", std::process::id()));
        let written =
            open_plain(our_file().write(true).create(true).truncate(true), &draft).and_then(|mut file| {
                file.write_all(&bytes)?;
                self.copies().keep(&path, &bytes)?;
                fs::rename(&draft, &path)
            });
        if written.is_err() {
            let _ = fs::remove_file(&draft);
        }
        for old in self.all().iter().skip(KEPT) {
            let old = self.file(&old.content);
            let _ = self.copies().forget(&old).and_then(|()| fs::remove_file(old));
        }
        written.and_then(|()| self.remember_root(Path::new(&entry.project)))
    }

    /// Revokes all trust in the project and returns the number of contents.
    pub fn revoke(&self) -> io::Result<usize> {
        let count = self.all().len();
        TrustedRoots::remove(&self.state, &self.name())?;
        for folder in [&self.folder, &copies_folder(&self.state, &self.name())] {
            if_found(fs::remove_dir_all(folder))?;
        }
        Ok(count)
    }

    fn file(&self, content: &str) -> PathBuf {
        self.folder.join(format!("{content}.json"))
    }

    /// An entry that another user or program wrote does not count.
    fn read(&self, path: &Path) -> Option<TrustEntry> {
        let mut bytes = Vec::new();
        open_private(path).ok()?.take(LARGEST).read_to_end(&mut bytes).ok()?;
        let entry: TrustEntry = serde_json::from_slice(&bytes).ok()?;
        (path == self.file(&entry.content) && self.copies().has(path, &bytes)).then_some(entry)
    }
}

fn copies_folder(state: &StateFolder, project: &str) -> PathBuf {
    GrantedFiles::folder(state, "trust").join(project)
}

/// The copies of the entries of a project.
fn copies(state: &StateFolder, project: &str) -> GrantedFiles {
    GrantedFiles::new(state, copies_folder(state, project))
}

/// The entries of every project that are not as tenter wrote them.
pub(crate) fn changes(state: &StateFolder) -> Vec<GrantedChange> {
    let kept = GrantedFiles::folder(state, "trust");
    let folders = [state.path().join("trust"), kept];
    let entries = folders.iter().flat_map(|folder| fs::read_dir(folder).into_iter().flatten().flatten());
    let is_project = |name: &String| crate::trusted_roots::is_folder_name(name);
    let mut projects: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).filter(is_project).collect();
    projects.sort();
    projects.dedup();
    let of_project =
        |project: &String| copies(state, project).changes(&state.path().join("trust").join(project), is_json);
    projects.iter().flat_map(of_project).collect()
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
    fn trust_covers_one_content_of_one_project() {
        let home = tempfile::tempdir().unwrap();
        let state = StateFolder::new(home.path().to_path_buf());
        let (here, there) = (TrustFolder::open(&state, "/p/.git"), TrustFolder::open(&state, "/q/.git"));
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
    fn renamed_or_damaged_file_is_no_trust() {
        let home = tempfile::tempdir().unwrap();
        let here = TrustFolder::open(&StateFolder::new(home.path().to_path_buf()), "/p");
        here.add(&entry("a", 1)).unwrap();
        fs::copy(here.path().join("a.json"), here.path().join("b.json")).unwrap();
        assert_eq!(here.find("b"), None);
        fs::write(here.path().join("a.json"), "{").unwrap();
        assert_eq!(here.find("a"), None);
        assert_eq!(here.all(), []);
    }

    #[test]
    fn only_the_latest_contents_are_kept() {
        let home = tempfile::tempdir().unwrap();
        let here = TrustFolder::open(&StateFolder::new(home.path().to_path_buf()), "/p");
        for number in 0..40 {
            here.add(&entry(&format!("c{number}"), number)).unwrap();
        }
        assert_eq!(here.all().len(), KEPT);
        assert_eq!(here.find("c0"), None);
        assert!(here.find("c39").is_some());
    }
}
