//! A temporary project for one test.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;
use tenter_agent::tools::{self, Tool, ToolOutput, Workspace};

/// A temporary folder and a session in it.
pub(crate) struct Place {
    folder: TempDir,
    pub(crate) at: Workspace,
}

impl Place {
    /// An empty project.
    pub(crate) fn new() -> Self {
        Self::in_folder(tempfile::tempdir().unwrap())
    }

    /// A project for many files, in memory if possible.
    pub(crate) fn in_memory() -> Self {
        Self::in_folder(tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap())
    }

    fn in_folder(folder: TempDir) -> Self {
        let root = folder.path().canonicalize().unwrap().join("project");
        fs::create_dir(&root).unwrap();
        let environment = std::env::vars_os().filter(|(name, _)| name == "PATH").collect();
        let at = Workspace::new(root, environment, folder.path().join("spills"));
        Self { folder, at }
    }

    /// A project with files.
    pub(crate) fn with<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let place = Self::new();
        for (path, content) in files {
            place.put(path, content);
        }
        place
    }

    /// A path in the project.
    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.at.root.join(path)
    }

    /// Creates a file and its folders.
    pub(crate) fn put(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// The content of a file.
    pub(crate) fn content(&self, path: &str) -> String {
        String::from_utf8(fs::read(self.path(path)).unwrap()).unwrap()
    }

    /// Runs a tool.
    pub(crate) fn run(&self, tool: &str, input: &Value) -> ToolOutput {
        self.run_until(tool, input, &|| false)
    }

    /// Runs a tool with a stop function.
    pub(crate) fn run_until(&self, tool: &str, input: &Value, stop: &dyn Fn() -> bool) -> ToolOutput {
        named(tool).run(input.as_object().unwrap(), &self.at, stop)
    }

    /// The text for the model, with `!` before a failure and without the name of the folder.
    pub(crate) fn output(&self, tool: &str, input: &Value) -> String {
        let output = self.run(tool, input);
        let mark = if output.failed { "! " } else { "" };
        self.neutral(&format!("{mark}{}", output.output))
    }

    /// A text without the name of the folder.
    pub(crate) fn neutral(&self, text: &str) -> String {
        let outside = self.folder.path().canonicalize().unwrap();
        text.replace(&*self.at.root.to_string_lossy(), "<root>")
            .replace(&*outside.to_string_lossy(), "<outside>")
    }
}

/// A built-in tool.
pub(crate) fn named(name: &str) -> Box<dyn Tool> {
    tools::own().into_iter().find(|tool| tool.name() == name).unwrap()
}
