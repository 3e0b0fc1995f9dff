//! Folders that may have come with a download, and whether a path lies in one of them.
//!
//! A file of a project can set variables of the agent (`.env`). A path in such a variable may belong to the project, and
//! must not decide where the user's hooks are or what they run.

use std::cell::RefCell;
use std::ffi::{CStr, OsStr};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

use tenter_store::read_regular;

/// Files from which agents, shells and editors take variables.
const VARIABLE_FILES: [&CStr; 18] = [
    c".env",
    c".env.local",
    c".env.development",
    c".env.development.local",
    c".envrc",
    c".claude/settings.json",
    c".claude/settings.local.json",
    c".gemini/.env",
    c".gemini/settings.json",
    c".qwen/.env",
    c".qwen/settings.json",
    c".codex/.env",
    c".codex/config.toml",
    c".vscode/settings.json",
    c".devcontainer/devcontainer.json",
    c"mise.toml",
    c".mise.toml",
    c"opencode.json",
];

/// No file with variables is larger.
const LARGEST: u64 = 256 * 1024;

/// The folders that an event concerns.
#[derive(Clone, Debug, Default)]
pub struct ProjectFolders {
    /// Folders that an agent or a repository calls a project.
    roots: Vec<PathBuf>,
    /// Current folders of processes.
    folders: Vec<PathBuf>,
    /// Homes of the user. Neither they nor the folders around them are downloads.
    homes: Vec<PathBuf>,
    /// The folders around a path that were examined. Paths of one user often share them.
    examined: RefCell<Vec<(PathBuf, Examined)>>,
}

/// The facts about a folder.
#[derive(Clone, Copy, Debug, Default)]
struct Examined {
    /// All users may write there, as in `/tmp`.
    is_shared: bool,
    /// Its files with variables, one bit for each; not checked in a shared folder.
    variable_files: u32,
}

impl ProjectFolders {
    /// The roots of projects and the current folders, for the home of the account. Relative paths are ignored.
    pub fn new(
        roots: impl IntoIterator<Item = PathBuf>,
        folders: impl IntoIterator<Item = PathBuf>,
        account: Option<&Path>,
    ) -> Self {
        fn absolute(paths: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
            paths.into_iter().filter(|path| path.is_absolute()).map(|path| resolved(&path)).collect()
        }
        let roots = distinct(absolute(roots), &[]);
        let folders = distinct(absolute(folders), &roots);
        let homes = account.map(resolved).into_iter().collect();
        Self { roots, folders, homes, examined: RefCell::default() }
    }

    /// The same with another home of the user.
    #[must_use]
    pub fn with_home(mut self, home: &Path) -> Self {
        let home = resolved(home);
        if !self.homes.contains(&home) {
            self.homes.push(home);
        }
        self
    }

    /// Whether a path lies in one of the folders, or in a download around one.
    ///
    /// A folder around them counts if it is a repository or has hooks, or if one of the folders up to it has a file
    /// that sets `HOME` or an `XDG_…_HOME` to a folder of that name: the root of an archive without a repository is unknown. A path
    /// counts as well if a folder around itself has such a file.
    pub fn contain(&self, path: &Path) -> bool {
        let path = resolved(path);
        self.roots.iter().any(|root| self.is_around(root, true, &path))
            || self.folders.iter().any(|folder| self.is_around(folder, false, &path))
            || path
                .ancestors()
                .skip(1)
                .take_while(|above| self.may_be_downloaded(above))
                .any(|above| self.sets_home(above, &path))
    }

    /// Whether a path lies in a folder, or in a download around it.
    fn is_around(&self, folder: &Path, is_root: bool, path: &Path) -> bool {
        let same = folder.components().zip(path.components()).take_while(|(one, other)| one == other).count();
        let nearest = folder.ancestors().nth(folder.components().count() - same);
        // Most often a home or the root is all that a folder and a path have in common.
        nearest.is_some_and(|nearest| self.may_be_downloaded(nearest))
            && self.came_together(folder, is_root, path)
    }

    #[inline(never)]
    fn came_together(&self, folder: &Path, is_root: bool, path: &Path) -> bool {
        let chain = || folder.ancestors().take_while(|above| self.may_be_downloaded(above));
        let sets_variables = || chain().any(|above| self.sets_home(above, path));
        // The current folder may be the home: in a container nothing else shows that.
        let is_own = |above: &Path| above == folder && (is_root || path != folder);
        chain()
            .any(|above| path.starts_with(above) && (is_own(above) || is_project(above) || sets_variables()))
    }

    /// False for a home and the folders around it, folders of the system, and folders that all users share.
    fn may_be_downloaded(&self, folder: &Path) -> bool {
        let depth = folder.components().filter(|part| matches!(part, Component::Normal(_))).count();
        let of_system = depth == 0 || (depth == 2 && folder == Path::new("/usr/local"));
        // The first folder below the root is `/home`, `/work` or the like, unless it is the project itself.
        let is_first = || depth == 1 && !self.roots.iter().chain(&self.folders).any(|known| known == folder);
        let is_home = || self.homes.iter().any(|home| home.starts_with(folder));
        !of_system && !is_first() && !is_home() && !self.examine(folder).is_shared
    }

    /// Whether a file of a folder sets the variables by which tenter finds its own folders, and may set them to this
    /// path.
    fn sets_home(&self, folder: &Path, path: &Path) -> bool {
        let files = self.examine(folder).variable_files;
        files != 0 && any_sets_home(folder, files, path)
    }

    fn examine(&self, folder: &Path) -> Examined {
        let known = |(known, found): &(PathBuf, Examined)| (known == folder).then_some(*found);
        if let Some(found) = self.examined.borrow().iter().find_map(known) {
            return found;
        }
        let found = Examined::new(folder);
        self.examined.borrow_mut().push((folder.to_path_buf(), found));
        found
    }
}

impl Examined {
    /// Examines a folder by one handle, which saves a path lookup for each file. A folder that cannot be searched has no
    /// file for an agent either.
    #[cfg(target_os = "linux")]
    fn new(folder: &Path) -> Self {
        use rustix::fs::{AtFlags, CWD, Mode, OFlags, fstat, openat, statat};

        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(folder) = openat(CWD, folder, flags, Mode::empty()) else { return Self::default() };
        if fstat(&folder).is_ok_and(|found| is_shared(found.st_mode)) {
            return Self { is_shared: true, variable_files: 0 };
        }
        let is_there = |name: &CStr| statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok();
        Self { is_shared: false, variable_files: variable_files(is_there) }
    }

    #[cfg(not(target_os = "linux"))]
    fn new(folder: &Path) -> Self {
        use std::os::unix::fs::MetadataExt;

        if fs::metadata(folder).is_ok_and(|found| is_shared(found.mode())) {
            return Self { is_shared: true, variable_files: 0 };
        }
        let is_there =
            |name: &CStr| folder.join(OsStr::from_bytes(name.to_bytes())).symlink_metadata().is_ok();
        Self { is_shared: false, variable_files: variable_files(is_there) }
    }
}

/// Whether all users may write to a folder of this mode, as to `/tmp`.
fn is_shared(mode: u32) -> bool {
    mode & 0o1002 == 0o1002
}

/// One bit for each file that is there.
fn variable_files(is_there: impl Fn(&CStr) -> bool) -> u32 {
    let bits = VARIABLE_FILES.iter().enumerate();
    bits.fold(0, |found, (bit, name)| found | u32::from(is_there(name)) << bit)
}

/// The paths that occur in neither list before.
fn distinct(paths: Vec<PathBuf>, others: &[PathBuf]) -> Vec<PathBuf> {
    let mut all: Vec<PathBuf> = Vec::with_capacity(paths.len());
    for path in paths {
        if !all.contains(&path) && !others.contains(&path) {
            all.push(path);
        }
    }
    all
}

pub(crate) fn is_project(folder: &Path) -> bool {
    [".git", ".tenter"].iter().any(|name| folder.join(name).symlink_metadata().is_ok())
}

/// Whether one of these files contains the name of the path, or computes names. An unreadable file counts.
#[inline(never)]
fn any_sets_home(folder: &Path, files: u32, path: &Path) -> bool {
    let named = path.iter().rev().find(|name| *name != "tenter").unwrap_or_default();
    let is_found = |(bit, _): &(usize, &&CStr)| files & (1 << bit) != 0;
    VARIABLE_FILES.iter().enumerate().filter(is_found).any(|(_, name)| {
        let path = folder.join(OsStr::from_bytes(name.to_bytes()));
        let Ok(bytes) = read_regular(&path, LARGEST) else { return true };
        let has = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
        // Settings files set variables below `env`.
        let is_settings = path.extension().is_some_and(|it| it == "json" || it == "toml");
        let may_name = || has(named.as_encoded_bytes()) || has(b"$(") || has(b"`");
        (has(b"HOME") || has(b"XDG_RUNTIME_DIR")) && (!is_settings || has(b"env")) && may_name()
    })
}

/// The home of the account of this process, independent of the environment. `None` for accounts of a directory service,
/// which are not in `/etc/passwd`.
pub fn account_home() -> Option<PathBuf> {
    home_of(&fs::read("/etc/passwd").ok()?, rustix::process::geteuid().as_raw())
}

/// The home of an account by its number.
fn home_of(accounts: &[u8], user: u32) -> Option<PathBuf> {
    let number = format!("{user}");
    let home = |line: &[u8]| {
        let mut fields = line.split(|byte| *byte == b':');
        (fields.nth(2)? == number.as_bytes()).then(|| fields.nth(2).unwrap_or_default().to_vec())
    };
    let home = accounts.split(|byte| *byte == b'\n').find_map(home)?;
    let home = PathBuf::from(OsStr::from_bytes(&home));
    home.is_absolute().then_some(home)
}

/// The path that a path leads to, links followed as far as it exists: `/proc/self/cwd` is the project too.
pub fn resolved(path: &Path) -> PathBuf {
    let found = path.ancestors().find_map(|part| Some((part, real(part)?)));
    found.map_or(path.to_path_buf(), |(part, real)| match path.strip_prefix(part) {
        Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
        _ => real,
    })
}

/// Resolves links. The kernel confirms with one call that a path has none. Every call of an agent waits for this:
/// following links takes a call for each folder, and `/proc/self` of a new process costs 10 µs at the first use.
fn real(path: &Path) -> Option<PathBuf> {
    if has_no_links(path) { Some(path.components().collect()) } else { fs::canonicalize(path).ok() }
}

#[cfg(target_os = "linux")]
fn has_no_links(path: &Path) -> bool {
    use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};

    let plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    path.is_absolute()
        && path.components().all(plain)
        && openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn has_no_links(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    const ACCOUNTS: &[u8] =
        b"root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nnobody:x:9:9\nodd:x:8:8::rel:\n";

    #[test]
    fn account_is_found_by_its_number() {
        assert_eq!(home_of(ACCOUNTS, 1000), Some(PathBuf::from("/home/ann")));
        for unknown in [7, 8, 9, 100] {
            assert_eq!(home_of(ACCOUNTS, unknown), None, "{unknown}");
        }
    }

    #[test]
    fn link_resolves_as_far_as_it_exists() {
        let folder = tempfile::tempdir().unwrap();
        let real_folder = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(real_folder.join("a/b")).unwrap();
        symlink("a", real_folder.join("link")).unwrap();
        for path in ["a/b", "a//b/", "a/./b", "a/../a/b", "link/b", "link/../a/b"] {
            assert_eq!(real(&real_folder.join(path)), Some(real_folder.join("a/b")), "{path}");
        }
        assert_eq!(real(&real_folder.join("nothing")), None);
        assert_eq!(resolved(&real_folder.join("link/x/y")), real_folder.join("a/x/y"));
    }

    #[test]
    fn download_ends_at_home_and_shared_folders() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for path in [
            "ann/dl/evil/sub",
            "ann/dl/evil/h",
            "ann/dl/other",
            "ann/src/app/lib",
            "ann/src/.git",
            "ann/.config",
        ] {
            fs::create_dir_all(at(path)).unwrap();
        }
        let contain =
            |here: &str, path: &str| ProjectFolders::new([], [at(here)], Some(&at("ann"))).contain(&at(path));
        assert!(contain("ann/dl/evil", "ann/dl/evil/h"));
        assert!(contain("ann/dl/evil", "ann/dl/evil/not/there"));
        assert!(!contain("ann/dl/evil/sub", "ann/dl/evil/h"), "no sign of a common download");
        assert!(contain("ann/src/app/lib", "ann/src/h"), "a repository is around both");
        assert!(!contain("ann", "ann/.config"), "an agent that works on the home itself");
        for (file, text) in [
            ("ann/dl/evil/.env", "XDG_CONFIG_HOME=/dl/evil/h\n"),
            ("ann/dl/evil/sub/.envrc", "export HOME=../h\n"),
            ("ann/dl/evil/.claude/settings.json", r#"{"env": {"HOME": "h"}}"#),
        ] {
            fs::create_dir_all(at(file).parent().unwrap()).unwrap();
            fs::write(at(file), text).unwrap();
            assert!(contain("ann/dl/evil/sub", "ann/dl/evil/h"), "{file}");
            assert!(!contain("ann/dl/evil/sub", "ann/.config"), "{file}");
            fs::remove_file(at(file)).unwrap();
        }
        fs::write(at("ann/dl/evil/.env"), "HOME=h\n").unwrap();
        assert!(contain("ann/src/app", "ann/dl/evil/h"), "the file lies around the path itself");
        for harmless in ["API=h\n", "HOME=/x\n"] {
            fs::write(at("ann/dl/evil/.env"), harmless).unwrap();
            assert!(!contain("ann/src/app", "ann/dl/evil/h"), "{harmless}");
        }
    }
}
