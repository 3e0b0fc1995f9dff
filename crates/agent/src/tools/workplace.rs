//! Where the tools of one session work, and what they remember of it.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::background::Background;
use super::ran::Todo;
use crate::HiddenKeys;

/// What all tools of a session share.
#[derive(Debug)]
pub struct Workplace {
    /// The project.
    pub root: PathBuf,
    /// Where relative paths and commands start. A command's `cd` moves it.
    pub cwd: Mutex<PathBuf>,
    /// What commands and servers find in their environment, and nothing else.
    pub environment: Vec<(OsString, OsString)>,
    /// Where what is too long for the model is kept; made when it is needed.
    pub spills: PathBuf,
    /// Keys that nobody is given, wherever a tool finds them.
    pub keys: HiddenKeys,
    seen: Mutex<HashMap<PathBuf, u64>>,
    todos: Mutex<Vec<Todo>>,
    /// Commands that run while the agent goes on, and end with this.
    pub(super) background: Mutex<Background>,
}

/// What the model knows of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Knowledge {
    /// Nothing: it has not read it.
    None,
    /// How it is now.
    Fresh,
    /// How it was before somebody else changed it.
    Stale,
}

impl Workplace {
    /// A session that begins in a project.
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

    /// Where relative paths start now.
    pub fn folder(&self) -> PathBuf {
        held(&self.cwd).clone()
    }

    /// What the model means to do, as it last said.
    pub fn todos(&self) -> Vec<Todo> {
        held(&self.todos).clone()
    }

    /// What the model means to do from now on; also for a session that is resumed.
    pub fn set_todos(&self, todos: Vec<Todo>) {
        *held(&self.todos) = todos;
    }

    /// What a path of the model means. Nothing is expanded, so that it means what guards have seen.
    pub fn path(&self, given: &str) -> PathBuf {
        self.folder().join(given)
    }

    /// A path as it is shown, which is also how the model can give it back: from the current folder if it lies there.
    pub(super) fn shown(&self, path: &Path) -> String {
        let folder = self.folder();
        let inside = path.strip_prefix(&folder).ok().filter(|rest| !rest.as_os_str().is_empty());
        inside.unwrap_or(path).display().to_string()
    }

    /// The value of a variable.
    pub(super) fn variable(&self, name: &str) -> Option<&OsString> {
        self.environment.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The model has seen a file, or made it what it is.
    pub(super) fn remember(&self, path: &Path, content: &[u8]) {
        held(&self.seen).insert(known_as(path), hash(content));
    }

    /// What the model knows of a file that has this content now.
    pub(super) fn knowledge(&self, path: &Path, content: &[u8]) -> Knowledge {
        match held(&self.seen).get(&known_as(path)) {
            None => Knowledge::None,
            Some(seen) if *seen == hash(content) => Knowledge::Fresh,
            Some(_) => Knowledge::Stale,
        }
    }
}

/// One file is one file by whatever path it is reached.
fn known_as(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

/// The content is compared and not its time, which tools that change nothing touch too.
fn hash(content: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(content);
    hasher.finish()
}

/// What is locked here is whole after every step, so a panic elsewhere spoils nothing.
pub(super) fn held<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}
