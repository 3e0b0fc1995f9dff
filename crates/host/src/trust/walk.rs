//! Files that are found by walking through folders: those of `trust_files`, and those that Python could import.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tenter_contract::Pattern;

use super::python::{is_module, is_of_environment, starts_of};

const MOST_FILES: usize = 2_000;

/// The most files of a folder that a user could review.
const MOST_BELOW: usize = 1_000;
const MOST_BYTES: u64 = 16 * 1024 * 1024;
const DEEPEST: usize = 64;

/// The files, and the folders in which a new file would count too.
#[derive(Default)]
pub(super) struct Walk {
    pub(super) files: Vec<PathBuf>,
    pub(super) folders: Vec<PathBuf>,
    pub(super) links: BTreeSet<PathBuf>,
    /// Texts about files beyond the limits.
    pub(super) beyond: BTreeSet<String>,
}

impl Walk {
    /// The files that globs name, from the project's folder.
    pub(super) fn globs(&mut self, globs: &[String], root: &Path, real: &Path) {
        let patterns: Vec<Pattern> = globs.iter().filter_map(|glob| Pattern::parse(glob).ok()).collect();
        if patterns.is_empty() {
            return;
        }
        let shown = root.to_string_lossy().into_owned();
        let wanted = |file: &Path| {
            let path = file.to_string_lossy();
            patterns.iter().any(|pattern| pattern.matches_path(&path, Some(&shown)))
        };
        // Version control and installed packages are not sources of the project.
        let enters = |name: &str| ![".git", "node_modules", "target", "__pycache__", ".venv"].contains(&name);
        let mut step = Step {
            wanted: &wanted,
            enters: &enters,
            most: MOST_FILES,
            most_folders: usize::MAX,
            real,
            way: Vec::new(),
        };
        if !self.enter(root, DEEPEST, &mut step) {
            let text = format!("whatever lies beyond the first {MOST_FILES} files of `trust_files`");
            self.beyond.insert(text);
        }
    }

    /// Every file that Python could import from a folder. Names that begin with a dot are no module's.
    pub(super) fn python(&mut self, folder: &Path, real: &Path) {
        self.below(folder, real, &is_module, &|name| !name.starts_with('.'));
    }

    pub(super) fn everything(&mut self, folder: &Path, real: &Path) {
        self.below(folder, real, &|_| true, &|name| name != ".git");
    }

    /// The files of a virtual environment. If there are too many, at least those that every start runs.
    pub(super) fn environment(&mut self, folder: &Path, real: &Path) {
        self.below(folder, real, &is_of_environment, &|name| name != ".git" && name != "__pycache__");
        self.files.extend(starts_of(folder));
    }

    fn below(
        &mut self,
        folder: &Path,
        real: &Path,
        wanted: &dyn Fn(&Path) -> bool,
        enters: &dyn Fn(&str) -> bool,
    ) {
        let mut found = Self::default();
        let mut step =
            Step { wanted, enters, most: MOST_BELOW, most_folders: MOST_BELOW, real, way: Vec::new() };
        let all = found.enter(folder, DEEPEST, &mut step);
        let size = |path: &PathBuf| fs::metadata(path).map_or(0, |about| about.len());
        self.folders.extend(found.folders);
        self.links.extend(found.links);
        if all && found.files.iter().map(size).sum::<u64>() <= MOST_BYTES {
            self.files.extend(found.files);
        } else {
            let shown = folder.strip_prefix(real).unwrap_or(folder).display().to_string();
            let shown = if shown.is_empty() { ".".to_owned() } else { shown };
            let text = format!("what is loaded from {shown}, which has too many files to review");
            self.beyond.insert(text);
        }
    }

    /// Goes through a folder; false if there is more than the limits allow.
    fn enter(&mut self, folder: &Path, levels: usize, step: &mut Step<'_>) -> bool {
        let (Ok(found), Ok(resolved)) = (fs::read_dir(folder), fs::canonicalize(folder)) else { return true };
        if step.way.contains(&resolved) {
            // A link that leads back.
            return true;
        }
        self.folders.push(folder.to_path_buf());
        if levels == 0 || self.folders.len() > step.most_folders {
            return false;
        }
        step.way.push(resolved);
        let mut paths: Vec<PathBuf> = found.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        let all = paths.iter().all(|path| self.files.len() < step.most && self.visit(path, levels, step));
        step.way.pop();
        all
    }

    fn visit(&mut self, path: &Path, levels: usize, step: &mut Step<'_>) -> bool {
        let is_link = path.is_symlink();
        let before = self.files.len();
        let mut all = true;
        if path.is_dir() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let inside = || fs::canonicalize(path).is_ok_and(|resolved| resolved.starts_with(step.real));
            if is_link && !inside() {
                // Its files are not the project's, but its target is covered.
                if ["", "x", "x.py"].iter().any(|below| (step.wanted)(&path.join(below))) {
                    self.links.insert(path.to_path_buf());
                }
            } else if (step.enters)(&name) {
                all = self.enter(path, levels - 1, step);
            }
        } else if (path.is_file() || is_link) && (step.wanted)(path) {
            self.files.push(path.to_path_buf());
        }
        if is_link && self.files.len() > before {
            self.links.insert(path.to_path_buf());
        }
        all
    }
}

struct Step<'s> {
    wanted: &'s dyn Fn(&Path) -> bool,
    enters: &'s dyn Fn(&str) -> bool,
    most: usize,
    most_folders: usize,
    real: &'s Path,
    /// The folders from the first to the current one, without links.
    way: Vec<PathBuf>,
}
