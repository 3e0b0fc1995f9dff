//! What a run came to.

use super::run::{Kind, Runner};

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything that ran passed.
    Passed,
    /// Something that ran failed; of a build: it did not succeed.
    Failed,
    /// It broke before a test could fail: nothing compiled, nothing could be imported.
    Errored,
    /// It could not be run, or was ended from outside: a wrong option, a wrong folder, no such program, out of time. That
    /// says nothing about what was to be tested.
    NotRun,
    /// There was nothing to run.
    NoTests,
    /// It is unknown.
    Unknown,
}

impl Verdict {
    /// As it is shown to the agent, where it is shown.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Passed => Some("PASSED"),
            Self::Failed | Self::Errored => Some("FAILED"),
            Self::NotRun | Self::NoTests | Self::Unknown => None,
        }
    }
}

/// How many of what, as far as the runner says so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// Tests that could not be run, and files that could not be read.
    pub errors: u64,
    /// Tests that were left out.
    pub skipped: u64,
    /// Tests that the command did not choose.
    pub filtered: u64,
}

/// What a line's runs came to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each keeps a run from being a proof on its own")]
pub struct Finding {
    /// What ran.
    pub runner: Runner,
    /// What it was about.
    pub kind: Kind,
    /// How it ended.
    pub verdict: Verdict,
    /// How many of what.
    pub counts: Counts,
    /// The names of the first that failed.
    pub failing: Vec<String>,
    /// What the runner stated of it, on one line; empty if it stated nothing.
    pub summary: String,
    /// The exit code, where it is this run's.
    pub exit_code: Option<i64>,
    /// It ran a part of the tests.
    pub narrowed: bool,
    /// Several runs are in the line, and they disagree or cannot be shown apart in what was printed.
    pub mixed: bool,
    /// It proves nothing: what was printed contradicts the exit code or may be another program's, its runner
    /// crashed, or a test needed several tries.
    pub doubtful: bool,
    /// The runner's own words were seen, or its exit code alone says that tests ran.
    pub shown: bool,
}
