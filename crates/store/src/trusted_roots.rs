//! The roots of trusted projects: a project stays the same one when its `.git` changes, and its guards stay in force
//! below its root.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::granted::GrantedFiles;
use crate::trust::TrustEntry;
use crate::{StateFolder, read_plain, read_regular};

const NAME: &str = "roots";
/// Enough for thousands of projects.
const LARGEST: u64 = 4 * 1024 * 1024;

/// The roots of all trusted contents, each with the name of the folder of its trust.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedRoots {
    entries: Vec<(String, PathBuf)>,
}

impl TrustedRoots {
    /// The file with the list.
    pub fn path(state: &Path) -> PathBuf {
        state.join("trust").join(NAME)
    }

    /// Reads the list. If it is gone or damaged, it is made from the trusted contents, so that removing it has no effect.
    pub fn read(state: &Path) -> Self {
        let path = Self::path(state);
        match read_regular(&path, LARGEST) {
            Ok(bytes) => Self::parse(&bytes).unwrap_or_else(|| Self::collect(state)),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !has_folders(state) => Self::default(),
            Err(_) => Self::collect(state),
        }
    }

    /// The same with the roots that another program removed from the list. Reads one more file, so only callers that read
    /// hook files use it.
    pub fn read_all(state: &Path) -> Self {
        let mut roots = Self::read(state);
        let state = StateFolder::new(state.to_path_buf());
        let kept = copies(&state).text(&Self::path(state.path()));
        let kept = kept.and_then(|text| Self::parse(text.as_bytes())).unwrap_or_default();
        for entry in kept.entries {
            if !roots.entries.contains(&entry) {
                roots.entries.push(entry);
            }
        }
        roots
    }

    /// One line for each: the folder, a space, the root.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok()?;
        let entry = |line: &str| {
            let (folder, root) = line.split_once(' ')?;
            let root = PathBuf::from(root);
            (is_folder_name(folder) && root.is_absolute()).then(|| (folder.to_owned(), root))
        };
        (text.is_empty() || text.ends_with('\n')).then_some(())?;
        Some(Self { entries: text.lines().map(entry).collect::<Option<_>>()? })
    }

    fn collect(state: &Path) -> Self {
        let folders = fs::read_dir(state.join("trust")).into_iter().flatten().flatten();
        let mut entries = Vec::new();
        for folder in folders {
            let name = folder.file_name().to_string_lossy().into_owned();
            let files = fs::read_dir(folder.path()).into_iter().flatten().flatten();
            let roots = files.filter_map(|file| {
                let entry: TrustEntry = serde_json::from_slice(&read_plain(&file.path()).ok()?).ok()?;
                Some(PathBuf::from(entry.project)).filter(|root| root.is_absolute())
            });
            let mut roots: Vec<PathBuf> = roots.collect();
            roots.sort();
            roots.dedup();
            entries.extend(roots.into_iter().map(|root| (name.clone(), root)));
        }
        Self { entries }
    }

    /// The roots at or above a path.
    pub fn around<'a>(&'a self, path: &'a Path) -> impl Iterator<Item = &'a Path> {
        self.entries.iter().map(|(_, root)| root.as_path()).filter(move |root| path.starts_with(root))
    }

    /// The folders with trust in the contents of a root.
    pub fn folders_of<'a>(&'a self, root: &'a Path) -> impl Iterator<Item = &'a str> {
        self.entries.iter().filter(move |(_, known)| known == root).map(|(folder, _)| folder.as_str())
    }

    /// Adds a root. A root with a line break is not kept.
    pub(crate) fn add(state: &StateFolder, folder: &str, root: &str) -> io::Result<()> {
        let mut roots = Self::read_all(state.path());
        let entry = (folder.to_owned(), PathBuf::from(root));
        let kept =
            read_regular(&Self::path(state.path()), LARGEST).ok().and_then(|bytes| Self::parse(&bytes));
        let is_kept = kept.is_some_and(|kept| kept.entries.contains(&entry));
        if root.contains('\n') || !entry.1.is_absolute() || is_kept {
            return Ok(());
        }
        if !roots.entries.contains(&entry) {
            roots.entries.push(entry);
        }
        roots.write(state)
    }

    /// Removes the roots of a folder.
    pub(crate) fn remove(state: &StateFolder, folder: &str) -> io::Result<()> {
        let mut roots = Self::read_all(state.path());
        let before = roots.entries.len();
        roots.entries.retain(|(known, _)| known != folder);
        if roots.entries.len() == before { Ok(()) } else { roots.write(state) }
    }

    fn write(&self, state: &StateFolder) -> io::Result<()> {
        let line = |(folder, root): &(String, PathBuf)| Some(format!("{folder} {}\n", root.to_str()?));
        let text: String = self.entries.iter().filter_map(line).collect();
        StateFolder::new(state.path().join("trust")).replace(NAME, text.as_bytes())?;
        copies(state).keep(&Self::path(state.path()), text.as_bytes())
    }
}

/// The copy of the list.
fn copies(state: &StateFolder) -> GrantedFiles {
    GrantedFiles::new(state, GrantedFiles::folder(state, "trust"))
}

pub(crate) fn is_folder_name(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether something is trusted at all.
fn has_folders(state: &Path) -> bool {
    fs::read_dir(state.join("trust")).is_ok_and(|mut found| found.next().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TrustFolder;

    #[test]
    fn damaged_list_is_rebuilt_from_the_entries() {
        let home = tempfile::tempdir().unwrap();
        let state = StateFolder::new(home.path().to_path_buf());
        assert_eq!(TrustedRoots::read(home.path()), TrustedRoots::default());
        let folder = TrustFolder::open(&state, "/p/.git");
        let entry = |project: &str| TrustEntry {
            content: project.replace('/', "-"),
            at: 1,
            project: project.to_owned(),
            files: Vec::new(),
            runners: Vec::new(),
            hooks: Vec::new(),
        };
        for project in ["/p", "/worktrees/p two"] {
            folder.add(&entry(project)).unwrap();
        }
        let whole = TrustedRoots::read(home.path());
        assert_eq!(whole.around(Path::new("/p/a/b")).collect::<Vec<_>>(), [Path::new("/p")]);
        assert_eq!(whole.around(Path::new("/pp")).count(), 0);
        let list = TrustedRoots::path(home.path());
        assert_eq!(fs::read_to_string(&list).unwrap().lines().count(), 2);
        for damage in [&b"nonsense\n"[..], b"\xff", b"0123 /p"] {
            fs::write(&list, damage).unwrap();
            assert_eq!(TrustedRoots::read(home.path()), whole);
        }
        fs::remove_file(&list).unwrap();
        assert_eq!(TrustedRoots::read(home.path()), whole);
        folder.revoke().unwrap();
        assert_eq!(TrustedRoots::read(home.path()), TrustedRoots::default());
    }
}
