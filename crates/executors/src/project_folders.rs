//! Folders that may have come with a download, and whether a path lies in one of them.
//!
//! A file of a project can set the variables of the agent that works on it (`.env`). Whatever such a variable names
//! inside the project is the project's, and must not decide where the user's own hooks lie or what they run.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};

use tenter_store::read_regular;

/// Files from which agents, shells and editors take variables.
const VARIABLE_FILES: [&str; 18] = [
    ".env",
    ".env.local",
    ".env.development",
    ".env.development.local",
    ".envrc",
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".gemini/.env",
    ".gemini/settings.json",
    ".qwen/.env",
    ".qwen/settings.json",
    ".codex/.env",
    ".codex/config.toml",
    ".vscode/settings.json",
    ".devcontainer/devcontainer.json",
    "mise.toml",
    ".mise.toml",
    "opencode.json",
];

/// No file with variables is larger.
const LARGEST: u64 = 256 * 1024;

/// The folders that an event concerns.
#[derive(Clone, Debug, Default)]
pub struct ProjectFolders {
    /// Folders that an agent or a repository calls a project.
    roots: Vec<PathBuf>,
    /// Folders that somebody happens to stand in.
    folders: Vec<PathBuf>,
    /// Homes of the user. Neither they nor what is around them was downloaded.
    homes: Vec<PathBuf>,
}

impl ProjectFolders {
    /// The roots of projects and the folders that somebody stands in, seen from the home of the account. Relative
    /// paths say nothing.
    pub fn new(
        roots: impl IntoIterator<Item = PathBuf>,
        folders: impl IntoIterator<Item = PathBuf>,
        account: Option<&Path>,
    ) -> Self {
        fn absolute(paths: impl IntoIterator<Item = PathBuf>) -> Vec<PathBuf> {
            paths.into_iter().filter(|path| path.is_absolute()).map(|path| resolved(&path)).collect()
        }
        Self {
            roots: absolute(roots),
            folders: absolute(folders),
            homes: account.map(resolved).into_iter().collect(),
        }
    }

    /// The same with another home of the user.
    #[must_use]
    pub fn with_home(mut self, home: &Path) -> Self {
        self.homes.push(resolved(home));
        self
    }

    /// Whether a path lies in one of the folders, or in a download around one.
    ///
    /// A folder around them counts if it is a repository or has hooks, or if one of the folders up to it has a file
    /// that sets `HOME` or an `XDG_…_HOME` to a folder of that name: an archive without a repository does not say where it begins. A path
    /// counts as well if a folder around itself has such a file.
    pub fn contain(&self, path: &Path) -> bool {
        let path = resolved(path);
        let inside = |folder: &PathBuf, is_root: bool| {
            let chain = || folder.ancestors().take_while(|above| self.may_be_downloaded(above));
            let sets_variables = || chain().any(|above| sets_home(above, &path));
            // The folder that somebody stands in may be the home: in a container nothing else says so.
            let is_own = |above: &Path| above == folder && (is_root || path != *folder);
            chain().any(|above| {
                path.starts_with(above) && (is_own(above) || is_project(above) || sets_variables())
            })
        };
        self.roots.iter().any(|root| inside(root, true))
            || self.folders.iter().any(|folder| inside(folder, false))
            || path
                .ancestors()
                .skip(1)
                .take_while(|above| self.may_be_downloaded(above))
                .any(|above| sets_home(above, &path))
    }

    /// A home and what is around it is not; neither are the folders of the system and those that
    /// all users share.
    fn may_be_downloaded(&self, folder: &Path) -> bool {
        let is_home = self.homes.iter().any(|home| home.starts_with(folder));
        let depth = folder.components().filter(|part| matches!(part, Component::Normal(_))).count();
        let of_system = folder == Path::new("/usr/local") || depth == 0;
        // The first folder below the root is `/home`, `/work` or the like, unless it is the project itself.
        let is_first = depth == 1 && !self.roots.iter().chain(&self.folders).any(|known| known == folder);
        !is_home && !of_system && !is_first && !is_shared(folder)
    }
}

/// Whether all users may write there, as in `/tmp`.
fn is_shared(folder: &Path) -> bool {
    fs::metadata(folder).is_ok_and(|found| found.mode() & 0o1002 == 0o1002)
}

fn is_project(folder: &Path) -> bool {
    [".git", ".tenter"].iter().any(|name| folder.join(name).symlink_metadata().is_ok())
}

/// Whether a file of a folder sets the variables by which tenter finds its own folders, and may set them to this path:
/// it has the name of the folder in it, or makes names up. One that cannot be read may.
fn sets_home(folder: &Path, path: &Path) -> bool {
    let named = path.iter().rev().find(|name| *name != "tenter").unwrap_or_default();
    VARIABLE_FILES.iter().any(|name| {
        let path = folder.join(name);
        if path.symlink_metadata().is_err() {
            return false;
        }
        let Ok(bytes) = read_regular(&path, LARGEST) else { return true };
        let has = |word: &[u8]| bytes.windows(word.len()).any(|window| window == word);
        // Settings say where the variables stand in them.
        let is_settings = path.extension().is_some_and(|it| it == "json" || it == "toml");
        let may_name = has(named.as_encoded_bytes()) || has(b"$(") || has(b"`");
        (has(b"HOME") || has(b"XDG_RUNTIME_DIR")) && (!is_settings || has(b"env")) && may_name
    })
}

/// The home of the account that this process runs under, which no environment can move. Accounts of a directory
/// service are not in `/etc/passwd`; of those nothing is known.
pub fn account_home() -> Option<PathBuf> {
    home_of(&fs::read("/etc/passwd").ok()?, rustix::process::geteuid().as_raw())
}

/// The home of an account by its number.
fn home_of(accounts: &[u8], user: u32) -> Option<PathBuf> {
    use std::os::unix::ffi::OsStrExt;

    let number = format!("{user}");
    let home = |line: &[u8]| {
        let mut fields = line.split(|byte| *byte == b':');
        (fields.nth(2)? == number.as_bytes()).then(|| fields.nth(2).unwrap_or_default().to_vec())
    };
    let home = accounts.split(|byte| *byte == b'\n').find_map(home)?;
    let home = PathBuf::from(std::ffi::OsStr::from_bytes(&home));
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

/// The same path if no link stands in the way, which it takes the kernel one call to say. Every call of an agent
/// waits for this: following links by hand takes a call for each folder, and to ask `/proc/self` for the path of
/// what was opened is the dearest, because it does not exist in a new process until somebody asks (10 µs).
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
    fn download_ends_at_the_account_and_at_shared_folders() {
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
        assert!(!contain("ann/dl/evil/sub", "ann/dl/evil/h"), "nothing says that both came together");
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
