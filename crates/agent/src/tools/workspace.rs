//! The workspace that the tools of a session share.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::background::Background;
use super::tool_output::Todo;
use crate::HiddenKeys;

/// State that all tools of a session share.
#[derive(Debug)]
pub struct Workspace {
    /// The project.
    pub root: PathBuf,
    /// The current folder of relative paths and commands; `cd` in a command changes it.
    pub cwd: Mutex<PathBuf>,
    /// The whole environment of commands and servers.
    pub environment: Vec<(OsString, OsString)>,
    /// The folder for output that is too long for the model; created on demand.
    pub spills: PathBuf,
    /// Keys that are hidden in all output.
    pub keys: HiddenKeys,
    seen: Mutex<HashMap<PathBuf, u64>>,
    todos: Mutex<Vec<Todo>>,
    /// Commands in the background, which end with the session.
    pub(super) background: Mutex<Background>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Knowledge {
    None,
    Fresh,
    /// It was changed by another program.
    Stale,
}

impl Workspace {
    /// The workspace of a new session in a project.
    pub fn new(root: PathBuf, environment: Vec<(OsString, OsString)>, spills: PathBuf) -> Self {
        Self {
            cwd: Mutex::new(root.clone()),
            root,
            environment,
            spills,
            keys: HiddenKeys::default(),
            seen: Mutex::default(),
            todos: Mutex::default(),
            background: Mutex::default(),
        }
    }

    /// The current folder.
    pub fn folder(&self) -> PathBuf {
        lock(&self.cwd).clone()
    }

    /// The model's current tasks.
    pub fn todos(&self) -> Vec<Todo> {
        lock(&self.todos).clone()
    }

    /// Replaces the model's tasks, also for a resumed session.
    pub fn set_todos(&self, todos: Vec<Todo>) {
        *lock(&self.todos) = todos;
    }

    /// Resolves a path of the model. Nothing is expanded, so that it is the path that guards have checked.
    pub fn path(&self, input: &str) -> PathBuf {
        self.folder().join(input)
    }

    /// A path as the model reads and sends it: relative if it is in the current folder.
    pub(super) fn shown(&self, path: &Path) -> String {
        let folder = self.folder();
        let inside = path.strip_prefix(&folder).ok().filter(|rest| !rest.as_os_str().is_empty());
        inside.unwrap_or(path).display().to_string()
    }

    pub(super) fn variable(&self, name: &str) -> Option<&OsString> {
        self.environment.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Records the content that the model has read or written.
    pub(super) fn remember(&self, path: &Path, content: &[u8]) {
        lock(&self.seen).insert(file_key(path), hash(content));
    }

    /// What the model knows about the current content of a file.
    pub(super) fn knowledge(&self, path: &Path, content: &[u8]) -> Knowledge {
        match lock(&self.seen).get(&file_key(path)) {
            None => Knowledge::None,
            Some(seen) if *seen == hash(content) => Knowledge::Fresh,
            Some(_) => Knowledge::Stale,
        }
    }
}

/// The key of a file, the same for all its paths.
fn file_key(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// Contents are compared, because some tools touch files without a change.
fn hash(content: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(content);
    hasher.finish()
}

/// Locks; the data is valid after every step, so a panic elsewhere does no harm.
pub(super) fn lock<T>(data: &Mutex<T>) -> MutexGuard<'_, T> {
    data.lock().unwrap_or_else(PoisonError::into_inner)
}
