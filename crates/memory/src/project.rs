//! Which project something is about: the same for every worktree and every subfolder of a repository, and for every
//! clone of the same origin.

use std::fmt;
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

/// Where a project lies on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The folder that is its name where it has no origin.
    pub(crate) root: String,
    /// What tells this clone from every other, wherever it is moved.
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

    /// Where it lies, if that is known.
    pub(crate) fn place(&self) -> Option<&Place> {
        self.place.as_ref()
    }

    /// The project this folder is in. Reads the files of git directly; starts nothing.
    pub fn of(folder: &Path) -> Self {
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let Some((root, git)) = repository(&folder) else {
            let root = folder.display().to_string();
            let mark = Place::mark_of_folder(&root);
            return Self { name: root.clone(), place: Some(Place { root, mark }) };
        };
        let root = root.display().to_string();
        let origin = std::fs::read_to_string(git.join("config")).ok().and_then(|text| origin_url(&text));
        let name = origin.as_deref().and_then(normalised).unwrap_or_else(|| root.clone());
        let mark = made_at(&git).unwrap_or_else(|| Place::mark_of_folder(&root));
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
/// keeps its time when the folder is moved or gets another origin. Where times are coarse nobody can tell two apart.
fn made_at(git: &Path) -> Option<String> {
    let made = std::fs::metadata(git.join("description")).ok()?.modified().ok()?;
    let since_1970 = made.duration_since(std::time::UNIX_EPOCH).ok()?;
    (since_1970.subsec_nanos() % 1_000_000 != 0).then(|| format!("git:{}", since_1970.as_nanos()))
}

impl fmt::Display for Project {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// The root of the main worktree, and the folder of git that all worktrees share.
fn repository(folder: &Path) -> Option<(PathBuf, PathBuf)> {
    let (root, git) =
        folder.ancestors().map(|above| (above, above.join(".git"))).find(|(_, git)| git.exists())?;
    if git.is_dir() {
        return Some((root.to_owned(), git));
    }
    // In a worktree and in a submodule `.git` is a file that says where the folder is.
    let text = std::fs::read_to_string(&git).ok()?;
    let own = root.join(text.strip_prefix("gitdir:")?.trim());
    let common = match std::fs::read_to_string(own.join("commondir")) {
        Ok(common) => own.join(common.trim()),
        Err(_) => own,
    };
    let common = common.canonicalize().unwrap_or(common);
    let main = if common.ends_with(".git") { common.parent().unwrap_or(root) } else { root };
    Some((main.to_owned(), common))
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
/// trailing slash. A path on this machine is no address that others share, but it tells two clones of it together.
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
    // The large hosts do not tell case apart, and people mix it.
    let path = if host.is_empty() { path.to_owned() } else { path.to_ascii_lowercase() };
    Some(format!("{host}/{path}"))
}
