//! Paths as lists of components, compared without regard to case: on many disks `.Claude/Settings.json` is the same
//! file.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use tenter_contract::Pattern;

/// The components of a path, in small letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    anchored: bool,
    names: Vec<Name>,
}

/// One component.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Name {
    text: String,
    /// Whether it has wildcards; computed once, because every name is compared with every row.
    wild: bool,
}

impl Name {
    fn new(text: String) -> Self {
        let wild = text.contains(['*', '?', '[', '{']);
        Self { text, wild }
    }
}

impl Parts {
    pub(super) fn is_anchored(&self) -> bool {
        self.anchored
    }

    /// Whether it is that path or below it.
    pub(super) fn begins_with(&self, folder: &Self) -> bool {
        self.anchored && folder.anchored && self.names.starts_with(&folder.names)
    }

    /// The same below a folder.
    pub(super) fn below(&self, folder: &Self) -> Self {
        Self { anchored: folder.anchored, names: folder.names.iter().chain(&self.names).cloned().collect() }
    }
}

pub(super) fn parts(path: &Path) -> Parts {
    let names = path.components().filter_map(|part| match part {
        Component::Normal(name) => Some(Name::new(name.to_string_lossy().to_lowercase())),
        Component::ParentDir => Some(Name::new("..".to_owned())),
        Component::Prefix(_) | Component::RootDir | Component::CurDir => None,
    });
    Parts { anchored: path.is_absolute(), names: names.collect() }
}

/// Whether a path matches a row: a relative row matches the end of the path, an absolute one all of it. Either may have
/// wildcards, since a command can name a path by a glob.
pub(super) fn fits(row: &Parts, path: &Parts) -> bool {
    match row.names.split_last() {
        Some((last, before)) if last.text == "**" => fits_names(row, before, true, path),
        _ => fits_names(row, &row.names, false, path),
    }
}

/// Whether a path is the folder of the file of a row; a row that is only a name has none.
pub(super) fn fits_folder(row: &Parts, path: &Parts) -> bool {
    let folder = row.names.split_last().map(|(_, names)| names).filter(|names| !names.is_empty());
    folder.is_some_and(|names| fits_names(row, names, false, path))
}

/// Whether a path matches these names of a row; with `deep` it must be below them.
fn fits_names(row: &Parts, names: &[Name], deep: bool, path: &Parts) -> bool {
    let fits_at = |start: usize| {
        let Some(piece) = path.names.get(start..start + names.len()) else { return false };
        let rest = path.names.len() - start - names.len();
        (if deep { rest > 0 } else { rest == 0 }) && names.iter().zip(piece).all(|(wanted, name)| same(wanted, name))
            // `*.json` means the files of a folder, not an agent's.
            && (names.len() > 1 || deep || names == piece)
    };
    if row.anchored {
        return path.anchored && fits_at(0);
    }
    (0..=path.names.len().saturating_sub(names.len())).any(fits_at)
}

fn same(row: &Name, name: &Name) -> bool {
    row.text == name.text
        || (row.wild && glob(&row.text, &name.text))
        || (name.wild && glob(&name.text, &row.text))
}

/// Whether a name matches one with wildcards; alternatives in braces match anything.
fn glob(pattern: &str, text: &str) -> bool {
    let simple = match (pattern.find('{'), pattern.rfind('}')) {
        (Some(open), Some(close)) if open < close => {
            format!("{}*{}", &pattern[..open], &pattern[close + 1..])
        }
        _ => pattern.to_owned(),
    };
    // As in a shell, a wildcard at the beginning does not match the dot of a hidden file.
    if text.starts_with('.') && !simple.starts_with('.') {
        return false;
    }
    Pattern::parse(&simple).is_ok_and(|pattern| pattern.matches(text))
}

/// Resolves links. Each folder is read once: the words of one command share most of theirs, and access to the disk costs
/// more than all other work on a word.
#[derive(Default)]
pub(super) struct Links {
    known: RefCell<HashMap<PathBuf, PathBuf>>,
}

impl Links {
    /// A path with the links of its existing components resolved. A link to a missing file is resolved too: writing to
    /// it creates that file.
    pub(super) fn resolved(&self, path: &Path) -> PathBuf {
        self.from(PathBuf::new(), path, 0)
    }

    fn from(&self, folder: PathBuf, path: &Path, followed: usize) -> PathBuf {
        path.components().fold(folder, |mut real, part| {
            match part {
                Component::CurDir => {}
                Component::ParentDir => {
                    real.pop();
                }
                Component::Prefix(_) | Component::RootDir => real.push(part),
                Component::Normal(name) => return self.step(real.join(name), followed),
            }
            real
        })
    }

    /// One step down, from a folder without links.
    fn step(&self, path: PathBuf, followed: usize) -> PathBuf {
        if let Some(real) = self.known.borrow().get(&path) {
            return real.clone();
        }
        let real = match path.read_link() {
            // Links that lead to each other lead nowhere.
            Ok(target) if followed < 40 => {
                let folder = path.parent().map(Path::to_owned).unwrap_or_default();
                self.from(folder, &target, followed + 1)
            }
            Ok(_) | Err(_) => path.clone(),
        };
        self.known.borrow_mut().insert(path, real.clone());
        real
    }
}
