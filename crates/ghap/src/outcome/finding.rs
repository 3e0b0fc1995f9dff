//! The result of a run.

use super::run::{Kind, Runner};

/// The verdict on a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All tests that ran passed, or the build succeeded.
    Passed,
    /// A test failed, or the build did.
    Failed,
    /// The run broke before a test could fail, such as by a compile error.
    Errored,
    /// The run could not start, or was killed: a wrong option or folder, a missing program, a timeout. It proves nothing
    /// about the tests.
    NotRun,
    /// There was nothing to run.
    NoTests,
    /// Unknown.
    Unknown,
}

impl Verdict {
    /// The word for the agent, if this verdict is reported.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Passed => Some("PASSED"),
            Self::Failed | Self::Errored => Some("FAILED"),
            Self::NotRun | Self::NoTests | Self::Unknown => None,
        }
    }
}

/// The test counts that the runner printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// Tests that could not run, and files that could not be loaded.
    pub errors: u64,
    /// Skipped tests.
    pub skipped: u64,
    /// Tests that the command did not select.
    pub filtered: u64,
}

/// The result of the runs of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each keeps a run from being a proof on its own")]
pub struct Finding {
    /// The runner.
    pub runner: Runner,
    /// Tests or a build.
    pub kind: Kind,
    /// The verdict.
    pub verdict: Verdict,
    /// The counts.
    pub counts: Counts,
    /// The names of the first failing tests.
    pub failing: Vec<String>,
    /// The closing line of the runner; may be empty.
    pub summary: String,
    /// The exit code, if it is that of this run.
    pub exit_code: Option<i64>,
    /// It ran only some of the tests.
    pub narrowed: bool,
    /// The line has several runs, which disagree or whose output cannot be separated.
    pub mixed: bool,
    /// It proves nothing: the output contradicts the exit code or may be another program's, the runner crashed, or a test
    /// was retried.
    pub doubtful: bool,
    /// The output of the runner was found, or its exit code alone proves that tests ran.
    pub shown: bool,
}

impl Finding {
    pub(super) fn failed(&self) -> bool {
        matches!(self.verdict, Verdict::Failed | Verdict::Errored)
    }
}
