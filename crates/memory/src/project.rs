//! Which project something is about: the same for every worktree and every subfolder of a repository, and for every
//! clone of the same origin that a person has joined.
//!
//! An origin is a claim: anyone can write one into `.git/config`. What is proven is the clone itself, by the moment at
//! which it was made, and a worktree by the repository that names it back. So a clone has the name of its origin if it was
//! the first with it, or if a person has linked it; until then it has a space of its own (`store/identities.rs`).

use std::fmt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A project: `github.com/ann/shop`, or the folder of a project that has no origin.
///
/// Its name may change: an origin is added, the repository gets another one, the folder is moved. So it is also known
/// where it lies and which clone it is, and the store remembers under which names that clone was known.
#[derive(Clone, Debug)]
pub struct Project {
    name: String,
    place: Option<Place>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The folder that is its name where it has no origin.
    pub(crate) root: String,
    /// What reports this clone from every other, wherever it is moved.
    pub(crate) mark: String,
}

impl Project {
    /// The project as it is spelled in the store.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), place: None }
    }

    /// The spelling in the store.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    pub(crate) fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    /// The project this folder is in. Reads the files of git directly; starts nothing.
    pub fn from_folder(folder: &Path) -> Self {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let Some(Repository { root, git, is_proven }) = repository(&folder) else {
            let root = folder.display().to_string();
            let mark = Place::mark_of_folder(&root);
            return Self { name: root.clone(), place: Some(Place { root, mark }) };
        };
        let root = root.display().to_string();
        let origin = read_git_file(&git.join("config")).ok().and_then(|text| origin_url(&text));
        let name = origin.as_deref().and_then(normalised).unwrap_or_else(|| root.clone());
        let made = if is_proven { made_at(&git) } else { None };
        let mark = made.unwrap_or_else(|| Place::mark_of_folder(&root));
        Self { name, place: Some(Place { root, mark }) }
    }
}

impl Place {
    /// The mark of a folder that has nothing better than its path.
    pub(crate) fn mark_of_folder(root: &str) -> String {
        format!("folder:{root}")
    }
}

/// Two projects are one if they have one name, wherever they lie.
impl PartialEq for Project {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Project {}

/// The moment at which a repository was made, to the nanosecond: `git` writes this file then and never again, and it
/// keeps its time when the folder is moved or gets another origin. Where times are coarse nothing can know two apart. A
/// link to the file of another repository would have that one's time, so it does not count.
fn made_at(git: &Path) -> Option<String> {
    let file = std::fs::symlink_metadata(git.join("description")).ok()?;
    if !file.is_file() || file.nlink() != 1 {
        return None;
    }
    let made = file.modified().ok()?;
    let since_1970 = made.duration_since(std::time::UNIX_EPOCH).ok()?;
    (since_1970.subsec_nanos() % 1_000_000 != 0).then(|| format!("git:{}", since_1970.as_nanos()))
}

impl fmt::Display for Project {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

struct Repository {
    /// The root of the main worktree.
    root: PathBuf,
    /// The folder of git that all worktrees share.
    git: PathBuf,
    /// Git itself would take the folder for a worktree of it: the folder of git lies there, or names it back.
    is_proven: bool,
}

fn repository(folder: &Path) -> Option<Repository> {
    let (root, git) =
        folder.ancestors().map(|above| (above, above.join(".git"))).find(|(_, git)| git.exists())?;
    let unproven = |git: PathBuf| Repository { root: root.to_owned(), git, is_proven: false };
    let kind = std::fs::symlink_metadata(&git).ok()?.file_type();
    if kind.is_dir() {
        return Some(Repository { root: root.to_owned(), git, is_proven: true });
    }
    if !kind.is_file() {
        // A link to another folder's `.git`.
        return Some(unproven(git));
    }
    // In a worktree and in a submodule `.git` is a file that says where the folder is.
    let text = read_git_file(&git).ok()?;
    let own = root.join(text.strip_prefix("gitdir:")?.trim());
    let own = own.canonicalize().unwrap_or(own);
    let Ok(common) = read_git_file(&own.join("commondir")) else {
        let is_proven = names_back(&own, root);
        return Some(Repository { root: root.to_owned(), git: own, is_proven });
    };
    let common = own.join(common.trim());
    let common = common.canonicalize().unwrap_or(common);
    let is_listed = own.parent().is_some_and(|folder| folder == common.join("worktrees"));
    if !is_listed || !is_worktree(&own, &git) {
        return Some(unproven(common));
    }
    let main = if common.ends_with(".git") { common.parent().unwrap_or(root) } else { root };
    Some(Repository { root: main.to_owned(), git: common, is_proven: true })
}

/// A file of git. A clone may have a pipe or an endless device in its place.
fn read_git_file(path: &Path) -> std::io::Result<String> {
    tenter_store::read_regular_text(path, 4 * 1024 * 1024)
}

/// Whether the entry of a worktree in its repository names this `.git` file.
fn is_worktree(entry: &Path, file: &Path) -> bool {
    let named = read_git_file(&entry.join("gitdir")).ok().map(|path| entry.join(path.trim()));
    is_same_path(named.as_deref(), file)
}

/// Whether the folder of git of a submodule names the folder it is for.
fn names_back(git: &Path, root: &Path) -> bool {
    let config = read_git_file(&git.join("config")).unwrap_or_default();
    let values = config.lines().filter_map(|line| line.trim().split_once('='));
    let named = values.into_iter().find(|(key, _)| key.trim().eq_ignore_ascii_case("worktree"));
    is_same_path(named.map(|(_, path)| git.join(path.trim().trim_matches('"'))).as_deref(), root)
}

fn is_same_path(one: Option<&Path>, other: &Path) -> bool {
    let whole = |path: &Path| path.canonicalize().ok();
    one.and_then(whole).is_some_and(|one| Some(one) == whole(other))
}

/// The address of `origin` in a configuration of git.
fn origin_url(config: &str) -> Option<String> {
    let mut in_origin = false;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            in_origin = line.replace(' ', "").eq_ignore_ascii_case("[remote\"origin\"]");
        } else if in_origin
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("url")
        {
            return Some(value.trim().trim_matches('"').to_owned());
        }
    }
    None
}

/// One spelling for the addresses of one repository: host and path, without scheme, user, password, port, `.git` and
/// trailing slash. A path on this machine is no address that others share, but it reports two clones of it together.
fn normalised(url: &str) -> Option<String> {
    let url = url.trim();
    let (host, path) = match url.split_once("://") {
        Some(("file", path)) => ("", path),
        Some((_, rest)) => rest.split_once('/')?,
        None => match url.split_once(':') {
            // `git@github.com:ann/shop`, but not a path with a colon in it.
            Some((host, path)) if !host.contains('/') => (host, path),
            _ => ("", url),
        },
    };
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = host.split(':').next().unwrap_or_default().to_ascii_lowercase();
    let path = path.trim_matches('/').trim_end_matches(".git").trim_end_matches('/');
    if path.is_empty() {
        return None;
    }
    // The large hosts do not report case apart, and people mix it.
    let path = if host.is_empty() { path.to_owned() } else { path.to_ascii_lowercase() };
    Some(format!("{host}/{path}"))
}
