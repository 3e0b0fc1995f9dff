//! The row of a tool: which files it checks, how it runs, and the meaning of its exit code.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::builtin::display::on_one_line;
use crate::builtin::tool_process::ToolOutput;

/// A written file in its project.
pub(super) struct WrittenFile {
    /// Absolute, so that a file name is never taken for an option.
    pub(super) path: PathBuf,
    pub(super) root: PathBuf,
}

impl WrittenFile {
    /// The path below the root, for people.
    pub(super) fn shown(&self) -> String {
        let below = self.path.strip_prefix(&self.root).unwrap_or(&self.path);
        on_one_line(&below.to_string_lossy(), 300)
    }

    /// The nearest file of that name in a folder above, within the root.
    pub(super) fn nearest(&self, name: &str) -> Option<PathBuf> {
        let above = self.path.ancestors().skip(1).take_while(|folder| folder.starts_with(&self.root));
        above.map(|folder| folder.join(name)).find(|found| found.is_file())
    }
}

/// A tool that checks files.
pub(super) struct Tool {
    /// The name in hook files.
    pub(super) name: &'static str,
    /// The program that shows whether the tool is installed.
    pub(super) program: &'static str,
    /// The program to run, if it is another one.
    pub(super) runs: Option<&'static str>,
    pub(super) accepts: fn(&Path) -> bool,
    pub(super) plan: fn(&WrittenFile) -> Plan,
    pub(super) verdict: fn(&ToolOutput) -> ToolVerdict,
    /// Selects the relevant lines of its output.
    pub(super) keeps: fn(&str) -> bool,
    /// Follows its name: `found problems in`.
    pub(super) finding: &'static str,
    pub(super) order: LineOrder,
}

impl Tool {
    /// A tool that checks one file, with the usual exit codes.
    pub(super) const fn new(
        name: &'static str,
        accepts: fn(&Path) -> bool,
        plan: fn(&WrittenFile) -> Plan,
        finding: &'static str,
    ) -> Self {
        let (runs, order) = (None, LineOrder::FileFirst);
        Self { name, program: name, runs, accepts, plan, verdict: by_code, keeps: |_| true, finding, order }
    }

    pub(super) const fn verdict(self, verdict: fn(&ToolOutput) -> ToolVerdict) -> Self {
        Self { verdict, ..self }
    }

    pub(super) const fn keeps(self, keeps: fn(&str) -> bool) -> Self {
        Self { keeps, ..self }
    }
}

/// How to run a tool for a file.
pub(super) enum Plan {
    Run {
        arguments: Vec<OsString>,
        folder: PathBuf,
    },
    /// The reason why there is nothing to run.
    Nothing(String),
}

impl Plan {
    /// Runs in the project root with these words and the file.
    pub(super) fn on_file(file: &WrittenFile, words: &[&str]) -> Self {
        Self::new(words, Some(file.path.clone()), file.root.clone())
    }

    pub(super) fn new(
        words: &[&str],
        files: impl IntoIterator<Item = PathBuf>,
        folder: impl Into<PathBuf>,
    ) -> Self {
        let mut arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
        arguments.extend(files.into_iter().map(OsString::from));
        Self::Run { arguments, folder: folder.into() }
    }
}

/// The meaning of a tool's exit.
pub(super) enum ToolVerdict {
    Clean,
    Findings,
    /// The project does not use it.
    NotSetUp(String),
    /// The tool itself failed.
    Broken,
}

/// The lines to keep of a long output.
pub(super) enum LineOrder {
    /// Lines about the file, from the beginning.
    FileFirst,
    /// The end, with the summary.
    End,
}

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

/// 0 is clean, 1 has findings, other codes are failures of the tool.
fn by_code(output: &ToolOutput) -> ToolVerdict {
    match output.code {
        0 => ToolVerdict::Clean,
        1 => ToolVerdict::Findings,
        _ => ToolVerdict::Broken,
    }
}
