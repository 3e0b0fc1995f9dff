//! Paths as lists of components, compared without regard to case: on many disks `.Claude/Settings.json` is the
//! same file, and where it is not, nobody needs both.

use std::path::{Component, Path, PathBuf};

use tenter_contract::Pattern;

/// The components of a path, in small letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    anchored: bool,
    names: Vec<String>,
}

impl Parts {
    pub(super) fn is_anchored(&self) -> bool {
        self.anchored
    }

    /// Whether it lies below that path, or is that path.
    pub(super) fn begins_with(&self, folder: &Self) -> bool {
        self.anchored && folder.anchored && self.names.starts_with(&folder.names)
    }

    /// The same below a folder.
    pub(super) fn below(&self, folder: &Self) -> Self {
        Self { anchored: folder.anchored, names: folder.names.iter().chain(&self.names).cloned().collect() }
    }

    /// The folder of what it names; none if it has only a name.
    pub(super) fn folder(&self) -> Option<Self> {
        let (_, names) = self.names.split_last()?;
        let folder = Self { anchored: self.anchored, names: names.to_vec() };
        (!names.is_empty()).then_some(folder)
    }
}

pub(super) fn parts(path: &Path) -> Parts {
    let names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(name.to_string_lossy().to_lowercase()),
        Component::ParentDir => Some("..".to_owned()),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    });
    Parts { anchored: path.is_absolute(), names: names.collect() }
}

/// Whether a path is what a row names: the end of the path for a row that is relative, all of it for one that
/// is not. Either may have wildcards, since a command can name a path by a glob.
pub(super) fn fits(row: &Parts, path: &Parts) -> bool {
    let (names, deep) = match row.names.split_last() {
        Some((last, before)) if last == "**" => (before, true),
        _ => (&row.names[..], false),
    };
    let fits_at = |start: usize| {
        let Some(piece) = path.names.get(start..start + names.len()) else { return false };
        let rest = path.names.len() - start - names.len();
        (if deep { rest > 0 } else { rest == 0 }) && names.iter().zip(piece).all(|(row, name)| same(row, name))
            // `*.json` means the files of a folder, and not by chance one of an agent's.
            && (names.len() > 1 || deep || names == piece)
    };
    if row.anchored {
        return path.anchored && fits_at(0);
    }
    (0..=path.names.len().saturating_sub(names.len())).any(fits_at)
}

fn same(row: &str, name: &str) -> bool {
    row == name || glob(row, name) || glob(name, row)
}

/// Only what has a wildcard is a glob; alternatives in braces are taken for anything.
fn glob(pattern: &str, text: &str) -> bool {
    if !pattern.contains(['*', '?', '[', '{']) {
        return false;
    }
    let simple = match (pattern.find('{'), pattern.rfind('}')) {
        (Some(open), Some(close)) if open < close => {
            format!("{}*{}", &pattern[..open], &pattern[close + 1..])
        }
        _ => pattern.to_owned(),
    };
    // As in a shell, a wildcard at the beginning does not stand for the dot of a hidden file.
    if text.starts_with('.') && !simple.starts_with('.') {
        return false;
    }
    Pattern::parse(&simple).is_ok_and(|pattern| pattern.matches(text))
}

/// Without `.` and `..`, and without a look at the disk.
pub(super) fn normalized(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => normal.push(part),
        }
    }
    normal
}

/// With the links of everything that exists resolved; what does not exist yet follows as it is written.
pub(super) fn resolved(path: &Path) -> PathBuf {
    let mut rest = Vec::new();
    let mut existing = path;
    loop {
        if let Ok(real) = existing.canonicalize() {
            let whole = rest.iter().rev().fold(real, |real, name| real.join(name));
            return normalized(&whole);
        }
        // A link to a file that is not there yet: whoever writes to it makes that file.
        if let Ok(target) = existing.read_link() {
            let target = existing.parent().unwrap_or(existing).join(target);
            if target != existing && rest.len() < 64 {
                let real = target.parent().and_then(|folder| folder.canonicalize().ok());
                let name = target.file_name();
                if let (Some(real), Some(name)) = (real, name) {
                    let whole = rest.iter().rev().fold(real.join(name), |real, name| real.join(name));
                    return normalized(&whole);
                }
            }
        }
        let (Some(parent), Some(name)) = (existing.parent(), existing.components().next_back()) else {
            return normalized(path);
        };
        rest.push(PathBuf::from(name.as_os_str()));
        existing = parent;
    }
}
