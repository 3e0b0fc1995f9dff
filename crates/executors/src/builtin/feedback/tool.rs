//! What a tool is to us: which files it fits, how it is run, and what its end means.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::builtin::programs::Ran;
use crate::builtin::wording::on_one_line;

/// A file that was written, in its project.
pub(super) struct Subject {
    /// Absolute, so that no name of a file is taken for an option.
    pub(super) file: PathBuf,
    pub(super) root: PathBuf,
}

impl Subject {
    /// As people call it.
    pub(super) fn shown(&self) -> String {
        let below = self.file.strip_prefix(&self.root).unwrap_or(&self.file);
        on_one_line(&below.to_string_lossy(), 300)
    }
}

/// A tool that looks at files.
pub(super) struct Tool {
    /// As hook files call it.
    pub(super) name: &'static str,
    /// The program by which we know that it is there.
    pub(super) program: &'static str,
    /// The program that is run, if that is another one.
    pub(super) runs: Option<&'static str>,
    pub(super) fits: fn(&Path) -> bool,
    pub(super) plan: fn(&Subject) -> Plan,
    pub(super) reads: fn(&Ran) -> Looked,
    /// Which lines of its output are worth the agent's attention.
    pub(super) keeps: fn(&str) -> bool,
    /// What follows its name: `found problems in`.
    pub(super) says: &'static str,
    pub(super) order: Order,
}

/// How a tool is run for a file.
pub(super) enum Plan {
    Run {
        arguments: Vec<OsString>,
        folder: PathBuf,
    },
    /// There is nothing to run it on, and why.
    Nothing(String),
}

impl Plan {
    /// In the project's root, with these words and the file last.
    pub(super) fn on_file(subject: &Subject, words: &[&str]) -> Self {
        let mut arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
        arguments.push(subject.file.clone().into());
        Self::Run { arguments, folder: subject.root.clone() }
    }
}

/// What the end of a tool means.
pub(super) enum Looked {
    Clean,
    Found,
    /// The project does not use it.
    NotSetUp(String),
    /// It failed itself.
    Broken,
}

/// What is kept when there is too much.
pub(super) enum Order {
    /// Lines about the file, from the beginning.
    FileFirst,
    /// The end, where a summary stands.
    End,
}

/// Whether the file's name ends in one of these.
pub(super) fn has_extension(file: &Path, extensions: &[&str]) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|found| extensions.contains(&found))
}

pub(super) fn is_python(file: &Path) -> bool {
    has_extension(file, &["py", "pyi"])
}

pub(super) fn is_rust(file: &Path) -> bool {
    has_extension(file, &["rs"])
}

pub(super) fn is_typescript(file: &Path) -> bool {
    has_extension(file, &["ts", "tsx", "mts", "cts"])
}

pub(super) fn is_javascript(file: &Path) -> bool {
    has_extension(file, &["js", "jsx", "mjs", "cjs"]) || is_typescript(file)
}

/// Every line.
pub(super) fn all_lines(_: &str) -> bool {
    true
}

/// 0 is clean, 1 has findings, anything else is a failure of the tool.
pub(super) fn by_code(ran: &Ran) -> Looked {
    match ran.code {
        0 => Looked::Clean,
        1 => Looked::Found,
        _ => Looked::Broken,
    }
}
