//! Where the tools of one session work, and what they remember of it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::ran::Todo;

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
    pub(super) todos: Mutex<Vec<Todo>>,
}

impl Workplace {
    /// A session that begins in a project.
    pub fn new(root: PathBuf, environment: Vec<(OsString, OsString)>, spills: PathBuf) -> Self {
        Self { cwd: Mutex::new(root.clone()), root, environment, spills, todos: Mutex::default() }
    }

    /// Where relative paths start now.
    pub fn folder(&self) -> PathBuf {
        held(&self.cwd).clone()
    }

    /// What the model means to do, as it last said.
    pub fn todos(&self) -> Vec<Todo> {
        held(&self.todos).clone()
    }

    /// What a path of the model means.
    pub fn path(&self, given: &str) -> PathBuf {
        self.folder().join(Path::new(given))
    }
}

/// What is locked here is whole after every step, so a panic elsewhere spoils nothing.
pub(super) fn held<T>(what: &Mutex<T>) -> MutexGuard<'_, T> {
    what.lock().unwrap_or_else(PoisonError::into_inner)
}
